"""Floating-point numbers in text, to the bit: the shortest digits that read back, or the bits themselves."""

from __future__ import annotations

import re
import struct
from math import isinf, isnan

from runtime.text.scanner import Scanner

NUMBER = re.compile(
    r"0x[0-9A-Fa-f]++(?![A-Za-z0-9_])|[-+]?(?:[0-9]++(?:\.[0-9]*+)?(?:[eE][-+]?[0-9]++)?|inf|nan)(?![A-Za-z0-9_.])"
)

_USUAL_NAN = struct.pack("<d", float("nan"))


def float_text(value: float) -> str:
    """Return the text of a double: `0.1`, `inf`, `nan`, or `0x...` for the bits of any other NaN."""
    bits = struct.pack("<d", value)
    return repr(float(value)) if not isnan(value) or bits == _USUAL_NAN else f"0x{bits[::-1].hex()}"


def read_float(scanner: Scanner, what: str) -> float:
    """Return the double that stands next; a whole number is one, too."""
    found = scanner.take(NUMBER)
    if found is None:
        scanner.fail_expecting(f"{what}, a number", code="T024")
    start = scanner.pos - len(found)
    if found.startswith("0x"):
        if len(found) != 18:
            scanner.fail("T032", "the bits of a double are 16 hexadecimal digits", start, scanner.pos)
        return float(struct.unpack(">d", bytes.fromhex(found[2:]))[0])
    return finite_unless_said(scanner, found, start)


def finite_unless_said(scanner: Scanner, found: str, start: int) -> float:
    """Return the double nearest to the digits `found`; infinity only where it is written as such."""
    value = float(found)
    if isinf(value) and "inf" not in found:
        scanner.fail("T032", "the number is beyond the range of a double", start, scanner.pos, help="infinity is inf")
    return value
