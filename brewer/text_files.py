"""The bytes of a definition file as text, refused where editors and YAML readers would disagree about them."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from brewer.problems import Problems
from runtime.diagnostics import Place

BYTE_ORDER_MARK = "\ufeff"
_OF_UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # byte order marks; those of UTF-32 begin or end with one of them, too
_FORBIDDEN = "[\x00-\x08\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]"


class FileKind(NamedTuple):
    """What a file of YAML is, for messages about all of it."""

    noun: str
    start: str


DEFINITION_FILE: Final = FileKind("definition", "a definition starts with its name: `name: X`")


def read_text(file: str, data: bytes, problems: Problems, kind: FileKind = DEFINITION_FILE) -> str | None:
    """The text with plain line ends; None where a mistake makes further reading useless."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        _report_not_utf8(file, data, error, problems)
        return None
    marked = text.startswith(BYTE_ORDER_MARK)
    text = text.removeprefix(BYTE_ORDER_MARK)
    carriage_return = text.find("\r")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    problems.add_source(file, text)
    if marked:
        problems.error("D002", Place(file, 1, 1), "the file starts with a byte order mark", help="save it without one")
    if carriage_return >= 0:
        place = place_of_index(file, text, carriage_return)
        problems.error("D003", place, "the line ends in a carriage return", help="save the file with Unix line ends")
    return None if _reports_forbidden(file, text, problems) or _reports_empty(file, text, problems, kind) else text


def place_of_index(file: str, text: str, index: int, length: int = 1) -> Place:
    """Line and column of a character of the text."""
    line_start = text.rfind("\n", 0, index) + 1
    return Place(file, text.count("\n", 0, index) + 1, index - line_start + 1, length)


def _report_not_utf8(file: str, data: bytes, error: UnicodeDecodeError, problems: Problems) -> None:
    help = "save the file as UTF-8"
    if data.startswith(_OF_UTF_16):
        problems.error("D001", Place(file, 1, 1), "the file is UTF-16 text, not UTF-8", help=help)
        return
    problems.add_source(file, data.decode("utf-8", errors="replace"))
    before = data[: error.start].decode("utf-8")
    place = place_of_index(file, before, len(before))
    problems.error("D001", place, f"byte 0x{data[error.start]:02x} is not UTF-8 text", help=help)


def _reports_forbidden(file: str, text: str, problems: Problems) -> bool:
    if text.replace("\n", "").isprintable():
        return False  # as nearly all are, seen in a tenth of the time
    match = re.search(_FORBIDDEN, text)
    if match is None:
        return False
    place = place_of_index(file, text, match.start())
    if match.group() == "\t":
        problems.error(
            "D004", place, "a tab", help="indent with spaces; inside a text write it as \\t in double quotes"
        )
    else:
        help = "remove it" if match.group() != "\0" else "save the file as UTF-8 text"
        problems.error("D004", place, f"the control character U+{ord(match.group()):04X}", help=help)
    return True


def _reports_empty(file: str, text: str, problems: Problems, kind: FileKind) -> bool:
    if text[:1].isalpha():
        return False  # as all that start with a key
    empty = all(not line.strip() or line.lstrip().startswith("#") for line in text.split("\n"))
    if empty:
        problems.error("D007", Place(file, 1, 1), "the file is empty", help=kind.start)
    return empty
