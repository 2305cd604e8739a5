"""The printed form: whether a form of now reads what a form of before has printed.

The parser skips white space and never looks back, so the two forms are walked side by side. What came is passed by if
it is an optional group of a field that texts of before cannot show; what went is missed. That such a group begins with
a word that nothing after it begins with is a rule of every form (D041), so it is not taken for what stands there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from brewer.meaning.rules import Change
from brewer.meaning.sides import Sides
from brewer.rhs_grammar import Group, Literal, Placeholder, Rhs

_WORD_OR_SIGN = re.compile(r"[A-Za-z0-9_]+|[^A-Za-z0-9_\s]")


@dataclass(frozen=True, slots=True)
class _Field:
    name: str

    def __str__(self) -> str:
        return f"{{{self.name}}}"


@dataclass(frozen=True, slots=True)
class _Group:
    parts: tuple[str | _Field, ...]
    field: str

    def __str__(self) -> str:
        return f"(? {' '.join(map(str, self.parts))})"


_Part = str | _Field | _Group


def compare_form(sides: Sides) -> Iterator[Change]:
    old, new = sides.before.rhs, sides.now.rhs
    if old is None or new is None:
        return
    before, now = _written(old, sides.names), _written(new, {})
    if before == now:
        return
    place = new.mnemonic.place
    reason = _why_refused(_parts(old, sides.names), _parts(new, {}), sides)
    if reason:
        yield Change("form_refuses", "form", reason, place)
        return
    added = _new_groups(sides, new)
    unchanged = _written(Rhs(new.mnemonic, _parts_printed(sides, new, added)), {}) == before
    for group in added:
        yield Change("form_reads", "form", f"also {_group(group, {})}", group.place)
    if not unchanged:
        yield Change("form_prints_differently", "form", f'"{before}" -> "{now}"', place)
    elif not added:
        yield Change("form_may_vanish", "form", f'"{before}" -> "{now}"', place)


def _why_refused(before: list[_Part], now: list[_Part], sides: Sides) -> str:
    """Where a text of before is not what the parser of now expects; empty where it is read to the end."""
    fields_before = {sides.name_now(field.name.value) for field in sides.before.definition.fields}
    here = there = 0
    while here < len(before) or there < len(now):
        expected = now[there] if there < len(now) else None
        if here < len(before) and before[here] == expected:
            here, there = here + 1, there + 1
        elif isinstance(expected, _Group) and before[here : here + len(expected.parts)] == list(expected.parts):
            here, there = here + len(expected.parts), there + 1  # it was always there, and may vanish now
        elif isinstance(expected, _Group) and expected.field not in fields_before:
            there += 1
        elif isinstance(expected, _Group) and not _stands_in(expected.field, before[here:]):
            return f'"{expected.field}" stood in the trailing dictionary, and stands in the form now'
        else:
            found = before[here] if here < len(before) else None
            return f"{_named(found)} stood where {_named(expected)} is expected"
    return ""


def _named(part: _Part | None) -> str:
    return "nothing" if part is None else f'"{part}"' if isinstance(part, str) else str(part)


def _stands_in(field: str, parts: list[_Part]) -> bool:
    return any(part == _Field(field) or (isinstance(part, _Group) and part.field == field) for part in parts)


def _new_groups(sides: Sides, form: Rhs) -> list[Group]:
    """The groups of fields that programs of before do not have, so they vanish there."""
    partners = set(sides.names.values())
    return [part for part in form.parts if isinstance(part, Group) and part.fields[0].field not in partners]


def _parts_printed(sides: Sides, form: Rhs, added: list[Group]) -> tuple[Literal | Placeholder | Group, ...]:
    """The form in programs of before: without the groups that came, and with those that cannot vanish there."""
    always = {sides.name_now(name) for name in sides.always_shown[0]}
    parts: list[Literal | Placeholder | Group] = []
    for part in form.parts:
        if isinstance(part, Group) and part.fields[0].field in always:
            parts += part.parts
        elif part not in added:
            parts.append(part)
    return tuple(parts)


def _parts(form: Rhs, names: Mapping[str, str]) -> list[_Part]:
    parts: list[_Part] = []
    for part in form.parts:
        if isinstance(part, Group):
            parts.append(_group(part, names))
        else:
            parts += _pieces(part, names)
    return parts


def _group(group: Group, names: Mapping[str, str]) -> _Group:
    pieces = tuple(piece for part in group.parts for piece in _pieces(part, names))
    return _Group(pieces, _name(group.fields[0], names))


def _pieces(part: Literal | Placeholder, names: Mapping[str, str]) -> list[str | _Field]:
    return [*_WORD_OR_SIGN.findall(part.text)] if isinstance(part, Literal) else [_Field(_name(part, names))]


def _written(form: Rhs, names: Mapping[str, str]) -> str:
    """The form without its mnemonic, with the names of now."""
    return "".join(
        (
            f"(?{''.join(_piece(inner, names) for inner in part.parts)})"
            if isinstance(part, Group)
            else _piece(part, names)
        )
        for part in form.parts
    ).strip()


def _piece(part: Literal | Placeholder, names: Mapping[str, str]) -> str:
    return part.text if isinstance(part, Literal) else f"{{{_name(part, names)}}}"


def _name(placeholder: Placeholder, names: Mapping[str, str]) -> str:
    return names.get(placeholder.field, placeholder.field)
