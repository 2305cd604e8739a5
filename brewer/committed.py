"""Whether git has what stands in a file: at HEAD or in the index. What is there nobody loses, so it is no edit by hand.

Deliberately absent: messages. Where there is no git, no repository or no commit, nothing is known, and nothing is said.
"""

from __future__ import annotations

import hashlib
import subprocess
from functools import cache
from pathlib import Path

_SHA1 = 40  # digits of an object's name in a repository of the usual kind; others have those of SHA-256


class Committed:
    """The names of git's objects for the files below a folder; git is asked once, when somebody asks here."""

    def __init__(self, root: str, folder: str) -> None:
        self._root = root
        self._folder = folder
        self._names = cache(self._ask)

    def knows(self, path: str) -> bool:
        """Whether a file of this path is there, with whatever contents."""
        return path in self._names()

    def has(self, path: str, data: bytes) -> bool:
        """Whether a file of this path has these contents there, but for line ends that git may have changed."""
        names = self._names().get(path, frozenset())
        forms = (data, data.replace(b"\r\n", b"\n"))
        return any(_name_of(form, len(name)) == name for name in names for form in forms)

    def _ask(self) -> dict[str, frozenset[str]]:
        listed = [
            *_lines(self._root, "ls-tree", "-r", "-z", "HEAD", "--", self._folder),
            *_lines(self._root, "ls-files", "-s", "-z", "--", self._folder),
        ]
        found: dict[str, frozenset[str]] = {}
        for line in listed:
            words, _, path = line.partition("\t")
            name = next((word for word in words.split() if len(word) >= _SHA1), "")
            found[path] = found.get(path, frozenset()) | {name}
        return found


def _lines(root: str, *arguments: str) -> list[str]:
    try:
        done = subprocess.run(["git", "-C", str(Path(root)), *arguments], capture_output=True, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return [line for line in done.stdout.decode("utf-8", "surrogateescape").split("\0") if line]


def _name_of(data: bytes, digits: int) -> str:
    """What git calls these contents."""
    kind = hashlib.sha1 if digits == _SHA1 else hashlib.sha256
    return kind(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
