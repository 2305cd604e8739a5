"""The files of a project as they were at a git reference, in a folder of their own; the work tree stays as it is.

Deliberately absent: git's ways of writing files (checkout, archive), which convert line ends and follow .gitattributes.
The bytes here are those of git's objects.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from brewer.problems import Problems
from runtime.diagnostics import DiagnosticsError, did_you_mean

_SUFFIXES = (".yaml", ".yml", ".py")
_SHORT = 9  # digits of a commit that people read


@dataclass(frozen=True, slots=True)
class Reference:
    """A commit, and how it was asked for: `HEAD`, `v1.2`, `main~3`."""

    asked: str
    commit: str

    def __str__(self) -> str:
        is_commit = self.commit.startswith(self.asked)
        return self.commit[:_SHORT] if is_commit else f"{self.asked} ({self.commit[:_SHORT]})"


def find_reference(root: Path, asked: str) -> Reference:
    """The commit that `asked` names in the repository around `root`.

    Raises: DiagnosticsError where there is no git, no repository, or no such commit.
    """
    done = _git(root, asked, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{asked}^{{commit}}")
    if done.returncode == 0:
        return Reference(asked, done.stdout.decode().strip())
    if done.returncode != 1:  # 1 is: there is a repository, but no such commit in it
        raise _failure(asked, _words_of(done), "what was before is read from git; work in a clone of the repository")
    listed = _git(root, asked, "for-each-ref", "--format=%(refname:short)").stdout.decode(errors="replace").split()
    help = did_you_mean(asked, listed) or "a reference is a branch, a tag, a commit, or one of these with ~1 behind it"
    raise _failure(asked, "it knows no such commit" if listed else "the repository has no commit yet", help)


def write_files(root: Path, reference: Reference, paths: Iterable[str], folder: Path) -> None:
    """Writes what `reference` had at these paths, which are relative to `root`, below `folder`.

    Raises: DiagnosticsError where git fails.
    """
    listed = _git(root, reference.asked, "ls-tree", "-r", "-z", reference.commit, "--", *paths)
    if listed.returncode:
        raise _failure(reference.asked, _words_of(listed))
    blobs = dict(_blobs(listed.stdout))
    for path, content in zip(blobs, _contents(root, reference, blobs.values()), strict=True):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def _blobs(listing: bytes) -> Iterator[tuple[str, str]]:
    """Path and object of each file that loading reads: `mode type object<tab>path`, with a zero after it."""
    for line in listing.split(b"\0"):
        head, _, name = line.partition(b"\t")
        path = os.fsdecode(name)
        if b" blob " in head and path.endswith(_SUFFIXES) and ".." not in PurePosixPath(path).parts:
            yield path, head.split()[2].decode()


def _contents(root: Path, reference: Reference, objects: Iterable[str]) -> Iterator[bytes]:
    """What the objects hold, in order: `object type size<newline>content<newline>` for each."""
    asked = "".join(f"{name}\n" for name in objects)
    done = _git(root, reference.asked, "cat-file", "--batch", given=asked.encode())
    if done.returncode:
        raise _failure(reference.asked, _words_of(done))
    at = 0
    while at < len(done.stdout):
        end = done.stdout.index(b"\n", at)
        head = done.stdout[at:end].split()
        if len(head) != 3:  # `object missing`: a clone without all of its objects
            raise _failure(reference.asked, done.stdout[at:end].decode(errors="replace"))
        at = end + 1 + int(head[2])
        yield done.stdout[end + 1 : at]
        at += 1


def _git(root: Path, asked: str, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = ["git", "-C", str(root), *arguments]
    try:
        return subprocess.run(command, input=given, capture_output=True, env={**os.environ, "LC_ALL": "C"})
    except OSError as error:
        raise _failure(asked, f"git cannot be run ({error.strerror})", "install git, or put it on the PATH") from error


def _words_of(done: subprocess.CompletedProcess[bytes]) -> str:
    """What git says went wrong, in its own words."""
    lines = done.stderr.decode(errors="replace").strip().splitlines() or [f"it ended with {done.returncode}"]
    return lines[0].removeprefix("fatal: ").removeprefix("error: ")


def _failure(asked: str, reason: str, help: str = "") -> DiagnosticsError:
    problems = Problems()
    problems.error("D085", None, f'git cannot show the definitions at "{asked}": {reason}', help=help)
    return DiagnosticsError(problems.found)
