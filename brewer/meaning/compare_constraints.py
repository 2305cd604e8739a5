"""Rules of the verifier: those that a definition states, and those that letters and extents of `shape` stand for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from brewer.attribute_values import shown
from brewer.docs_view import PRESENCE_WORDS
from brewer.meaning.rules import Change
from brewer.meaning.sides import Sides
from brewer.model import Condition, FieldTerm, Presence, Rule, Term
from brewer.rule_views import all_rules

# A relation that holds wherever this one does, so that going over to it refuses nothing.
_IMPLIES = {
    "equal": ("at_most", "at_least"),
    "less": ("at_most", "not_equal"),
    "exactly_one": ("at_most_one",),
}
_SIGNS = {
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "at_most": "<=",
    "at_least": ">=",
    "multiple_of": "multiple of",
}


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule with the names of now; two that are equal refuse the same."""

    relation: str
    left: str
    right: str
    when: str

    def __str__(self) -> str:
        when = f", where {self.when}" if self.when else ""
        if self.relation in PRESENCE_WORDS:
            return f"{PRESENCE_WORDS[self.relation].format(self.left)}{when}"
        return f"{self.left} {_SIGNS[self.relation]} {self.right}{when}"


def compare_constraints(sides: Sides) -> Iterator[Change]:
    old, new = sides.definitions
    before = {rule.label.value: rule for rule in all_rules(old)}
    now = {rule.label.value: rule for rule in all_rules(new)}
    meant_before = {label: _meaning(rule, sides.names) for label, rule in before.items()}
    meant_now = {label: _meaning(rule, {}) for label, rule in now.items()}
    partners = _partners(meant_before, meant_now)
    gone = set(before) - set(partners.values())
    for label in (label for label in before if label in gone):
        yield Change("constraint_removed", f'rule "{label}"', str(meant_before[label]))
    for label, rule in now.items():
        subject, place, meant = f'rule "{label}"', rule.label.place, meant_now[label]
        partner = partners.get(label)
        if partner is None:
            kind = "constraint_on_new_field" if _is_vacuous(rule, sides) else "constraint_added"
            yield Change(kind, subject, str(meant), place)
            continue
        if partner != label:
            yield Change("constraint_renamed", subject, f'was "{partner}"', place)
        if meant_before[partner] != meant:
            kind = "constraint_widened" if _is_wider(meant_before[partner], meant) else "constraint_narrowed"
            yield Change(kind, subject, f"{meant_before[partner]} -> {meant}", place)
        if before[partner].message != rule.message and rule in new.constraints:
            yield Change("constraint_message_changed", subject, f'"{rule.message}"', place)


def _partners(before: Mapping[str, _Rule], now: Mapping[str, _Rule]) -> Mapping[str, str]:
    """The label before of each rule that is still there: the same label, or the same rule under another one."""
    by_meaning = {meant: label for label, meant in before.items() if label not in now}
    found = {label: label if label in before else by_meaning.get(meant) for label, meant in now.items()}
    return {label: partner for label, partner in found.items() if partner is not None}


def _meaning(rule: Rule, names: Mapping[str, str]) -> _Rule:
    when = " and ".join(sorted(_condition(condition, names) for condition in rule.when))
    if isinstance(rule, Presence):
        fields = sorted(names.get(name.value, name.value) for name in rule.optional)
        return _Rule(rule.relation, ", ".join(fields), "", when)
    return _Rule(rule.relation, _term(rule.left, names), _term(rule.right, names), when)


def _condition(condition: Condition, names: Mapping[str, str]) -> str:
    name = names.get(condition.field.value, condition.field.value)
    words = sorted(map(shown, condition.words))
    return f"{name} is {' or '.join(words) or 'present'}"


def _term(term: Term, names: Mapping[str, str]) -> str:
    if isinstance(term, int):
        return str(term)
    name = names.get(term.field.value, term.field.value)
    return f"{name}{str(term).removeprefix(term.field.value)}"


def _is_vacuous(rule: Rule, sides: Sides) -> bool:
    """Whether the rule holds in every program of before: it asks for a part of what is not there."""
    partners = set(sides.names.values())
    new = {name for name in sides.now.definition.optional_fields if name not in partners}
    if any(condition.field.value in new for condition in rule.when):
        return True
    if isinstance(rule, Presence):
        known = [name for name in rule.optional if name.value not in new]
        return len(known) <= {"exactly_one": -1, "at_most_one": 1, "together": 0}[rule.relation]
    asked = [term.field.value for term in (rule.left, rule.right) if isinstance(term, FieldTerm)]
    return bool(new.intersection(asked))


def _is_wider(before: _Rule, now: _Rule) -> bool:
    """Whether what satisfied the rule of before satisfies that of now."""
    if now.when not in ("", before.when) and before.when:
        return False  # it holds in other programs
    if before.when and not now.when:
        return False  # it holds in more of them
    if (before.left, before.right) == (now.left, now.right):
        return now.relation == before.relation or now.relation in _IMPLIES.get(before.relation, ())
    if before.left != now.left or before.relation != now.relation or not _are_numbers(before.right, now.right):
        return False
    old, new = int(before.right), int(now.right)
    wider = {"at_most": new >= old, "less": new >= old, "at_least": new <= old}
    return wider.get(before.relation, before.relation == "multiple_of" and new != 0 and old % new == 0)


def _are_numbers(*terms: str) -> bool:
    return all(term.lstrip("-").isdecimal() for term in terms)
