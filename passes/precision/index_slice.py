"""The float values that serve as indices, sizes or lengths, and those that only serve as operands that stay f32.

A float of 16 bits holds the integers up to 2048 or 256, so what computes an index must not be narrowed. The slice goes
back from index operands and from casts to integers, through what works element by element or moves data, and through
the borders of regions: into what a branch yields, and around a loop. A local function says which of its arguments it
uses so. The slice stops at what accumulates: a network that ends in a cast to integers does not compute an index.

One such use is enough, and the other users stay f32 too: of a coordinate, the floor is an index and the fraction a
weight, and both are wrong when it is narrowed.

What only serves as operands that stay f32, such as scales, would be narrowed only to be widened again.
"""

from __future__ import annotations

from collections.abc import Mapping

from passes.precision.survey import Survey, SurveyedNode
from runtime.values import Operand, Value

IndexOperands = Mapping[str, frozenset[int]]
"""By the name of a local function: the arguments that it uses as indices."""


def index_values(survey: Survey, callees: IndexOperands) -> set[Operand]:
    """Return the floats that may become others and serve as an index, a size or a length."""
    found: set[Operand] = set()
    queue: list[Operand] = []

    def add(value: Operand | None) -> None:
        if value is not None and value not in found and survey.is_converted(value):
            found.add(value)
            queue.append(value)

    forms = [form for form in survey.forms if form.may_index]
    for node in survey.nodes.values() if callees else survey.nodes_of(forms):
        for at in _index_slots(survey, node, callees):
            add(node.values[at])
    while queue:
        value = queue.pop()
        gate = survey.gate_to.get(value)
        if gate is not None:
            for source in gate.sources:
                add(source)
            continue
        producer = survey.producer(value)
        if producer is not None and producer.moves_elements:
            for operand in producer.operands:
                add(operand)
    return found


def values_needed_in_f32(survey: Survey) -> set[Value]:
    """Return the results that only serve as operands that stay f32, and are no sums that would be costly there."""
    found: set[Value] = set()
    if not any(form.f32_slots for form in survey.forms):
        return found
    elsewhere: set[Operand | None] = set()  # what has another use; every use of a value comes after it
    for inst in reversed(survey.insts):
        node = survey.nodes.get(inst)
        if node is None:
            elsewhere.update(inst.operands())
            continue
        if node.form.moves_elements:
            results = node.results
            found.update([result for result in results if result not in elsewhere and result.has_users])
            if results and found.issuperset(results):
                continue
        values, kept = node.values, node.form.f32_slots
        elsewhere.update([one for at, one in enumerate(values) if at not in kept] if kept else values)
    return found


def _index_slots(survey: Survey, node: SurveyedNode, callees: IndexOperands) -> list[int]:
    facts = node.facts
    if callees and (callee := node.callee) is not None and callee in callees:
        return [at for at in callees[callee] if at < len(node.values)]
    if facts is None:
        return []
    if facts.computes == "convert":
        to = survey.converts_to(node.inst)
        return [0] if to is None or to.is_int else []
    return [at for at, role in facts.operands.items() if role == "index" and at < len(node.values)]
