"""What logarithms are taken of: it stays f32, back to where it comes from.

    %c = Conv %signal, %filters    %p = Mul %c, %c    %m = MatMul %p, %bands    %l = Log %m

A logarithm makes the digits of small values as important as those of large ones. f16 has none below 6e-8, bf16 has two
decimal digits anywhere, and an error that is small beside the largest value is large beside a small one. So all of a
spectrum is f32, its products included.

The way back ends at an operation that gives small values with all their digits, such as an exponential or a softmax; so
it does behind a sigmoid, which is f32 itself where no product lies between the two; and, once there was a product, at
an activation: a network has activations between its products, a bank of filters has none.

Deliberately absent: the results of logarithms, which may be narrowed.
"""

from __future__ import annotations

from typing import Final

from passes.precision.constants import Constants
from passes.precision.survey import Survey, SurveyedNode
from runtime.instructions import Instruction
from runtime.precision_facts import PrecisionFacts
from runtime.values import Operand

_ACTIVATIONS: Final = (None, "compare", "relu", "round", "select")
"""What activations compute; of most of them no arithmetic is known."""


def nodes_of_logarithms(survey: Survey, constants: Constants, by_kind: bool = False) -> set[Instruction]:
    """Return the nodes that give what logarithms are taken of, and the logarithms themselves.

    Where kinds decide alone (`by_kind`), the way goes on through casts, which may be those of a run before.
    """
    found: dict[Instruction, bool] = {}  # whether a product was on the way
    queue: list[tuple[Operand, bool]] = []
    for node in survey.nodes_of([form for form in survey.forms if "log" in (form.computes, form.activation)]):
        if node.data:
            found[node.inst] = False
            queue += [(operand, False) for operand in node.operands]
    while queue:
        value, behind = queue.pop()
        gate = survey.gate_to.get(value)
        if gate is not None:
            if gate.inst not in found:
                found[gate.inst] = behind
                queue += [(source, behind) for source in gate.sources]
            continue
        producer = survey.producer(value)
        if by_kind and producer is not None and producer.facts is not None and producer.facts.computes == "convert":
            queue += [(one, behind) for one in producer.values[:1] if one is not None and survey.is_converted(one)]
            continue
        if producer is None or value in constants or found.get(producer.inst) is behind:
            continue
        if _ends(producer, behind):
            if not behind and _is_squashing(producer):
                found[producer.inst] = False
            continue
        if found.get(producer.inst) is False:
            continue  # whoever came without a product has been further
        found[producer.inst] = behind
        is_product = producer.facts is not None and producer.facts.op_kind == "compute"
        queue += [(operand, behind or is_product) for operand in producer.operands]
    return set(found)


def _ends(node: SurveyedNode, behind: bool) -> bool:
    """Whether the way back ends before a node; `behind` whether a product was on it."""
    facts = node.facts
    if facts is None or node.inst.blocks or not node.data or facts.precision_intact or facts.keeps_dtype:
        return True
    last = node.form.activation or facts.computes  # of a product with its function
    keeps_small = last in ("sqrt", "divide") or puts_bounds(facts)
    if facts.computes == "exp" or (facts.range_safe and not keeps_small):
        return True
    is_activation = facts.op_kind == "elementwise" and facts.computes in _ACTIVATIONS and not puts_bounds(facts)
    return is_activation and behind


def _is_squashing(node: SurveyedNode) -> bool:
    """Whether a node gives small values, with all their digits where it is f32: a sigmoid."""
    facts = node.facts
    is_elementwise = facts is not None and facts.op_kind == "elementwise" and bool(node.data)
    return facts is not None and is_elementwise and facts.range_safe and facts.computes is None


def puts_bounds(facts: PrecisionFacts) -> bool:
    """Whether an operation puts bounds to values, which those in between pass unchanged."""
    roles = (*facts.operands.values(), *(one.precision for one in facts.attributes.values()))
    return "bound" in roles
