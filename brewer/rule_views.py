"""The rules of a generated class, one method each: the constraints of its definition, and what `shape` says."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import replace

from brewer.frozen import frozen
from brewer.model import Constraint, Definition, FieldTerm, Operand, Presence, Rule, Term, Text
from brewer.python_text import LINE_LENGTH, docstring, flat, quoted

_RELATION_FUNCTIONS = {
    "equal": "may_be_equal",
    "not_equal": "may_differ",
    "less": "may_be_less",
    "at_most": "may_be_at_most",
    "at_least": "may_be_at_least",
    "multiple_of": "may_be_multiple_of",
}
_ROOM = LINE_LENGTH - 16 - 3  # characters for one string of a message, its quotes and the comma aside


@frozen
class RuleView:
    """A rule as a method `_verify_<label>`."""

    name: str
    doc: tuple[str, ...]
    optional: tuple[str, ...]  # fields without which the rule holds
    guards: tuple[str, ...]  # conditions, as Python text, under which it holds, too
    present: tuple[str, ...]  # the optional fields of a rule about how many of them are present
    found: tuple[tuple[str, str], ...]  # local variables, each with the expression of one term that is a field
    relation: str  # the function of runtime/relations.py; of a rule about presence, what makes it fail, as Python text
    sides: tuple[str, str]  # what it compares: variables, or numbers
    message: tuple[str, ...]  # string literals
    field: str  # that is to blame
    inherited: bool = False  # a base calls the method already; this class overrides it


def rule_views(definition: Definition, base: Definition | None) -> tuple[RuleView, ...]:
    """Those rules that the base does not have in the same words."""
    rules = all_rules(definition)
    if not rules:
        return ()
    before = {rule.label.value: _view(rule, base) for rule in all_rules(base)} if base else {}
    views = {rule.label.value: _view(rule, definition) for rule in rules}
    changed = ((label, view) for label, view in views.items() if view != before.get(label))
    return tuple(replace(view, inherited=label in before) for label, view in changed)


def all_rules(definition: Definition) -> tuple[Rule, ...]:
    """The constraints, after the rules that follow from `shape` of the operands."""
    return (*_shape_rules(definition), *definition.constraints)


def _shape_rules(definition: Definition) -> Iterator[Constraint]:
    """A letter that stands twice means equal extents, a number a fixed one."""
    if not any([operand.shape for operand in definition.operands]):
        return  # as most often
    operands = sorted(definition.operands, key=lambda operand: operand.optional)  # one that is there binds first
    bound: dict[str, FieldTerm] = {}
    for operand in (operand for operand in operands if not operand.variadic):
        for index, dim in enumerate(operand.shape or ()):
            here = FieldTerm(operand.name, "shape", index)
            there: Term = bound.setdefault(dim, here) if isinstance(dim, str) else dim
            if there != here:
                yield _shape_rule(operand, dim, index, here, there)


def _shape_rule(operand: Operand, dim: str | int, index: int, here: FieldTerm, there: Term) -> Constraint:
    name = operand.name
    if isinstance(there, FieldTerm):
        both = f"{there.field} and {name} have" if there.field.value != name.value else f"{name} has"
        message = f"{both} one extent {dim}"
        return Constraint(Text(f"{name}_{index}_is_{dim}", name.place), "equal", there, here, message)
    message = f"dimension {index} of {name} has the extent {dim}"
    return Constraint(Text(f"extent_of_{name}_{index}", name.place), "equal", here, there, message)


def _view(rule: Rule, definition: Definition) -> RuleView:
    return _view_of_terms(rule, definition) if isinstance(rule, Constraint) else _view_of_presence(rule)


def _view_of_presence(rule: Presence) -> RuleView:
    names = tuple(name.value for name in rule.optional)
    fails = {"exactly_one": "!= 1", "at_most_one": "> 1", "together": f"not in (0, {len(names)})"}
    said = rule.message.rstrip(".")
    return RuleView(
        name=f"_verify_{rule.label}",
        doc=tuple(docstring([f"Rule `{rule.label}`: {said}."], 8)),
        optional=tuple(condition.field.value for condition in rule.when if not condition.words),
        guards=_guards(rule),
        present=names,
        found=(),
        relation=fails[rule.relation],
        sides=("", ""),
        message=_strings(f"{said}: ", "found {names_of(found)}"),
        field=names[0],
    )


def _guards(rule: Rule) -> tuple[str, ...]:
    """What is true where the words of `when` are not there, so that the rule holds."""
    return tuple(_differs(f"self._{condition.field}", condition.words) for condition in rule.when if condition.words)


def _differs(value: str, words: tuple[bool | str, ...]) -> str:
    if len(words) > 1:
        return f"{value} not in {flat(words)}"
    if isinstance(words[0], bool):
        return f"not {value}" if words[0] else f"{value} is not False"
    return f"{value} != {quoted(words[0])}"


def _view_of_terms(rule: Constraint, definition: Definition) -> RuleView:
    sides = ("left", rule.left), ("right", rule.right)
    terms = [(side, term) for side, term in sides if isinstance(term, FieldTerm)]
    names = {side: side if len(terms) == 2 else "found" for side, _ in terms}
    values = " and ".join(f"{term} is {{{_shown(term, names[side])}}}" for side, term in terms)
    said = rule.message.rstrip(".")
    return RuleView(
        name=f"_verify_{rule.label}",
        doc=tuple(docstring([f"Rule `{rule.label}`: {said}."], 8)),
        optional=_optional_fields(rule, [term for _, term in terms], definition),
        guards=_guards(rule),
        present=(),
        found=tuple((names[side], _expression(definition, term)) for side, term in terms),
        relation=_RELATION_FUNCTIONS[rule.relation],
        sides=(names.get("left", str(rule.left)), names.get("right", str(rule.right))),
        message=_strings(f"{said}: ", values),
        field=terms[0][1].field.value,
    )


def _shown(term: FieldTerm, name: str) -> str:
    """How the value of a term is printed: a shape as a type has it."""
    return f"shape_str({name})" if term.part == "shape" and term.index is None else name


def _strings(said: str, values: str) -> tuple[str, ...]:
    """String literals, one or each on a line of its own."""
    whole = f"f{quoted(said + values)}"
    if len(whole) <= _ROOM:
        return (whole,)
    lines = textwrap.wrap(said, _ROOM, drop_whitespace=False, break_long_words=False, break_on_hyphens=False)
    return (*(quoted(line) for line in lines), f"f{quoted(values)}")


def _optional_fields(rule: Constraint, terms: list[FieldTerm], definition: Definition) -> tuple[str, ...]:
    """What is not there violates nothing: the field of `when`, and optional fields of which a part is compared."""
    optional = definition.optional_fields
    parts = [term.field.value for term in terms if term.part and term.field.value in optional]
    when = [condition.field.value for condition in rule.when if not condition.words]
    return tuple(dict.fromkeys([*when, *parts]))


def _expression(definition: Definition, term: FieldTerm) -> str:
    name = term.field.value
    if not term.part:
        return f"self._{name}"
    if any(attribute.name.value == name for attribute in definition.attributes):
        return f"len(self._{name})" if term.part == "rank" else f"extent(self._{name}, {term.index})"
    value = "self.type" if name == "result" else f"self._{name}.type"
    return f"extent({value}.shape, {term.index})" if term.index is not None else f"{value}.{term.part}"
