"""Attributes and lists of indices: which there are, what they hold, and what it means to leave one out."""

from __future__ import annotations

from collections.abc import Iterator

from brewer.attribute_values import shown
from brewer.meaning.allowed import change_of
from brewer.meaning.older_records import default_of, is_known_before, why_records_differ
from brewer.meaning.rules import Change
from brewer.meaning.sides import Sides, pairs_of
from brewer.model import ApIndices, Attribute, AttributeType
from runtime.diagnostics import Place

# Types of which a record has the values in one way.
_TYPE_RULES = {
    ("int", "float"): "int_became_float",
    ("float", "int"): "type_narrowed",
    ("enum", "str"): "enum_became_str",
    ("str", "enum"): "type_narrowed",
}
# Rules for what a record means that leaves an attribute out, which `before` can say.
_OF_OLDER_RECORDS = frozenset(
    ("default_changed", "default_of_shown_changed", "default_removed", "default_of_shown_removed")
)


def compare_attributes(sides: Sides) -> Iterator[Change]:
    old, new = sides.definitions
    partners = set(sides.names.values())
    for attribute in old.attributes:
        if attribute.name.value not in sides.names:
            yield Change("attribute_removed", _subject(attribute), described(attribute))
    for attribute in new.attributes:
        if attribute.name.value not in partners:
            yield Change(
                _rule_of_new(attribute, sides), _subject(attribute), described(attribute), attribute.name.place
            )
    for before, now in pairs_of(old.attributes, new.attributes, sides.names):
        yield from _names(before, now, sides)
        yield from _compare(before, now, sides)


def compare_indices(sides: Sides) -> Iterator[Change]:
    old, new = sides.definitions
    partners = set(sides.names.values())
    for indices in old.ap_indices:
        if indices.name.value not in sides.names:
            yield Change("indices_removed", f'index list "{indices.name}"', "")
    for indices in new.ap_indices:
        if indices.name.value not in partners:
            yield Change("indices_added", f'index list "{indices.name}"', "", indices.name.place)
    for before, now in pairs_of(old.ap_indices, new.ap_indices, sides.names):
        yield from _names(before, now, sides)


def compare_names_in_dictionaries(sides: Sides) -> Iterator[Change]:
    """Fields that texts show by name: another name, or another order."""
    old, new = sides.definitions
    was_shown, is_shown = sides.shown
    here = {field.name.value: field for field in new.fields}
    order_before = [f.name.value for f in old.fields if f.name.value in sides.names and f.name.value not in was_shown]
    order_before = [name for name in order_before if sides.names[name] not in is_shown]
    for name in order_before:
        field = here[sides.names[name]]
        if field.name.value != name:
            yield Change("name_in_dictionary_changed", f'field "{field.name}"', f'was "{name}"', field.name.place)
    stay = {sides.names[name] for name in order_before}
    order_now = [field.name.value for field in new.fields if field.name.value in stay]
    moved = [sides.names[name] for name in order_before]
    if moved != order_now:
        said = f"{', '.join(moved)} -> {', '.join(order_now)}"
        yield Change("dictionary_reordered", "trailing dictionary", said, here[order_now[0]].name.place)


def described(attribute: Attribute) -> str:
    """What a reviewer wants to know of an attribute that came or went."""
    return ", ".join([str(attribute.type), _left_out(attribute), *filter(None, [_bounds(attribute)])])


def _subject(attribute: Attribute) -> str:
    return f'attribute "{attribute.name}"'


def _rule_of_new(attribute: Attribute, sides: Sides) -> str:
    old, new = sides.definitions
    if not attribute.required:
        return "attribute_added"
    is_known = is_known_before(new, attribute, old.version)
    return "required_attribute_added_since" if is_known else "required_attribute_added"


def _names(before: Attribute | ApIndices, now: Attribute | ApIndices, sides: Sides) -> Iterator[Change]:
    if before.name.value != now.name.value:
        stated = before.name.value in sides.renamed_by_rule
        rule = "attribute_renamed_in_records" if stated else "attribute_renamed"
        kind = "attribute" if isinstance(now, Attribute) else "index list"
        yield Change(rule, f'{kind} "{now.name}"', f'was "{before.name}"', now.name.place)


def _compare(before: Attribute, now: Attribute, sides: Sides) -> Iterator[Change]:
    subject, place = _subject(now), now.name.place
    rule = _type_rule(before.type, now.type)
    if rule:
        yield Change(rule, subject, f"type {before.type} -> {now.type}", place)
    left_out = _left_out_rule(before, now, sides)
    reason = why_records_differ(before, now, sides)
    if reason and left_out not in _OF_OLDER_RECORDS:
        yield Change("older_value_changed", subject, reason, place)
    elif left_out in _OF_OLDER_RECORDS and not reason:
        left_out = f"{left_out}_since"
    if left_out:
        yield Change(left_out, subject, f"{_left_out(before)} -> {_left_out(now)}", place)
    if before.type.word == now.type.word or rule == "int_became_float":
        yield from _compare_values(before, now, subject, place)


def _type_rule(before: AttributeType, now: AttributeType) -> str:
    if before.is_list != now.is_list:
        return "type_changed"
    if before.word == now.word:
        return "enum_renamed" if before.enum != now.enum else ""
    return _TYPE_RULES.get((before.word, now.word), "type_changed")


def _left_out_rule(before: Attribute, now: Attribute, sides: Sides) -> str:
    """The rule for what it means to leave the attribute out; None stands for itself, and is a value like any other."""
    is_shown = sides.is_always_shown(before.name.value)
    if before.required or now.required:
        if before.required == now.required:
            return ""
        if before.required:
            return "default_added_to_shown" if is_shown else "default_added"
        return "default_of_shown_removed" if is_shown and not before.optional else "default_removed"
    if default_of(before) == default_of(now):
        return ""
    return "default_of_shown_changed" if is_shown and not before.optional else "default_changed"


def _compare_values(before: Attribute, now: Attribute, subject: str, place: Place) -> Iterator[Change]:
    """The values that are legal. Words of an enumeration are refused by readers, numbers by the verifier."""
    is_enum = now.type.word == "enum"
    words = change_of(_choices(before), _choices(now))
    if words:
        rules = ("words_added", "words_removed") if is_enum else ("bounds_widened", "bounds_narrowed")
        yield Change(rules[words.narrowed], subject, f"{'words' if is_enum else 'one of'} {words.said}", place)
    limits = (before.min, before.max, before.multiple_of), (now.min, now.max, now.multiple_of)
    if limits[0] != limits[1]:
        narrowed = _is_narrower(before, now)
        said = f"{_bounds(before, choices=False) or 'any'} -> {_bounds(now, choices=False) or 'any'}"
        yield Change("bounds_narrowed" if narrowed else "bounds_widened", subject, said, place)


def _choices(attribute: Attribute) -> tuple[object, ...]:
    return attribute.one_of or attribute.type.values


def _is_narrower(before: Attribute, now: Attribute) -> bool:
    low = now.min is not None and (before.min is None or now.min > before.min)
    high = now.max is not None and (before.max is None or now.max < before.max)
    return low or high or bool(now.multiple_of and (before.multiple_of or 1) % now.multiple_of)


def _bounds(attribute: Attribute, *, choices: bool = True) -> str:
    parts = [f"at least {attribute.min}"] * (attribute.min is not None)
    parts += [f"at most {attribute.max}"] * (attribute.max is not None)
    parts += [f"a multiple of {attribute.multiple_of}"] * (attribute.multiple_of is not None)
    parts += [f"one of {', '.join(map(shown, attribute.one_of))}"] * bool(attribute.one_of and choices)
    return ", ".join(parts)


def _left_out(attribute: Attribute) -> str:
    if attribute.default is None:
        return "optional" if attribute.optional else "required"
    return f"by default {shown(attribute.default.value)}"
