"""Whether `rhs_str` shows existing fields, and can be parsed back in one way only.

The parser skips spaces and never backtracks: at a group it looks whether the group's first literal stands there. So
that literal must differ from everything that may follow where the group is absent, and every value must end before
the literal after it begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from brewer.model import ApIndices, Definition, Operand, Text
from brewer.problems import Problems
from brewer.rhs_grammar import Group, Literal, Placeholder, Rhs, parse_rhs
from runtime.diagnostics import Note, Place

_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_BRACKETS = frozenset("[<,%")
# What a literal after a value must not begin with, since the value would read on; brackets and commas not even after a
# space. Strings and lists delimit themselves.
_CONTINUES: dict[str, frozenset[str]] = {
    "operand": _WORD | frozenset(".-$["),
    "variadic": _WORD | frozenset(".-$[,%"),
    "int": _WORD | frozenset(".-+"),
    "float": _WORD | frozenset(".-+"),
    "bool": _WORD,
    "enum": _WORD,
    "dtype": _WORD,
    "type": _WORD | frozenset("[<"),
}
_BEFORE_GROUP = re.compile(r" *\(\? *(?=(\w)?)")
_WITHOUT_TEXT = ("tensor", "shape")


def check_rhs(definition: Definition, bases: Iterable[Definition], problems: Problems) -> Rhs | None:
    """The parsed form; None where it is absent or malformed. `bases` are the definitions that it stands on."""
    if definition.rhs_str is None:
        return None
    rhs = parse_rhs(definition.rhs_str, problems)
    if rhs is None or _reports_fields(definition, bases, rhs, problems):
        return None
    _check_groups(definition, rhs, problems)
    _check_blanks(definition.rhs_str, rhs, problems)
    _check_neighbours(definition, rhs, problems)
    return rhs


def _ambiguous(problems: Problems, place: Place, message: str, *, help: str = "", notes: Iterable[Note] = ()) -> None:
    """Reports an ambiguity; what else is ambiguous about the same part follows from it."""
    problems.error("D041", place, message, help=help, notes=notes)
    problems.doubt(place)


def _reports_fields(definition: Definition, bases: Iterable[Definition], rhs: Rhs, problems: Problems) -> bool:
    known = definition.field_names
    seen: dict[str, Placeholder] = {}
    wrong = False
    for placeholder in rhs.placeholders:
        first = seen.setdefault(placeholder.field, placeholder)
        if placeholder.field not in known:
            wrong = True
            help = problems.hint(placeholder.place, placeholder.field, known, "fields")
            notes = [Note(f'it has the fields of "{base.name}" too', base.name.place) for base in bases]
            message = f'"{definition.name}" has no field "{placeholder.field}"'
            problems.error("D040", placeholder.place, message, help=help, notes=notes)
        elif _kind(definition, placeholder.field) in _WITHOUT_TEXT:
            wrong = True
            message = f'the value of "{placeholder.field}" is too large for rhs_str'
            help = "leave it out: the trailing dictionary shows it"
            problems.error("D045", placeholder.place, message, help=help)
        elif first is not placeholder:
            wrong = True
            problems.error("D042", placeholder.place, f'"{placeholder.field}" is shown twice')
    return wrong


def _check_groups(definition: Definition, rhs: Rhs, problems: Problems) -> None:
    for index, part in enumerate(rhs.parts):
        if not isinstance(part, Group):
            continue
        if len(part.fields) != 1:
            problems.error("D042", part.place, f"an optional group shows one field, not {len(part.fields)}")
            continue
        shown = part.fields[0]
        if not _may_be_absent(definition, shown.field):
            help = f"write it without a group, or make {shown.field} optional or give it a default"
            problems.error(
                "D042", shown.place, f'"{shown.field}" is never absent, so its group never vanishes', help=help
            )
        start = part.parts[0]
        if not isinstance(start, Literal) or not start.text.strip():
            _ambiguous(problems, part.place, "an optional group must start with literal text")
            continue
        for follower, is_group in _may_follow(rhs, index):
            if not isinstance(follower, Literal):
                message = f'"{follower.field}" may follow the group, and begin with "{start.text.strip()}" like it'
                _ambiguous(problems, follower.place, message, help="put literal text between the two")
            elif _one_starts_the_other(start.text.strip(), follower.text.strip()):
                notes = [Note("this may follow where the group is absent", follower.place)]
                message = _why_alike(start.text.strip(), follower.text.strip(), is_group)
                help = "let the group start with a word that nothing after it starts with, nor the other way round"
                _ambiguous(problems, start.place, message, help=help, notes=notes)


def _check_blanks(text: Text, rhs: Rhs, problems: Problems) -> None:
    """Reports a blank that the printed form doubles or ends with, where some of the groups are there and others not."""
    before: list[Literal] = []  # what ends in a blank, and may stand right before the part
    for part in rhs.parts:
        inner = part.parts if isinstance(part, Group) else (part,)
        if not inner:
            continue
        first, last = inner[0], inner[-1]
        if before and isinstance(first, Literal) and first.text.startswith(" "):
            _report_blank(text, part.place, "the text would have two blanks in a row", before[-1], problems)
            return
        ends = [last] if isinstance(last, Literal) and last.text.endswith(" ") else []
        before = [*before, *ends] if isinstance(part, Group) else ends
    if before:
        _report_blank(text, before[-1].place, "the text would end with a blank where no group is there", None, problems)


def _report_blank(text: Text, place: Place, message: str, blank: Literal | None, problems: Problems) -> None:
    form = _BEFORE_GROUP.sub(lambda found: "(? " if found[1] else "(?", text.value)
    help = "a group brings its own blank in front, and none stands before it"
    notes = [Note("one of them is here", blank.place)] if blank else []
    problems.error("D042", place, message, help=f"{help}: {form}" if form != text.value else help, notes=notes)


def _why_alike(start: str, other: str, is_group: bool) -> str:
    if is_group:
        words = f'"{start}"' if start == other else f'"{start}" and "{other}"'
        return f"two groups may start alike, with {words}, so the text does not say which one is there"
    return f'the group starts with "{start}", and so may what follows without it: "{other}"'


def _may_follow(rhs: Rhs, index: int) -> Iterator[tuple[Literal | Placeholder, bool]]:
    """The first parts of everything that may stand where the group at `index` is absent; whether a group has it.

    A group that starts with no text is a mistake of its own, and nothing follows from it.
    """
    for part in rhs.parts[index + 1 :]:
        if isinstance(part, Group):
            first = part.parts[0] if part.parts else None
            if isinstance(first, Literal) and first.text.strip():
                yield first, True
        elif isinstance(part, Placeholder) or part.text.strip():
            yield part, False
            return


def _one_starts_the_other(left: str, right: str) -> bool:
    return left.startswith(right) or right.startswith(left)


def _check_neighbours(definition: Definition, rhs: Rhs, problems: Problems) -> None:
    """Between any two parts that may stand side by side, some groups absent."""
    before: list[Literal | Placeholder] = []
    for part in rhs.parts:
        inner = part.parts if isinstance(part, Group) else (part,)
        if not inner:
            continue
        for last in before:
            _check_pair(definition, last, inner[0], problems)
        for left, right in zip(inner, inner[1:], strict=False):
            _check_pair(definition, left, right, problems)
        before = [*before, inner[-1]] if isinstance(part, Group) else [inner[-1]]


def _check_pair(
    definition: Definition, left: Literal | Placeholder, right: Literal | Placeholder, problems: Problems
) -> None:
    if isinstance(left, Literal):
        return
    if isinstance(right, Placeholder):
        message = f'nothing separates "{left.field}" from "{right.field}"'
        _ambiguous(problems, right.place, message, help="put literal text between the two")
    elif _reads_on(_CONTINUES.get(_kind(definition, left.field), frozenset()), right.text):
        message = f'"{right.text}" reads on where the value of "{left.field}" ends'
        _ambiguous(problems, right.place, message, help="start the literal with a space or another delimiter")


def _reads_on(continues: frozenset[str], literal: str) -> bool:
    return literal[0] in continues or literal.lstrip()[:1] in continues & _BRACKETS


def _kind(definition: Definition, name: str) -> str:
    field = definition.field_named[name]
    if isinstance(field, Operand):
        return "variadic" if field.variadic else "operand"
    if isinstance(field, ApIndices) or (field.type.is_list and field.type.word not in _WITHOUT_TEXT):
        return "list"
    return field.type.word


def _may_be_absent(definition: Definition, name: str) -> bool:
    field = definition.field_named[name]
    if isinstance(field, Operand):
        return field.optional
    return isinstance(field, ApIndices) or not field.required
