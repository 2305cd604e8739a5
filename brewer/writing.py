"""Carrying a plan out. All files are written beside their places before the first one takes its place.

So a full disk, a folder that nobody may write to, or Ctrl-C leave everything as it was; a run that is killed between
two files leaves whole ones, old or new, and the next run finishes. Two runs at once are safe: each has its own files.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

from brewer.plan import Plan
from brewer.project import Project
from runtime.diagnostics import shown_path

_PREFIX, _SUFFIX = ".brewer-", ".tmp"
_LEFT_BEHIND = 600  # seconds after which a temporary file belongs to a run that was killed


class NotWritten(Exception):
    """The system refused."""

    def __init__(self, complaint: str, progress: str) -> None:
        super().__init__(f"{complaint} ({progress})")
        self.complaint = complaint
        self.progress = progress  # how far the run had come, and what is to be done


def carry_out(plan: Plan, project: Project) -> None:
    """Writes and removes what the plan says; files that it does not name keep their time.

    Raises: NotWritten.
    """
    staged: list[tuple[Path, Path]] = []
    done = 0
    path = project.generated
    try:
        for change in plan.changes:
            path = project.root / change.path
            if change.kind != "remove":
                _stage(path, change.new, staged)
        for temporary, path in staged:
            os.replace(temporary, path)
            done += 1
        for change in plan.changes:
            path = project.root / change.path
            if change.kind == "remove":
                with suppress(FileNotFoundError):
                    os.unlink(path)
                done += 1
                _remove_empty(path.parent, project.generated)
    except OSError as error:
        raise _not_written(error, path, done, len(plan.changes)) from error
    finally:
        for temporary, _ in staged[done:]:
            with suppress(OSError):
                os.unlink(temporary)
    _sweep(project.generated)


def _stage(path: Path, text: str, staged: list[tuple[Path, Path]]) -> None:
    """Writes what belongs to a path into a temporary file beside it."""
    temporary = path.with_name(f"{_PREFIX}{os.getpid()}-{id(staged)}-{time.time_ns()}{_SUFFIX}")
    mode = _mode_of(path)
    staged.append((temporary, path))
    with os.fdopen(_create(temporary), "wb") as stream:
        stream.write(text.encode())
    if mode is not None:
        os.chmod(temporary, mode)


def _create(path: Path) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    for _ in range(3):
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # another run has just removed the folder, which was empty
            return os.open(path, flags, 0o666)
    return os.open(path, flags, 0o666)


def _mode_of(path: Path) -> int | None:
    """The permissions that a file has, which its new text keeps."""
    with suppress(FileNotFoundError):
        return path.stat().st_mode & 0o777
    return None


def _remove_empty(folder: Path, top: Path) -> None:
    """Removes a folder in which nothing but compiled files is left, and those above it, up to the top."""
    while folder != top:
        try:
            if not all(path.name == "__pycache__" for path in folder.iterdir()):
                return
            for compiled in (folder / "__pycache__").glob("*.pyc"):
                compiled.unlink(missing_ok=True)
            with suppress(FileNotFoundError):
                (folder / "__pycache__").rmdir()
            folder.rmdir()
        except OSError:  # somebody else put something there, or was faster
            return
        folder = folder.parent


def _sweep(top: Path) -> None:
    """Removes temporary files of runs that were killed."""
    for folder, _, names in os.walk(top):
        for name in names:
            if name.startswith(_PREFIX) and name.endswith(_SUFFIX):
                with suppress(OSError):
                    path = os.path.join(folder, name)
                    if time.time() - os.stat(path).st_mtime > _LEFT_BEHIND:
                        os.unlink(path)


def _not_written(error: OSError, path: Path, done: int, total: int) -> NotWritten:
    again = "once that is mended, run brewer again"
    progress = f"{done} of {total} changes are made; {again}" if done else f"nothing was written; {again}"
    return NotWritten(f"cannot write {shown_path(str(path))}: {error.strerror or error}", progress)
