"""Where BIR is read from: a text, a file or an open file, in chunks, and once more as a whole where that is needed.

Deliberately absent: mistakes. What cannot be read in chunks is read again as a whole, and that says why it failed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from runtime.bir.json_stream import CHUNK

Source = Path | TextIO | str  # a `str` is the text itself


@contextmanager
def chunks_of(source: Source) -> Iterator[Iterator[str]]:
    """Give the text of a source in chunks; an open file that could not be read stands where it stood before.

    Raises: OSError, UnicodeDecodeError.
    """
    if isinstance(source, str):
        yield _slices(source)
    elif isinstance(source, Path):
        with source.open(encoding="utf-8") as opened:
            yield _pieces(opened)
    else:
        start = source.tell()
        try:
            yield _pieces(source)
        except BaseException:
            source.seek(start)
            raise


def can_be_read_twice(opened: TextIO) -> bool:
    """Whether an open file can be read again after a part of it was read; a pipe cannot."""
    return hasattr(opened, "seekable") and opened.seekable()


def _slices(text: str) -> Iterator[str]:
    for start in range(0, len(text), CHUNK):
        yield text[start : start + CHUNK]


def _pieces(opened: TextIO) -> Iterator[str]:
    while piece := opened.read(CHUNK):
        yield piece
