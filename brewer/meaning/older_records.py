"""What records mean that leave an attribute out, version by version, on both sides of a comparison."""

from __future__ import annotations

from typing import Final

from brewer.attribute_values import shown
from brewer.meaning.sides import Sides
from brewer.model import Attribute, Definition

_REFUSED: Final = object()  # an attribute that the records of a version cannot leave out


def is_known_before(definition: Definition, attribute: Attribute, version: int) -> bool:
    """Whether a record of a version, or of an older one, may leave the attribute out."""
    return _left_out(definition, attribute, version) is not _REFUSED


def why_records_differ(before: Attribute, now: Attribute, sides: Sides) -> str:
    """How records of before that leave the attribute out are read to another meaning; empty where they are not."""
    old, new = sides.definitions
    firsts = {older.version for side in sides.definitions for older in side.before}
    for version in sorted({old.version, *(first - 1 for first in firsts if first <= old.version)}):
        meant = _left_out(old, before, version)
        means = _left_out(new, now, version)
        if meant is not _REFUSED and meant != means:
            return f"left out in version {version}: {_said(meant)} -> {_said(means)}"
    return ""


def default_of(attribute: Attribute) -> object:
    """The default as texts tell it from others: 1 and 1.0 are one number, 0.0 and -0.0 are two."""
    return _as_told(attribute.default.value) if attribute.default else None


def _left_out(definition: Definition, attribute: Attribute, version: int) -> object:
    for older in definition.older_values.get(attribute.name.value, ()):
        if version < older.version:
            return _as_told(older.value)
    return _REFUSED if attribute.required else default_of(attribute)


def _said(left_out: object) -> str:
    return "a mistake" if left_out is _REFUSED else "none" if left_out is None else shown(left_out)


def _as_told(value: object) -> object:
    return tuple(map(_number, value)) if isinstance(value, tuple) else _number(value)


def _number(value: object) -> object:
    if not isinstance(value, float):
        return value
    return int(value) if value.is_integer() and repr(value) != "-0.0" else repr(value)
