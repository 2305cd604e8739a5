"""Arrays as text that stands in the comments of a program, so that one file holds a program and what it is run on.

    // inputs: eJwL8GYWYWAAAjYg5mBg...

Each line is a part of one compressed `.npz` in base64; what `runtime.array_files` says of elements holds here too.

Deliberately absent: any other use of comments. The reader of programs skips these lines like all comments.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Mapping
from typing import Any, Final

from runtime.array_files import archive_of, arrays_of_archive
from runtime.diagnostics import Diagnostic, DiagnosticsError

LINE: Final = "// inputs: "
_WIDTH: Final = 100


def embedded(arrays: Mapping[str, Any]) -> list[str]:
    """Return the lines that hold some arrays."""
    text = base64.b64encode(zlib.compress(archive_of(arrays))).decode("ascii")
    return [f"{LINE}{text[start : start + _WIDTH]}" for start in range(0, len(text), _WIDTH)]


def read_embedded(text: str, file: str) -> dict[str, Any] | None:
    """Return the arrays that the text of a program holds; None where it holds none.

    Raises: DiagnosticsError where what stands there is damaged.
    """
    parts = [line.removeprefix(LINE).strip() for line in text.splitlines() if line.startswith(LINE)]
    if not parts:
        return None
    try:
        data = zlib.decompress(base64.b64decode("".join(parts), validate=True))
    except (binascii.Error, zlib.error) as error:
        raise DiagnosticsError([Diagnostic("R001", f"the inputs in {file} cannot be read: {error}")]) from error
    return arrays_of_archive(data, f"the inputs in {file}")
