"""Results, the destination, regions, and what a caller of the constructor gives by position."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from brewer.meaning.allowed import change_of
from brewer.meaning.compare_operands import expanded
from brewer.meaning.rules import Change
from brewer.meaning.sides import Sides
from brewer.model import Definition, Port, Result, Text


def compare_results(sides: Sides) -> Iterator[Change]:
    old, new = sides.definitions
    place = new.results[0].name.place if new.results else new.name.place
    said = f"{_how_many(old)} -> {_how_many(new)}"
    was_open, is_open = (any(result.variadic for result in side.results) for side in (old, new))
    if is_open and not was_open:
        yield Change("results_now_variadic", "results", said, place)
    elif _only_gained_optional_ones(old, new):
        for result in new.results[len(old.results) :]:
            yield Change("optional_result_added", f'result "{result.name}"', "", result.name.place)
    elif was_open != is_open or len(old.results) != len(new.results):
        rule = "number_of_results_changed" if new.has_many_results else "results_refused"
        yield Change(rule, "results", said, place)
    elif not is_open:
        for before, now in zip(old.results, new.results, strict=True):
            yield from _compare(before, now, sides)
    yield from _compare_destination(sides)


def _only_gained_optional_ones(old: Definition, new: Definition) -> bool:
    """Whether the results of before are there in their places, and those behind them may be absent."""
    n_old = len(old.results)
    names = [[result.name.value for result in side.results[:n_old]] for side in (old, new)]
    further = new.results[n_old:]
    return bool(old.results and further) and names[0] == names[1] and all(result.optional for result in further)


def _compare_destination(sides: Sides) -> Iterator[Change]:
    """What may be written, and whether it is read, too."""
    if not (sides.was_in_memory and sides.is_in_memory):
        return
    old, new = (definition.dst for definition in sides.definitions)
    place = new.place or sides.now.definition.name.place
    if old.use != new.use:
        yield Change(f"dst_now_{new.use}", "dst", f"{old.use} -> {new.use}", place)
    words = ((old.dtypes, sides.words_before), (new.dtypes, sides.words_now))
    dtypes = [expanded(names, vocabulary) for names, vocabulary in words]
    for what, before, now in (("memory", old.memory, new.memory), ("dtypes", *dtypes)):
        change = change_of(before, now)
        if change:
            yield Change("dst_narrowed" if change.narrowed else "dst_widened", "dst", f"{what} {change.said}", place)
    was = sides.name_now(str(old.accumulates)) if isinstance(old.accumulates, Text) else str(old.accumulates).lower()
    is_now = str(new.accumulates) if isinstance(new.accumulates, Text) else str(new.accumulates).lower()
    if was != is_now:
        yield Change("dst_accumulates_changed", "dst", f"accumulates: {was} -> {is_now}", place)


def compare_regions(sides: Sides) -> Iterator[Change]:
    yield from _compare_ports(sides)
    old, new = ([region.name.value for region in side.regions] for side in sides.definitions)
    if old == new:
        return
    place = sides.now.definition.regions[0].name.place if new else sides.now.definition.name.place
    renamed = [(before, now) for before, now in zip(old, new, strict=False) if before != now]
    if len(old) == len(new) and not set(old).intersection(now for _, now in renamed):
        for before, now in renamed:
            yield Change("region_renamed", f'region "{now}"', f'was "{before}"', place)
        return
    for name in (name for name in old if name not in new):
        yield Change("region_removed", f'region "{name}"', "")
    for name in (name for name in new if name not in old):
        yield Change("region_added", f'region "{name}"', "", place)
    if [name for name in old if name in new] != [name for name in new if name in old]:
        yield Change("regions_moved", "regions", f"{', '.join(old)} -> {', '.join(new)}", place)


def _compare_ports(sides: Sides) -> Iterator[Change]:
    """What the regions that stay receive and hand out, and how often they run."""
    old, new = ({region.name.value: region for region in side.regions} for side in sides.definitions)
    for name, now in new.items():
        before = old.get(name)
        if before is None:
            continue
        subject, place = f'region "{name}"', now.name.place
        if before.runs != now.runs:
            yield Change("region_runs_changed", subject, f"runs {before.runs} -> {now.runs}", place)
        renamed = dict(sides.names)
        for what, was, is_now in (("takes", before.takes, now.takes), ("yields", before.yields, now.yields)):
            if _ports(was, renamed) != _ports(is_now, {}):
                yield Change("region_ports_changed", subject, f"other values in `{what}`", place)
            elif [str(port.name) for port in was or ()] != [str(port.name) for port in is_now or ()]:
                yield Change("result_renamed", subject, f"other names in `{what}`", place)


def _ports(ports: Sequence[Port] | None, names: Mapping[str, str]) -> object:
    """What a region receives or hands out, with the names of fields of now."""
    if ports is None:
        return None

    def named(name: Text | None) -> str:
        return names.get(str(name), str(name))

    return [(named(p.same_as), named(p.item_of), named(p.along), p.dtypes, p.rank) for p in ports]


def compare_constructor(sides: Sides) -> Iterator[Change]:
    """Arguments by position reach the same parameters only where new ones came last, and need not be given."""
    old, new = sides.definitions
    required, optional = ([sides.name_now(name) for name in names] for names in (_required(old), _optional(old)))
    before, now = [*required, *optional], [*_required(new), *_optional(new)]
    if now[: len(before)] != before or len(_required(new)) > len(required):
        was, is_now = _arguments(required, optional), _arguments(_required(new), _optional(new))
        yield Change("constructor_changed", "arguments by position", f"{was} -> {is_now}", new.name.place)


def _compare(before: Result, now: Result, sides: Sides) -> Iterator[Change]:
    subject, place = f'result "{now.name}"', now.name.place
    if before.name.value != now.name.value:
        yield Change("result_renamed", subject, f'was "{before.name}"', place)
    old = _rule(before, sides.before.definition, sides.names)
    new = _rule(now, sides.now.definition, {})
    if old != new:
        rule = "result_rule_changed" if old and new else "result_rule_added" if new else "result_rule_removed"
        given = "given by the caller"
        yield Change(rule, subject, f"{old or given} -> {new or given}", place)
    if before.optional != now.optional:
        said = "optional -> required" if before.optional else "required -> optional"
        yield Change("result_now_optional" if now.optional else "result_now_required", subject, said, place)
    if before.precision != now.precision:
        said = f"precision {before.precision or 'any'} -> {now.precision or 'any'}"
        yield Change("result_precision_changed", subject, said, place)
    dtypes = (expanded(before.dtypes, sides.words_before), expanded(now.dtypes, sides.words_now))
    for what, was, is_now in (("dtypes", *dtypes), ("rank", before.rank, now.rank)):
        change = change_of(was, is_now)
        if change:
            kind = "result_narrowed" if change.narrowed else "result_widened"
            yield Change(kind, subject, f"{what} {change.said}", place)
    if before.free_dtype != now.free_dtype:
        free = "the caller may choose its data type"
        rule, said = ("result_dtype_free", free) if now.free_dtype else ("result_dtype_fixed", f"no longer: {free}")
        yield Change(rule, subject, said, place)


def _rule(result: Result, definition: Definition, names: Mapping[str, str]) -> str:
    """How the type of a result follows, with the names of now; empty where the caller gives it."""

    def named(name: Text) -> str:
        return names.get(name.value, name.value)

    if result.same_as:
        return f"the type of {named(result.same_as)}"
    dtype = f" with dtype {named(result.dtype)}" if result.dtype else ""
    if result.infer:
        return f"by {result.infer}{dtype}"
    if result.shape is None or result.dtype is None:
        return ""
    if isinstance(result.shape, Text):
        return f"{named(result.dtype)}, shape of {named(result.shape)}"
    extents = _extents(definition, names)
    return f"{named(result.dtype)}, [{', '.join(extents.get(str(dim), str(dim)) for dim in result.shape)}]"


def _extents(definition: Definition, names: Mapping[str, str]) -> Mapping[str, str]:
    """What a letter stands for: the extent that binds it, whatever the letter is."""
    extents: dict[str, str] = {}
    for operand in definition.operands:
        for index, dim in enumerate(operand.shape or ()):
            if isinstance(dim, str) and not operand.optional and not operand.variadic:
                extents.setdefault(dim, f"{names.get(operand.name.value, operand.name.value)}.shape[{index}]")
    return extents


def _how_many(definition: Definition) -> str:
    if any(result.variadic for result in definition.results):
        return "any number"
    return str(len(definition.results)) if definition.has_many_results else "one" if definition.results else "none"


def _required(definition: Definition) -> list[str]:
    """What the constructor takes first, in order (brewer/constructor_view.py)."""
    operands = [operand.name.value for operand in definition.operands if not operand.optional]
    return operands + [attribute.name.value for attribute in definition.attributes if attribute.required]


def _arguments(required: list[str], optional: list[str]) -> str:
    """Those that may be left out stand in brackets."""
    return ", ".join([*required, *(f"[{name}]" for name in optional)]) or "none"


def _optional(definition: Definition) -> list[str]:
    """What may be given by position after that."""
    optional = [operand.name.value for operand in definition.operands if operand.optional]
    return optional + [indices.name.value for indices in definition.ap_indices]
