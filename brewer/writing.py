"""Carrying a plan out: each file is replaced atomically, so an interrupted run leaves whole files, old or new.

Two runs at once are safe: they write the same text, each through a temporary file of its own.
"""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from brewer.plan import Plan
from brewer.project import Project

_PREFIX = ".brewer-"
_LEFT_BEHIND = 600  # seconds after which a temporary file belongs to a run that was killed


def carry_out(plan: Plan, project: Project) -> None:
    """Writes and removes what the plan says; files that it does not name keep their time."""
    for change in plan.changes:
        path = project.root / change.path
        if change.kind == "remove":
            path.unlink(missing_ok=True)
            _remove_empty(path.parent, project.generated)
        else:
            _replace(path, change.new)
    _sweep(project.generated)


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=_PREFIX, suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(text.encode("utf-8"))
        os.chmod(temporary, _mode_for(path))
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _mode_for(path: Path) -> int:
    """The permissions that the file has, or those that a new one gets; a temporary file is private at first."""
    with suppress(FileNotFoundError):
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _remove_empty(folder: Path, top: Path) -> None:
    """Removes a folder in which nothing but compiled files is left, and those above it, up to the top."""
    while folder != top and all(path.name == "__pycache__" for path in folder.iterdir()):
        for compiled in (folder / "__pycache__").glob("*.pyc"):
            compiled.unlink(missing_ok=True)
        with suppress(OSError):
            (folder / "__pycache__").rmdir()
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def _sweep(top: Path) -> None:
    """Removes temporary files of runs that were killed."""
    for path in top.rglob(f"{_PREFIX}*.tmp"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _LEFT_BEHIND:
                path.unlink()
