"""Records: the version, the names that older records had, and what is written although it follows from the rest."""

from __future__ import annotations

from collections.abc import Iterator

from brewer.attribute_values import shown
from brewer.bir_views import bir_fields
from brewer.meaning.rules import Change
from brewer.meaning.sides import Sides
from brewer.model import Definition


def compare_records(sides: Sides) -> Iterator[Change]:
    old, new = sides.definitions
    place = new.name.place
    if old.version != new.version:
        rule = "version_raised" if new.version > old.version else "version_lowered"
        yield Change(rule, "version", f"{old.version} -> {new.version}", place)
    before, now = (_renames(side) for side in sides.definitions)
    for version, name, later in sorted(before - now):
        yield Change("rename_removed", "renames", f"{version}: {name} -> {later}", place)
    for version, name, later in sorted(now - before):
        yield Change("rename_added", "renames", f"{version}: {name} -> {later}", place)
    yield from _older_values(sides)
    derived_before, derived_now = (_derived(side) for side in sides.definitions)
    for name in derived_before:
        if name not in derived_now:
            yield Change("derived_field_removed", f'derived field "{name}"', "")
    for name in derived_now:
        if name not in derived_before:
            yield Change("derived_field_added", f'derived field "{name}"', "", place)
    order_before = [sides.name_now(entry.name.value) for entry in bir_fields(old)]
    order_now = [entry.name.value for entry in bir_fields(new)]
    moved = [name for name in order_now if name in order_before]
    if moved != [name for name in order_before if name in order_now] and _operands_stay(sides):
        yield Change("record_reordered", "serialize", f"the order is {', '.join(order_now)}", place)


def _renames(definition: Definition) -> frozenset[tuple[int, str, str]]:
    return frozenset((rename.version, rename.old.value, rename.new.value) for rename in definition.renames)


def _older_values(sides: Sides) -> Iterator[Change]:
    """What `before` states; what its entries mean is judged of each attribute (compare_attributes.py)."""
    old, new = (
        {(each.version, each.name.value, shown(each.value)): each.name.place for each in side.before}
        for side in sides.definitions
    )
    for version, name, value in sorted(old.keys() - new.keys()):
        yield Change("older_value_removed", "before", f"{version}: {name} is {value}", sides.now.definition.name.place)
    for version, name, value in sorted(new.keys() - old.keys()):
        yield Change("older_value_added", "before", f"{version}: {name} is {value}", new[version, name, value])


def _derived(definition: Definition) -> tuple[str, ...]:
    fields = {field.name.value for field in definition.fields}
    return tuple(entry.name.value for entry in definition.serialize if entry.name.value not in fields)


def _operands_stay(sides: Sides) -> bool:
    """Where they moved, that is said of them."""
    old, new = sides.definitions
    before = [sides.name_now(operand.name.value) for operand in old.operands]
    return before == [operand.name.value for operand in new.operands]
