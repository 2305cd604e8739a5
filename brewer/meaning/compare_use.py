"""What engines, passes and the interpreter do with an instruction, and what people read of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from brewer.definition_keys import FACTS
from brewer.info_view import capabilities
from brewer.meaning.allowed import Allowed, change_of
from brewer.meaning.rules import Change
from brewer.meaning.sides import Sides
from brewer.model import Definition, Fact
from runtime.diagnostics import listed


def compare_use(sides: Sides) -> Iterator[Change]:
    """Engines, capabilities, facts for the precision passes, semantics and wrapper."""
    old, new = sides.definitions
    yield from _compare_engines(sides)
    place = new.name.place
    for name in sorted(capabilities(old) ^ capabilities(new)):
        yield Change(
            "capability_changed", f"capability {name}", "gained" if name in capabilities(new) else "lost", place
        )
    if old.op_kind != new.op_kind:
        yield Change("op_kind_changed", "op_kind", f"{old.op_kind or 'none'} -> {new.op_kind or 'none'}", place)
    facts_before, facts_now = dict(old.facts), dict(new.facts)
    for name in FACTS:
        before, now = _fact(facts_before.get(name, False), sides.names), _fact(facts_now.get(name, False), {})
        if before != now:
            yield Change("fact_changed", name, f"{before} -> {now}", place)
    was, now_named = (str(side.semantics or "none") for side in sides.definitions)
    if was != now_named:
        rule = (
            "semantics_added" if was == "none" else "semantics_removed" if now_named == "none" else "semantics_changed"
        )
        yield Change(rule, "semantics", f"{was} -> {now_named}", new.semantics.place if new.semantics else place)
    wrappers = [str(side.wrapper or "none") for side in sides.definitions]
    if wrappers[0] != wrappers[1]:
        said = f"{wrappers[0]} -> {wrappers[1]}"
        yield Change("wrapper_changed", "wrapper", said, new.wrapper.place if new.wrapper else place)


def compare_docs(sides: Sides) -> Iterator[Change]:
    """What only people read."""
    old, new = sides.definitions
    if old.deprecated != new.deprecated:
        yield Change("deprecated", "deprecated", new.deprecated or "no longer", new.name.place)
    parts = ("summary", "doc", "source", "since")
    changed = [part for part in parts if getattr(old, part) != getattr(new, part)]
    changed += ["examples"] * ([str(e) for e in old.examples] != [str(e) for e in new.examples])
    docs_before = {sides.name_now(name): doc for name, doc in _docs(old).items()}
    changed += [f"doc of {name}" for name, doc in _docs(new).items() if docs_before.get(name, doc) != doc]
    if changed:
        yield Change("docs_changed", "documentation", ", ".join(changed), new.name.place)


def _docs(definition: Definition) -> Mapping[str, str]:
    described = (*definition.fields, *definition.results, *definition.regions)
    return {found.name.value: found.doc for found in described}


def _compare_engines(sides: Sides) -> Iterator[Change]:
    old, new = sides.definitions
    place = new.engines.place or new.name.place
    hints = [side.engines.hint or "none" for side in sides.definitions]
    if hints[0] != hints[1]:
        yield Change("engine_hint_changed", "engine", f"{hints[0]} -> {hints[1]}", place)
    general = change_of(old.engines.legal, new.engines.legal)
    changes = {target: change_of(_legal_on(target, old), _legal_on(target, new)) for target in _targets(sides)}
    if general:
        same = [target for target, change in changes.items() if change is None]
        yield _engines("engines", general, sides, f'; as before on {listed(same, "and")}' if same else "")
    for target, change in changes.items():
        if change and change != general:
            yield _engines(f"engines on {target}", change, sides)


def _engines(subject: str, change: Allowed, sides: Sides, more: str = "") -> Change:
    new = sides.now.definition
    rule = "engines_narrowed" if change.narrowed else "engines_widened"
    return Change(rule, subject, f"{change.said}{more}", new.engines.place or new.name.place)


def _targets(sides: Sides) -> tuple[str, ...]:
    known = (*sides.words_before.targets, *sides.words_now.targets)
    return tuple(dict.fromkeys(known))


def _legal_on(target: str, definition: Definition) -> tuple[str, ...]:
    return dict(definition.engines.by_target).get(target, definition.engines.legal)


def _fact(fact: Fact, names: Mapping[str, str]) -> str:
    if isinstance(fact, bool):
        return str(fact).lower()
    parts = []
    for part in fact:
        attribute = names.get(part.attribute.value, part.attribute.value)
        parts.append(f"where {attribute} is {listed(sorted(map(str, part.values)), 'or')}")
    return " or ".join(parts) or "false"
