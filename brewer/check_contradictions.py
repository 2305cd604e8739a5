"""Constraints of a definition that nothing can satisfy together.

    at_most: [n, 4]  and  at_least: [n, 8]          a term beside numbers
    equal: [a, b]    and  not_equal: [b, a]         two terms beside each other
    exactly_one: [a, b]  and  together: [a, b, c]   optional fields beside each other

What a field says of itself (`min`, `max`, `one_of`, `rank`, `shape`) counts as a constraint, too. Deliberately absent:
chains over three terms and more, and pairs of which each holds only where another optional field is present.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from brewer.frozen import frozen
from brewer.model import Attribute, Constraint, Definition, FieldTerm, Operand, Presence, Text
from brewer.problems import Problems
from runtime.diagnostics import Note, either, listed

_FLIPPED = {"less": "greater", "at_most": "at_least", "at_least": "at_most", "equal": "equal", "not_equal": "not_equal"}
# What a relation leaves of the three ways in which two terms may be ordered.
_ORDERS = {"equal": "=", "not_equal": "<>", "less": "<", "greater": ">", "at_most": "<=", "at_least": "=>"}


@frozen
class _Claim:
    """What something says of a term: a range, a number that it is not, or one that it is a multiple of."""

    label: Text
    words: str
    low: float = -math.inf
    high: float = math.inf
    unequal: int | None = None
    step: int = 1


@frozen
class _Order:
    """In which ways a constraint lets two terms be ordered."""

    label: Text
    ways: frozenset[str]


@frozen
class _Room:
    """What claims leave of a term: the tightest of each kind."""

    low: _Claim | None = None
    high: _Claim | None = None
    step: _Claim | None = None
    unequal: Mapping[float, _Claim] = MappingProxyType({})

    def narrowed(self, claim: _Claim) -> _Room:
        low = claim if claim.low > (self.low.low if self.low else -math.inf) else self.low
        high = claim if claim.high < (self.high.high if self.high else math.inf) else self.high
        step = claim if claim.step > (self.step.step if self.step else 1) else self.step
        return _Room(low, high, step, self.unequal)

    @property
    def emptied_by(self) -> tuple[_Claim, ...]:
        """The claims that exclude each other, if some do."""
        if self.low is None or self.high is None:
            return ()
        low, high = self.low.low, self.high.high
        if low > high:
            return self.low, self.high
        if low == high and low in self.unequal:
            return self.low, self.high, self.unequal[low]
        if self.step and isinstance(low, int) and -(-low // self.step.step) * self.step.step > high:
            return self.low, self.high, self.step
        return ()


def check_contradictions(definition: Definition, problems: Problems) -> None:
    if not definition.constraints:
        return
    claims: dict[str, dict[str, list[_Claim]]] = {}  # by term, then by the optional field on which they depend
    orders: dict[tuple[str, str], dict[str, list[_Order]]] = {}
    known = {"result", *(found.name.value for found in definition.fields)}
    _check_presences(definition, problems)
    for constraint in (found for found in definition.constraints if isinstance(found, Constraint)):
        if any(isinstance(t, FieldTerm) and t.field.value not in known for t in (constraint.left, constraint.right)):
            continue  # said already
        when = ", ".join(sorted(map(str, constraint.when)))
        if isinstance(constraint.left, FieldTerm) and isinstance(constraint.right, FieldTerm):
            left, right = str(constraint.left), str(constraint.right)
            relation = constraint.relation if left <= right else _FLIPPED.get(constraint.relation, "")
            order = _Order(constraint.label, frozenset(_ORDERS.get(relation, "<=>")))
            orders.setdefault((min(left, right), max(left, right)), {}).setdefault(when, []).append(order)
        elif claim := _claim_of(definition, constraint):
            claims.setdefault(str(_term_of(constraint)), {}).setdefault(when, []).append(claim)
    for term, claim in _claims_of_fields(definition):
        if term in claims:
            claims[term].setdefault("", []).append(claim)
    for term, by_field in claims.items():
        always = _narrowed(definition, term, _Room(), by_field.get("", []), problems)
        for when, found in by_field.items():
            if when and always:
                _narrowed(definition, term, always, found, problems)
    for pair, orders_by_field in orders.items():
        _check_orders(definition, pair, orders_by_field, problems)


def _check_presences(definition: Definition, problems: Problems) -> None:
    """Of fields that are present together, or absent together, there is never exactly one."""
    rules = [found for found in definition.constraints if isinstance(found, Presence)]
    for one in (rule for rule in rules if rule.relation == "exactly_one"):
        names = {name.value for name in one.optional}
        for other in (rule for rule in rules if rule.relation == "together"):
            applies = not other.when or set(map(str, other.when)) <= set(map(str, one.when))
            if applies and names <= {name.value for name in other.optional}:
                values = f"{listed(sorted(names), 'and')} are present together, or none is"
                _report(definition, [one.label, other.label], values, problems)


def _term_of(constraint: Constraint) -> FieldTerm:
    term = constraint.right if isinstance(constraint.left, int) else constraint.left
    assert isinstance(term, FieldTerm)
    return term


def _claim_of(definition: Definition, constraint: Constraint) -> _Claim | None:
    """What a constraint says of the term that it compares with a number."""
    label, relation, number = constraint.label, constraint.relation, constraint.right
    if isinstance(constraint.left, int):
        relation, number = _FLIPPED.get(relation, ""), constraint.left
    assert isinstance(number, int)
    match relation:
        case "equal":
            return _Claim(label, f"{number}", low=number, high=number)
        case "not_equal":
            return _Claim(label, f"not {number}", unequal=number)
        case "at_most":
            return _Claim(label, f"at most {number}", high=number)
        case "at_least":
            return _Claim(label, f"at least {number}", low=number)
        case "less":
            return _Claim(label, f"less than {number}", high=_next(definition, constraint, number, -1))
        case "greater":
            return _Claim(label, f"more than {number}", low=_next(definition, constraint, number, 1))
        case "multiple_of" if number > 1:
            return _Claim(label, f"a multiple of {number}", step=number)
    return None


def _next(definition: Definition, constraint: Constraint, number: int, way: int) -> float:
    """The nearest value that the term may have on one side of a number."""
    name = _term_of(constraint).field.value
    is_float = any(a.name.value == name and a.type.word == "float" for a in definition.attributes)
    return math.nextafter(number, way * math.inf) if is_float else number + way


def _claims_of_fields(definition: Definition) -> Iterator[tuple[str, _Claim]]:
    for found in definition.fields:
        if isinstance(found, Attribute) and not found.type.is_list:
            yield from ((found.name.value, claim) for claim in _claims_of_attribute(found))
        elif isinstance(found, Operand):
            yield from _claims_of_operand(found)


def _claims_of_attribute(attribute: Attribute) -> Iterator[_Claim]:
    name = attribute.name
    if attribute.min is not None:
        yield _Claim(name, f"at least {attribute.min}", low=attribute.min)
    if attribute.max is not None:
        yield _Claim(name, f"at most {attribute.max}", high=attribute.max)
    numbers = [choice for choice in attribute.one_of if isinstance(choice, (int, float))]
    if numbers:
        yield _Claim(name, f"from {min(numbers)} to {max(numbers)}", min(numbers), max(numbers))


def _claims_of_operand(operand: Operand) -> Iterator[tuple[str, _Claim]]:
    name = operand.name
    ranks = operand.rank or ((len(operand.shape),) if operand.shape is not None else ())
    low, high = (min(ranks), max(ranks)) if ranks else (0, math.inf)
    words = f"{low}" if low == high else f"from {low} to {high}" if ranks else "at least 0"
    yield f"{name}.rank", _Claim(name, words, low, high)
    for index, extent in enumerate(operand.shape or ()):
        if isinstance(extent, int):
            yield f"{name}.shape[{index}]", _Claim(name, f"{extent}", extent, extent)


def _narrowed(
    definition: Definition, term: str, room: _Room, claims: Iterable[_Claim], problems: Problems
) -> _Room | None:
    """What claims leave of the room; None after reporting that it is nothing."""
    claims = tuple(claims)
    unequal = {float(claim.unequal): claim for claim in claims if claim.unequal is not None}
    room = replace(room, unequal={**room.unequal, **unequal})
    for claim in claims:
        room = room.narrowed(claim)
        if together := tuple(dict.fromkeys(room.emptied_by)):
            values = f"{term} would be {listed((claim.words for claim in together), 'and')}"
            _report(definition, [claim.label for claim in together], values, problems)
            return None
    return room


def _check_orders(
    definition: Definition, pair: tuple[str, str], orders: Mapping[str, list[_Order]], problems: Problems
) -> None:
    ways = frozenset("=" if pair[0] == pair[1] else "<=>")
    ways, last = _common(definition, pair, ways, None, orders.get("", []), problems)
    for when, found in orders.items():
        if when and ways:
            _common(definition, pair, ways, last, found, problems)


def _common(
    definition: Definition,
    pair: tuple[str, str],
    ways: frozenset[str],
    last: Text | None,
    orders: Iterable[_Order],
    problems: Problems,
) -> tuple[frozenset[str], Text | None]:
    """What orders leave of the ways, and the constraint that took one away last; reports that nothing is left."""
    for order in orders:
        if not ways & order.ways:
            values = f"{pair[0]} is compared with {'itself' if pair[0] == pair[1] else pair[1]}"
            _report(definition, [last, order.label] if last else [order.label], values, problems)
            return frozenset(), order.label
        if ways - order.ways:
            ways, last = ways & order.ways, order.label
    return ways, last


def _report(definition: Definition, labels: Iterable[Text], values: str, problems: Problems) -> None:
    """At the one that this definition says itself, and last; what a base says alone is reported there."""
    *others, last = sorted(labels, key=lambda label: (definition.says(label), label.place))
    if definition.says(last):
        together = either([label.value for label in (*others, last)], "and")
        notes = [Note(f'"{label}" stands here', label.place) for label in others]
        problems.error("D078", last.place, f"nothing satisfies {together}: {values}", notes=notes)
