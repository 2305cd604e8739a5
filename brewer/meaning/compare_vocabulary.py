"""The words that definitions may use: which came, went or moved, and which instructions use them.

Deliberately absent: effects. What a word that went does to a text is said of the instructions that had it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from brewer.load import Instructions
from brewer.meaning.rules import Change
from brewer.model import Definition
from brewer.vocabulary import EngineMemories, Lists, Vocabulary
from runtime.diagnostics import Place

Uses = Callable[[Definition], Iterable[str]]


def compare_vocabularies(before: Instructions, now: Instructions) -> Iterator[Change]:
    old, new = before.vocabulary, now.vocabulary
    for kind, words_before, words_now, uses in _lists(old, new):
        yield from _compare_words(kind, words_before, words_now, _users(uses, before, now), None)
    yield from _compare_lists("dtype_groups", old.dtype_groups, new.dtype_groups, _users(_groups_of, before, now))
    stay = {target for target, _ in old.engines_of} & {target for target, _ in new.engines_of}
    was, is_now = (tuple(entry for entry in side.engines_of if entry[0] in stay) for side in (old, new))
    yield from _compare_lists("targets", was, is_now, {})
    yield from _compare_memories(before, now)
    yield from _compare_enums(before, now)


def _lists(old: Vocabulary, new: Vocabulary) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...], Uses]]:
    yield "dtypes", old.dtypes, new.dtypes, _dtypes_of
    yield "memories", old.memories, new.memories, _memories_of
    yield "engines", old.engines, new.engines, _engines_of
    yield "targets", old.targets, new.targets, _targets_of


def _compare_memories(before: Instructions, now: Instructions) -> Iterator[Change]:
    """What each engine reads and writes."""
    old, new = (dict(side.vocabulary.engine_memories) for side in (before, now))
    users = _users(_engines_of, before, now)
    for name in dict.fromkeys((*old, *new)):
        said = [_reach(side.get(name)) for side in (old, new)]
        if said[0] != said[1]:
            text = f"{said[0]} -> {said[1]}"
            yield Change("engine_memories_changed", f"engine {name}", text, concerns=users.get(name, ()))


def _reach(memories: EngineMemories | None) -> str:
    if memories is None:
        return "not known"
    reads, writes = (", ".join(words) or "nothing" for words in (memories.reads, memories.writes))
    return f"reads {reads}, writes {writes}"


def _compare_enums(before: Instructions, now: Instructions) -> Iterator[Change]:
    old = {enum.name.value: enum for enum in before.vocabulary.enums}
    new = {enum.name.value: enum for enum in now.vocabulary.enums}
    users = _users(_enums_of, before, now)
    for name in old:
        if name not in new:
            yield Change("word_removed", "enumeration", name, concerns=users.get(name, ()))
    for name, enum in new.items():
        concerns = users.get(name, ())
        if name not in old:
            yield Change("word_added", "enumeration", name, enum.name.place, concerns)
            continue
        of_words = {word: concerns for word in (*old[name].values, *enum.values)}
        yield from _compare_words(name, old[name].values, enum.values, of_words, enum.name.place)
        if old[name].doc != enum.doc:
            yield Change("docs_changed", name, "doc", enum.name.place)


def _compare_words(
    kind: str,
    before: tuple[str, ...],
    now: tuple[str, ...],
    users: Mapping[str, tuple[str, ...]],
    place: Place | None,
) -> Iterator[Change]:
    known, left = set(before), set(now)
    for word in before:
        if word not in left:
            yield Change("word_removed", kind, word, place, users.get(word, ()))
    for word in now:
        if word not in known:
            yield Change("word_added", kind, word, place, users.get(word, ()))
    order_before, order_now = [w for w in before if w in left], [w for w in now if w in known]
    if order_before != order_now:
        yield Change("words_reordered", kind, "the same words in another order", place)


def _compare_lists(kind: str, old: Lists, new: Lists, users: Mapping[str, tuple[str, ...]]) -> Iterator[Change]:
    """Words that each stand for a list."""
    before, now = dict(old), dict(new)
    for name in before:
        if name not in now:
            yield Change("word_removed", kind, name, concerns=users.get(name, ()))
    for name, words in now.items():
        if name not in before:
            yield Change("word_added", kind, name, concerns=users.get(name, ()))
            continue
        parts = [f"also {word}" for word in words if word not in before[name]]
        parts += [f"no longer {word}" for word in before[name] if word not in words]
        if parts:
            yield Change("group_changed", f"{kind} {name}", ", ".join(parts), concerns=users.get(name, ()))


def _users(uses: Uses, before: Instructions, now: Instructions) -> Mapping[str, tuple[str, ...]]:
    """For each word the definitions that use it, on either side, sorted."""
    found: dict[str, set[str]] = {}
    for definition in (*before.definitions, *now.definitions):
        for word in uses(definition):
            found.setdefault(word, set()).add(f"{definition.dialect}/{definition.name}")
    return {word: tuple(sorted(names)) for word, names in found.items()}


def _dtypes_of(definition: Definition) -> list[str]:
    words = _groups_of(definition)
    words += [str(result.dtype) for result in definition.results if result.dtype]
    for attribute in (attribute for attribute in definition.attributes if attribute.type.word == "dtype"):
        value = attribute.default.value if attribute.default else ()
        words += map(str, (*attribute.one_of, *(value if isinstance(value, tuple) else (value,))))
    return words


def _memories_of(definition: Definition) -> list[str]:
    return [*definition.dst.memory, *(memory for operand in definition.operands for memory in operand.memory)]


def _targets_of(definition: Definition) -> list[str]:
    return [target for target, _ in definition.engines.by_target]


def _groups_of(definition: Definition) -> list[str]:
    words = [dtype for result in definition.results for dtype in result.dtypes]
    ports = [port for region in definition.regions for port in (*region.takes, *(region.yields or ()))]
    words += [dtype for port in ports for dtype in port.dtypes]
    return [*words, *definition.dst.dtypes, *(dtype for operand in definition.operands for dtype in operand.dtypes)]


def _engines_of(definition: Definition) -> list[str]:
    engines = definition.engines
    return [
        *engines.legal,
        *(engine for _, legal in engines.by_target for engine in legal),
        *filter(None, [engines.hint]),
    ]


def _enums_of(definition: Definition) -> list[str]:
    return [attribute.type.enum for attribute in definition.attributes if attribute.type.enum]
