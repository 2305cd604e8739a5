"""Bytes as base64 text; long ones are made piece by piece while a file is written.

Deliberately absent: other spellings. JSON has no bytes, and base64 is what every reader of JSON knows.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import Any, Final

from runtime.bir.problems import BirError, wrong_kind

PIECE: Final = 3 * 2**18
"""Bytes that are turned into text at a time: whole groups of three, so that the pieces can be joined."""


class LongBytes:
    """Bytes that stand for their base64 text in a record, so that the text is never in memory as a whole."""

    __slots__ = ("_data",)

    def __init__(self, data: memoryview) -> None:
        self._data = data

    @property
    def pieces(self) -> Iterator[str]:
        """The text, in pieces."""
        for start in range(0, len(self._data), PIECE):
            yield base64_text(self._data[start : start + PIECE])


def base64_text(data: bytes | memoryview) -> str:
    """Return the text of some bytes."""
    return base64.b64encode(data).decode("ascii")


def bytes_of(found: Any) -> bytes:
    """Return the bytes that a text stands for.

    Raises: BirError.
    """
    if not isinstance(found, str):
        raise wrong_kind(found, "base64 text")
    try:
        return base64.b64decode(found, validate=True)
    except (binascii.Error, ValueError):
        raise BirError("B016", "this is not base64 text") from None
