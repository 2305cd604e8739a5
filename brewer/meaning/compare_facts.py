"""Facts about foreign operators: which operator, since which version of the operator set, what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from brewer.meaning.rules import Change
from brewer.read_facts import FactsDocument, OperatorFacts, VersionFacts

_Operators = Mapping[tuple[str, str], OperatorFacts]


def compare_facts(before: Iterable[FactsDocument], now: Iterable[FactsDocument]) -> Iterator[Change]:
    old, new = _operators(before), _operators(now)
    for key in sorted({*old, *new}):
        subject = " ".join(key)
        if key not in new:
            yield Change("operator_removed", subject, _versions(old[key]))
        elif key not in old:
            yield Change("operator_added", subject, _versions(new[key]), new[key].name.place)
        else:
            yield from _compare(subject, old[key], new[key])


def _operators(documents: Iterable[FactsDocument]) -> _Operators:
    return {(f"{d.dialect}/{d.domain}", o.name.value): o for d in documents for o in d.operators}


def _versions(operator: OperatorFacts) -> str:
    return f"since {', '.join(str(version.since) for version in operator.versions)}"


def _compare(subject: str, before: OperatorFacts, now: OperatorFacts) -> Iterator[Change]:
    old, new = ({version.since: version for version in side.versions} for side in (before, now))
    place = now.name.place
    for since in sorted({*old, *new}):
        where = f"{subject} since {since}"
        if since not in new:
            yield Change(
                "operator_changed", where, "no longer stated: what is said of the version before it holds", place
            )
        elif since not in old:
            yield Change("operator_changed", where, f"stated: {', '.join(_parts(new[since]).values())}", place)
        else:
            parts = _differences(_parts(old[since]), _parts(new[since]))
            if parts:
                yield Change("operator_changed", where, ", ".join(parts), place)


def _parts(version: VersionFacts) -> Mapping[str, str]:
    """Everything that is said, each under what it is about."""
    parts = {"op_kind": version.op_kind}
    for kind, slots in (("operand", version.operands), ("result", version.results)):
        parts.update({f"{kind} {slot.at}": f"{slot.name} ({kind} {slot.at}) is {slot.precision}" for slot in slots})
    for one in version.attributes:
        default = "" if one.default is None else f", by default {one.default:g}"
        added = "" if one.added_to is None else f", added to operand {one.added_to}"
        parts[f"attribute {one.name}"] = f"attribute {one.name} is {one.precision}{default}{added}"
    words = {"computes": version.computes, "regions": version.regions}
    parts.update({name: f"{name} {word}" for name, word in words.items() if word})
    return parts | {name: name for name in version.holding}


def _differences(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    parts = [f"{before[what]} -> {said}" for what, said in now.items() if what in before and before[what] != said]
    parts += [f"also {said}" for what, said in now.items() if what not in before]
    return parts + [f"no longer {said}" for what, said in before.items() if what not in now]
