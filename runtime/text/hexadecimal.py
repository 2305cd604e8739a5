"""Bytes in text: pairs of hexadecimal digits in quotes; or the word `elided`, where print was asked to leave them out.

Deliberately absent: reading `elided`. It says that there was something, so a text with it is no program.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from runtime.quoting import WORD_ENDS

if TYPE_CHECKING:
    from runtime.text.scanner import Scanner

ELIDED: Final = "elided"

_elided = re.compile(rf"elided{WORD_ENDS}")


def hex_text(data: bytes, elide: int | None = None) -> str:
    """Return the text of bytes; of more than `elide` of them, the word that stands for what was left out."""
    return ELIDED if elide is not None and len(data) > elide else f'"{data.hex()}"'


def read_hex(scanner: Scanner, what: str) -> bytes:
    """Return the bytes that stand next; `what` says in a message which ones are expected."""
    refuse_elided(scanner)
    scanner.skip_space()
    start = scanner.pos
    digits = _plain_digits(scanner)
    if digits is None:
        digits = scanner.string(f"{what}, hexadecimal digits in quotes", "T024")
    try:
        return bytes.fromhex(digits)
    except ValueError:
        scanner.fail("T033", "these are not pairs of hexadecimal digits", start, scanner.pos)


def _plain_digits(scanner: Scanner) -> str | None:
    """Return what stands in quotes, and go behind it; None where it has escapes or does not end on its line.

    Weights are long: 134 MB of them are read in 0.4 s, by the pattern of a quoted text in 5.4 s.
    """
    text, start = scanner.text, scanner.pos + 1
    end = text.find('"', start) if text.startswith('"', start - 1) else -1
    if end < 0 or text.find("\n", start, end) >= 0 or text.find("\\", start, end) >= 0:
        return None
    scanner.pos = end + 1
    return text[start:end]


def refuse_elided(scanner: Scanner) -> None:
    """Say that nothing can be read where print has left something out, if that is what stands next."""
    if scanner.peek(_elided):
        help = "print the program again, without asking to elide anything"
        message = "what stood here was left out in print, so this text is not the whole program"
        scanner.fail("T042", message, scanner.pos, scanner.pos + len(ELIDED), help=help)
