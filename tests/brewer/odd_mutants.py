"""Definitions with mistakes that people seldom make: keys exchanged, deep nesting, odd characters, huge numbers, values
of other kinds, texts of two files, other encodings. Small ones are in `mutants.py`.
"""

import random
import re
from collections.abc import Callable, Sequence

Others = Sequence[str]  # the texts of other definitions
ODD_CHARACTERS = (
    *("\u200b", "\u202e", "\u00a0", "\u0301", "\uff21", "\u0131", "\u2028", "\x85", "\ufffe", "\U0010ffff", "\u0663"),
    *("\u2075", "\u00ad", "\ufeff", "\ufb01", "\x7f", "\x1b[31m", "\ud800"),
)
NUMBERS = (
    *("9" * 400, "1e400", "-1e400", ".inf", "-.inf", ".nan", "0x1F", "0o17", "0b1", "1_000", "+5", "-0", "-0.0", "1."),
    *("5e-324", "1e-400", "9223372036854775808", "-9223372036854775809", "00", "1,5", "\uff11", "1:30", "2001-01-01"),
)
WRONG_KINDS = (
    *("[]", "{}", "[[]]", "{a: {b: {}}}", "null", "~", "yes", "''", "[1, [2]]", "{1: 2}", "{[a]: b}", "{{}: b}", "? a"),
    *("!!binary aGk=", "!!set {a}", "&x y", "*x", "|\n  text", '"\\ud800"', '"\\0"', "{<<: {a: 1}}", "{a: 1, a: 2}"),
    *("- x\n- y", "@x", "%x", "`x", "class", "__init__", "x.y", "x[99999999999]", "{x}", "(? (? x))", "x" * 100_000),
)
NESTS = (("[", "]"), ("{a: ", "}"), ("(? x ", ")"), ("{? ", "}"))
ENCODINGS = ("utf-16", "utf-32", "utf-16-le", "utf-8-sig", "latin-1", "cp037")
_KEY = re.compile(r"(?m)(?:^\s*|[{,]\s*)([A-Za-z_]\w*)(?=:\s|:$)")
_VALUE = re.compile(r"(?m):[ ]+([^\n{}\[\],#]+)")


def odd_mutant(text: str, others: Others, choose: random.Random) -> bytes:
    """A definition with one odd mistake."""
    if choose.random() < 0.1:
        return text.encode(choose.choice(ENCODINGS), errors="replace")
    return choose.choice(KINDS)(text, others, choose).encode(errors="surrogatepass")


def _keys_exchanged(text: str, others: Others, choose: random.Random) -> str:
    (start, end), (second, last) = sorted(match.span(1) for match in choose.sample(list(_KEY.finditer(text)), 2))
    return text[:start] + text[second:last] + text[end:second] + text[start:end] + text[last:]


def _words_exchanged(text: str, others: Others, choose: random.Random) -> str:
    words = re.split(r"(\s+|[:,\[\]{}\"])", text)
    first, second = choose.sample([at for at, word in enumerate(words) if word.strip()], 2)
    words[first], words[second] = words[second], choose.choice((words[first], ""))
    return "".join(words)


def _nested(text: str, others: Others, choose: random.Random) -> str:
    opening, closing = choose.choice(NESTS)
    depth = choose.choice((3, 23, 25, 500, 3000))
    return _with_value(text, opening * depth + "1" + closing * (depth - choose.randrange(2)), choose)


def _odd_character(text: str, others: Others, choose: random.Random) -> str:
    at = choose.randrange(len(text))
    return text[:at] + choose.choice(ODD_CHARACTERS) + text[at + choose.randrange(2) :]


def _other_value(text: str, others: Others, choose: random.Random) -> str:
    return _with_value(text, choose.choice(NUMBERS + WRONG_KINDS), choose)


def _two_files(text: str, others: Others, choose: random.Random) -> str:
    other = choose.choice(others)
    lines, further = text.splitlines(keepends=True), other.splitlines(keepends=True)
    at, until = choose.randrange(len(lines)), choose.randrange(len(further))
    crossed = "".join([*lines[:at], *further[until : until + choose.randint(1, 6)], *lines[at:]])
    return choose.choice(
        (f"{text}---\n{other}", f"{text}...\n{other}", text + other, f"%YAML 1.1\n---\n{text}", crossed)
    )


def _moved_lines(text: str, others: Others, choose: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    at = choose.randrange(len(lines))
    lines[at] = choose.choice((f" {lines[at]}", lines[at].lstrip(), f"\t{lines[at]}", lines[at] * 2))
    return "".join(lines)


def _with_value(text: str, value: str, choose: random.Random) -> str:
    start, end = choose.choice(list(_VALUE.finditer(text))).span(1)
    return text[:start] + value + text[end:]


KINDS: tuple[Callable[[str, Others, random.Random], str], ...] = (
    *(_keys_exchanged, _words_exchanged, _nested, _odd_character, _other_value, _two_files, _moved_lines),
)
