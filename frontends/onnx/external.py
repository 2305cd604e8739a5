"""Data beside a model: where a tensor says that its bytes are, and reading them from there and from nowhere else.

A model is a stranger's file, and `location` is a path in it. It must be relative, stay in the model's folder without
any `..`, and lead through folders and to a file that are no links (nor is the file linked from elsewhere), as the
checker of onnx demands too. Sizes are checked before anything is mapped into memory.
"""

from __future__ import annotations

import mmap
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from onnx import TensorProto

from frontends.onnx.errors import ExternalDataError

_LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Place:
    """Where the bytes of a tensor are."""

    parts: tuple[str, ...]  # folders and file, from the model's folder
    offset: int  # in bytes
    length: int | None  # in bytes; None: not said, so as many as the type needs

    @property
    def location(self) -> str:
        """The path as messages show it."""
        return "/".join(self.parts)


def place_of(tensor: TensorProto) -> Place:
    """Return where a tensor with external data has its bytes; nothing is opened.

    Raises: ExternalDataError where the entries make no sense, or the path could leave the model's folder.
    """
    entries = {entry.key: entry.value for entry in tensor.external_data}
    name = tensor.name
    parts = _parts(name, entries.get("location", ""))
    offset = _number(name, "offset", entries.get("offset")) or 0
    length = _number(name, "length", entries.get("length"))
    return Place(parts, offset, length)


def read(place: Place, folder: Path | None, n_bytes: int, name: str) -> memoryview:
    """Return `n_bytes` bytes at a place, mapped and not copied, for the tensor called `name`.

    Raises: ExternalDataError where they are not there, or a link is on the way.
    """
    if folder is None:
        raise ExternalDataError(
            f'tensor "{name}": its data is in "{place.location}", and the model came without a folder'
        )
    if place.length is not None and place.length != n_bytes:
        raise ExternalDataError(f'tensor "{name}": needs {n_bytes} bytes, but states a length of {place.length}')
    descriptor = open_file(place, folder, name)
    try:
        size = os.fstat(descriptor).st_size
        if place.offset + n_bytes > size:
            raise ExternalDataError(
                f'tensor "{name}": needs {n_bytes} bytes at offset {place.offset}, but "{place.location}" has {size}'
            )
        if not n_bytes:
            return memoryview(b"")
        start = place.offset - place.offset % mmap.ALLOCATIONGRANULARITY
        mapped = mmap.mmap(descriptor, place.offset - start + n_bytes, access=mmap.ACCESS_READ, offset=start)
    finally:
        os.close(descriptor)
    return memoryview(mapped)[place.offset - start :]


def open_file(place: Place, folder: Path, name: str) -> int:
    """Return a descriptor for reading the file of a place.

    Raises: ExternalDataError where it is not there, is no plain file, or a link is on the way.
    """
    path, last = folder, len(place.parts) - 1
    try:
        for at, part in enumerate(place.parts):
            path = path / part
            state = os.lstat(path)
            if stat.S_ISLNK(state.st_mode):
                raise ExternalDataError(f'tensor "{name}": "{"/".join(place.parts[: at + 1])}" is a link')
            if at < last and not stat.S_ISDIR(state.st_mode):
                raise ExternalDataError(f'tensor "{name}": "{"/".join(place.parts[: at + 1])}" is no folder')
        if not stat.S_ISREG(state.st_mode):
            raise ExternalDataError(f'tensor "{name}": "{place.location}" is no plain file')
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise ExternalDataError(f'tensor "{name}": cannot open "{place.location}": {why}') from None
    opened = os.fstat(descriptor)
    if (opened.st_ino, opened.st_dev) != (state.st_ino, state.st_dev) or opened.st_nlink > 1:
        os.close(descriptor)
        raise ExternalDataError(f'tensor "{name}": "{place.location}" is linked from elsewhere, or has just changed')
    return descriptor


def _parts(name: str, location: str) -> tuple[str, ...]:
    if not isinstance(location, str) or not location or "\0" in location:
        raise ExternalDataError(f'tensor "{name}": its external data has no usable location, but {location!r}')
    parts = tuple(part for part in location.replace("\\", "/").split("/") if part not in ("", "."))
    leaves = location[0] in "/\\" or ".." in parts or not parts or ":" in parts[0]
    if leaves:
        raise ExternalDataError(f'tensor "{name}": the location "{location}" is not inside the folder of the model')
    return parts


def _number(name: str, what: str, text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdecimal() or len(text) > 19 or int(text) > _LARGEST:
        raise ExternalDataError(f'tensor "{name}": the {what} of its external data is "{text}", which is no size')
    return int(text)
