"""Where to read on behind a statement that has a mistake, and which names it would have defined.

Deliberately absent: the grammar. These are guesses from the looks of the text, good enough that one mistake is seldom
reported twice and that what follows it is read.
"""

from __future__ import annotations

import re

from runtime.quoting import STRING, spelled_name, unquoted
from runtime.text.scanner import LINES, NAME

BLOCK = rf"\{{[ \t\r]*+(?://[^\n]*+)?\n(?!{LINES}(?:[A-Za-z_]\w*+|{STRING}){LINES}=)"
"""The pattern of a brace that opens a block, and not a dictionary: it ends its line, and no entry stands behind it."""

_mark = re.compile(r'//[^\n]*+|"(?:[^"\\\n]|\\[^\n])*+"?|[\[\](){}\n]')
_opens_block = re.compile(r"\{[ \t\r]*+(?://[^\n]*+)?\n")
_starts_statement = re.compile(rf"[ \t]*+(?:%{NAME}[ \t]*+[:\[,=]|(?:for|func|tensor)[ \t]|return\b|yield\b|\}})")
_starts_function = re.compile(r"[ \t]*+func[ \t]")
_ends_with_brace = re.compile(r"[^\n]*?(\{)[ \t\r]*+(?://[^\n]*+)?(?:\n|\Z)")
_goes_on = re.compile(rf"[ \t]*+[A-Za-z_]\w*+[ \t]*+(?:\([^\n]*\)[ \t]*+)?{BLOCK}")
_writes = re.compile(rf"[ \t]*+%{NAME}[ \t]*+[=\[]")
_result = re.compile(rf"[ \t]*+(?:(?:tensor|for)[ \t]++)?(?:%({NAME})|([A-Za-z_]\w*+)(?=[ \t]*+[:=,]))[^,=\n]*+")
_argument = re.compile(f"%({NAME})")
_line = re.compile(r"^([ \t]*+)(?!//|[ \t\r\n])", re.MULTILINE)


def end_of_statement(text: str, start: int) -> int:
    """Return where the statement that starts at `start` ends: behind its line, or at the brace that closes its block.

    The blocks of the statement belong to it, and a region that wrongly starts on a line of its own. A bracket or
    dictionary that is not closed ends where a statement seems to start, a block that is not closed where a function
    does.
    """
    blocks: list[bool] = []  # for each open bracket, whether it is the brace of a block
    had_block = False
    for match in _mark.finditer(text, start):
        mark = match.group()
        if mark in ("[", "(", "{"):
            blocks.append(mark == "{" and _opens_block.match(text, match.start()) is not None)
        elif mark in ("]", ")", "}"):
            if mark == "}" and not blocks:
                return match.start()
            if blocks:
                had_block |= blocks.pop()
        elif mark == "\n":
            if not blocks and had_block and _goes_on.match(text, match.end()):
                continue
            at_next = _starts_function if any(blocks) else _starts_statement
            if not blocks or at_next.match(text, match.end()):
                return match.end()
    return len(text)


def end_of_function(text: str, start: int) -> int:
    """Return where the next function behind `start` begins, or the end of the text."""
    match = re.compile(r"^[ \t]*+func\b", re.MULTILINE).search(text, start)
    return len(text) if match is None else match.start()


def opening_brace(text: str, start: int) -> int | None:
    """Return where the brace stands that ends the line of `start` and opens a block, or None."""
    match = _ends_with_brace.match(text, start)
    return None if match is None else match.start(1)


def start_of_body(text: str, start: int) -> int | None:
    """Return where a block seems to begin whose header stands at `start` and has a mistake, or None.

    It begins behind the brace at the end of the line; without a brace, with the next line where that stands deeper.
    """
    opened = opening_brace(text, start)
    if opened is not None:
        return opened + 1
    here = _line.match(text, text.rfind("\n", 0, start) + 1)
    below = _line.search(text, text.find("\n", start) + 1 or len(text))
    return below.start() if here is not None and below is not None and len(below[1]) > len(here[1]) else None


def names_defined(text: str, start: int) -> list[tuple[str, int]]:
    """Return the names, as they are spelled, that the statement at `start` seems to define, and where they stand.

    A result may lack its `%`; what is written, as in `%t = ...`, is not defined.
    """
    found: list[tuple[str, int]] = []
    match = None if _writes.match(text, start) else _result.match(text, start)
    while match is not None:
        found += _spelled(match[1] or match[2], match.start(1) - 1 if match[1] else match.start(2))
        match = _result.match(text, match.end() + 1) if text.startswith(",", match.end()) else None
    return found


def arguments_defined(text: str, start: int, end: int) -> list[tuple[str, int]]:
    """Return the names, as they are spelled, that the header of a block seems to define, and where they stand."""
    return [each for match in _argument.finditer(text, start, end) for each in _spelled(match[1], match.start())]


def _spelled(name: str, at: int) -> list[tuple[str, int]]:
    try:
        return [(spelled_name(unquoted(name)) if name[0] == '"' else name, at)]
    except ValueError:  # an unknown escape, which is reported elsewhere
        return []
