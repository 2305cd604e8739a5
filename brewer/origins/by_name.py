"""What a name stands for, and the lines that belong to it.

TensorCopyOp, neuron/TensorCopyOp, TensorCopyOpGen, tensor_copy   a definition
TensorCopyOp.src, .src.dtypes, .engines                           a field or a key of it
TensorCopyOp.serialize, .INFO.engines, .__init__                  a part of its class
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from brewer.load import Brewable, Instructions
from brewer.origins.answers import Answer, Line, line_of, mistake
from brewer.origins.items import keys_of_member
from brewer.origins.lines import Origin, Origins
from brewer.origins.trees import KeyPath, Located
from runtime.diagnostics import did_you_mean

_FIELD_SECTIONS = ("operands", "attributes", "ap_indices", "regions")


def find_definition(asked: str, instructions: Instructions, also: Iterable[str] = ()) -> tuple[Brewable, str]:
    """The definition that a name starts with, and what follows it: `("TensorCopyOp", "src.dtypes")`.

    Raises: DiagnosticsError, which proposes near names, those in `also` too.
    """
    table: dict[str, list[Brewable]] = {}
    for brewable in instructions.brewables:
        for name in _names_of(brewable):
            table.setdefault(name, []).append(brewable)
    words = asked.split(".")
    for length in range(len(words), 0, -1):
        found = table.get(".".join(words[:length]), [])
        if len(found) == 1:
            return found[0], ".".join(words[length:])
        if found:
            dialects = " or ".join(f"{b.definition.dialect}/{b.definition.name}" for b in found)
            raise mistake("D083", f'several dialects have "{words[0]}"', f"write {dialects}")
    near = (
        did_you_mean(asked, {*table, *also}) or did_you_mean(words[0], table) or "`brewer list` shows all definitions"
    )
    raise mistake("D083", f'no definition is called "{asked}"', near)


def _names_of(brewable: Brewable) -> set[str]:
    definition = brewable.definition
    names = {definition.name.value, f"{definition.dialect}/{definition.name}", f"{definition.name}Gen"}
    names |= {definition.wrapper.value} if definition.wrapper else set()
    return names | ({brewable.rhs.mnemonic.value} if brewable.rhs else set())


def answer_by_name(asked: str, origins: Origins) -> Answer:
    """The lines of a definition, or of a part of it.

    Raises: DiagnosticsError where nothing has that name.
    """
    brewable, member = find_definition(asked, origins.instructions)
    definition = brewable.definition
    title = f"{definition.dialect}/{definition.name}"
    located = origins.trees.definitions[definition.file]
    if not member:
        lines = origins.of_definition(brewable.definition.file)
        return Answer(title, (line_of(definition.name.place),), lines, _wrapper(brewable, origins), brewable)
    keys = _keys_of(member, brewable, located)
    generated = tuple(_generated(member, keys, brewable, origins))
    by_hand = () if generated else tuple(_hand_written(member, brewable, origins))
    entry = located.entry(keys) if keys else None
    if not generated and not by_hand and entry is None:
        known = set(_known(brewable, origins))
        help = did_you_mean(member, known) or f"`brewer where {definition.name}` lists the parts of its class"
        raise mistake("D088", f'"{definition.name}" has no part "{member}"', help)
    around = keys
    while entry and not generated and not by_hand and len(around) > 1:
        around = around[:-1]
        generated = tuple(_generated(".".join(around), around, brewable, origins))
    # The frame of a method belongs to the definition as a whole, which is worth a line only where nothing else is.
    found = [origin for origin in generated if origin.keys != ("name",)] or generated
    places = [entry.place] if entry else [origin.place for origin in found if origin.place]
    lines_of_definition = tuple(dict.fromkeys(line_of(place) for place in places))
    holder = ".".join(around) if generated and around != keys else ""
    return Answer(f"{title}.{member}", lines_of_definition, generated, by_hand, around=holder)


def _keys_of(member: str, brewable: Brewable, located: Located) -> KeyPath:
    """The keys that a name stands for: `src.dtypes`, `engines`, `operands.src`, a rule, a result."""
    first, *further = member.split(".")
    keys = keys_of_member(first, brewable.definition)
    keys = keys or next((path for path in _named_entries(first, brewable) if located.entry(path)), ())
    found = (*(keys or (first,)), *further)
    return found if located.entry(found) else ()


def _named_entries(name: str, brewable: Brewable) -> Iterator[KeyPath]:
    definition = brewable.definition
    yield from (("constraints", name) for constraint in definition.constraints if constraint.label.value == name)
    yield from (("results", name) for result in definition.results if result.name.value == name)


def _generated(member: str, keys: KeyPath, brewable: Brewable, origins: Origins) -> Iterator[Origin]:
    """The lines about the part in the class of the definition, and in those of its bases up to the one that has it."""
    for file in (brewable.definition.file, *brewable.bases):
        lines = [
            origin
            for origin in origins.of_definition(file)
            if origin.text.strip() and (_is_within(origin, member) or (keys and origin.keys[: len(keys)] == keys))
        ]
        yield from lines
        if any(_is_within(origin, member) for origin in lines) or (keys and keys[0] not in _FIELD_SECTIONS):
            return


def _is_within(origin: Origin, member: str) -> bool:
    return origin.member == member or origin.member.startswith(f"{member}.")


def _hand_written(member: str, brewable: Brewable, origins: Origins) -> Iterator[Line]:
    """The line of a class written by hand that has the part: the wrapper, a class of the runtime."""
    sources = origins.project.sources
    wrapper = brewable.definition.wrapper
    classes = [sources.wrappers[wrapper.value]] if wrapper else []
    for found in (*classes, *sources.lineage(brewable.root)):
        if member in found.members:
            yield Line(line_of(found.place).path, found.members[member])
            return


def _known(brewable: Brewable, origins: Origins) -> Iterator[str]:
    """Names of parts, for who misspelled one."""
    definition = brewable.definition
    yield from (field.name.value for field in definition.fields)
    yield from (key.name for key in origins.trees.definitions[definition.file].tree)
    yield from (origin.member for origin in origins.of_definition(brewable.definition.file) if origin.member)
    for found in origins.project.sources.lineage(brewable.root):
        yield from found.members


def _wrapper(brewable: Brewable, origins: Origins) -> tuple[Line, ...]:
    wrapper = brewable.definition.wrapper
    if wrapper is None:
        return ()
    return (line_of(origins.project.sources.wrappers[wrapper.value].place),)
