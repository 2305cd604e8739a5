"""Where to read on behind a statement that has a mistake, and which names it would have defined.

Deliberately absent: the grammar. These are guesses from the looks of the text, good enough that one mistake is seldom
reported twice and that what follows it is read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from runtime.quoting import STRING, spelled_name, unquoted
from runtime.text.scanner import LINES, NAME

BLOCK = rf"\{{[ \t\r]*+(?://[^\n]*+)?\n(?!{LINES}(?:[A-Za-z_]\w*+|{STRING}){LINES}=)"
"""The pattern of a brace that opens a block, and not a dictionary: it ends its line, and no entry stands behind it."""

_mark = re.compile(r'//[^\n]*+|"(?:[^"\\\n]|\\[^\n])*+"?|[\[\](){}\n]')
_opens_block = re.compile(r"\{[ \t\r]*+(?://[^\n]*+)?\n")
_own_name = rf"(?:[ \t]*+{STRING})?"
_starts_statement = re.compile(
    rf"[ \t]*+(?:%{NAME}{_own_name}[ \t]*+[:\[,=]|(?:for|func|tensor)[ \t]|carried[ \t]++\"|return\b|yield\b|\}})"
)
_starts_function = re.compile(r"[ \t]*+func[ \t]")
_defines = re.compile(
    rf"[ \t]*+(?:%{NAME}{_own_name}[ \t]*+:|%{NAME}[ \t]*+=|(?:for|func|tensor|carried|return|yield)\b|\}}|$)",
    re.MULTILINE,
)
_block = re.compile(BLOCK)
_ends_with_brace = re.compile(r"[^\n]*?(\{)[ \t\r]*+(?://[^\n]*+)?(?:\n|\Z)")
_goes_on = re.compile(rf"[ \t]*+(?:[A-Za-z_]\w*+|{STRING})(?:\[[0-9]++\])?[ \t]*+(?:\([^\n]*\)[ \t]*+)?{BLOCK}")
_writes = re.compile(rf"[ \t]*+%{NAME}[ \t]*+[=\[]")
_result = re.compile(
    rf"[ \t]*+(?:(?:tensor|for)[ \t]++)?(?:%({NAME}){_own_name}|([A-Za-z_]\w*+)(?=[ \t]*+[:=,]))[^,=\n]*+"
)
_argument = re.compile(f"%({NAME})")
_line = re.compile(r"^([ \t]*+)(?!//|[ \t\r\n])", re.MULTILINE)


def end_of_statement(text: str, start: int) -> int:
    """Return where the statement that starts at `start` ends: behind its line, or at the brace that closes its block.

    The blocks of the statement belong to it, and a region that wrongly starts on a line of its own, or operands behind
    a comma. A bracket or dictionary that is not closed ends where a statement seems to start, a block that is not
    closed where a function does.
    """
    blocks: list[bool] = []  # for each open bracket, whether it is the brace of a block
    had_block = False
    comment: int | None = None  # where one stands on the line
    for match in _mark.finditer(text, start):
        mark = match.group()
        if mark in ("[", "(", "{"):
            blocks.append(mark == "{" and _opens_block.match(text, match.start()) is not None)
        elif mark in ("]", ")", "}"):
            if mark == "}" and not blocks:
                return match.start()
            if blocks:
                had_block |= blocks.pop()
        elif mark[0] == "/":
            comment = match.start()
        elif mark == "\n":
            if not blocks and had_block and _goes_on.match(text, match.end()):
                continue
            before = text[_trimmed(text, match.start() if comment is None else comment) - 1]
            comment = None
            if (before == "," or (before == "(" and blocks)) and (blocks or not _defines.match(text, match.end())):
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
    """Return where the brace stands that ends the header at `start` and opens its block, or None.

    A header goes over several lines only where what is in its parentheses does.
    """
    match = _ends_with_brace.match(text, start)
    if match is not None:
        return match.start(1)
    depth = 0
    for match in _mark.finditer(text, start):
        mark = match.group()
        if mark == "{" and _block.match(text, match.start()):
            return match.start()
        if mark in ("(", ")"):
            depth += 1 if mark == "(" else -1
        elif mark == "\n" and (depth <= 0 or _starts_function.match(text, match.end())):
            return None
    return None


def lost_brace(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return where the block opens whose closing brace seems to be lost, of the function between `start` and `end`, and
    what shows it: the first thing in it that stands no deeper than its header does.

    None where nothing shows it. Only a block whose first line stands deeper than its header is asked.
    """
    opened: list[_Open] = []
    indent, comment = start - (text.rfind("\n", 0, start) + 1), None
    for match in _mark.finditer(text, start, end):
        mark, at = match.group(), match.start()
        if mark in ("(", "[", "{"):
            opened.append(_Open(at, indent, mark == "{" and _opens_block.match(text, at) is not None))
        elif mark in (")", "]", "}"):
            del opened[-1:]
        elif mark[0] == "/":
            comment = at
        elif mark == "\n":
            goes_on = text[_trimmed(text, at if comment is None else comment) - 1] == ","
            line, comment = _line.match(text, match.end(), end), None
            if line is None or line.end() == end or goes_on or not opened or not opened[-1].is_block:
                continue
            indent, block = len(line[1]), opened[-1]
            closes = text.startswith("}", line.end())
            if block.is_indented and (indent < block.indent if closes else indent <= block.indent):
                return block.at, line.end()
            block.is_indented |= not closes and indent > block.indent
    return None


@dataclass
class _Open:
    """A bracket that is open."""

    at: int
    indent: int  # of the line that it stands on
    is_block: bool
    is_indented: bool = False  # whether what is inside stands deeper


def _trimmed(text: str, end: int) -> int:
    """Return where what stands before `end` ends, without white space."""
    while end and text[end - 1] in " \t\r":
        end -= 1
    return end


def start_of_body(text: str, start: int) -> int | None:
    """Return where a block seems to begin whose header stands at `start` and has a mistake, or None.

    It begins behind the brace at the end of the line; without a brace, with the next line where that stands deeper.
    """
    opened = opening_brace(text, start)
    if opened is not None:
        return opened + 1
    end = text.find("\n", start)
    if text[_trimmed(text, end) - 1] in "(,":
        return None  # the header goes on, and does not end
    here = _line.match(text, text.rfind("\n", 0, start) + 1)
    below = _line.search(text, end + 1 or len(text))
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
