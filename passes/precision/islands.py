"""Low values that no product touches: they would cost casts and gain nothing, so they stay as they are.

    %a = Softmax %x        %b: f16 = Mul %a16, %k        %c = Softmax %b32        two casts around one Mul

That is so where no product is low, too, whatever keeps them. It must not be seen where a function has no product at
all: there the policy is all that a user has said. What an override has made low stays low.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set

from passes.precision.regions import Gate
from passes.precision.survey import Survey, SurveyedNode
from runtime.instructions import Instruction
from runtime.values import Operand, Result, Value

Reads = Mapping[Instruction, frozenset[int]]
"""By instruction: the operand slots that hold the lower float."""


def idle_instructions(
    survey: Survey,
    low: Set[Instruction],
    values: Iterable[Operand],
    reads: Reads,
    gates: Iterable[Gate],
    wanted: Callable[[SurveyedNode], bool],
) -> set[Instruction]:
    """Return the instructions among `low` that no product is connected with, through `values` that are low.

    `wanted` says which ones a user has asked for by themselves, product or not.
    """
    if not any(is_product(survey, node.inst) for node in survey.nodes.values()):
        return set()
    groups = _Groups()
    for value in values:
        source = value.owner if isinstance(value, Result) else value
        for user in value.users if isinstance(value, Value) else ():
            held = survey.nodes[user].values if user in reads else ()
            if any(at in reads[user] and held[at] is value for at in range(len(held))):
                groups.join(source, user)
    for gate in gates:
        for one in (*gate.sources, *gate.targets):
            groups.join(gate.inst, one.owner if isinstance(one, Result) else one)
    busy = {groups.of(inst) for inst in low if is_product(survey, inst) or (inst in survey.nodes and wanted(survey.nodes[inst]))}
    return {inst for inst in low if groups.of(inst) not in busy}


def is_product(survey: Survey, inst: Instruction) -> bool:
    """Whether an instruction multiplies and adds up."""
    facts = survey.nodes[inst].facts if inst in survey.nodes else None
    return facts is not None and facts.op_kind == "compute"


class _Groups:
    """What is connected, as trees whose roots stand for groups."""

    def __init__(self) -> None:
        self._above: dict[object, object] = {}

    def of(self, one: object) -> object:
        root = one
        while (above := self._above.get(root, root)) is not root:
            root = above
        while one is not root:
            one, self._above[one] = self._above.get(one, root), root
        return root

    def join(self, one: object, other: object) -> None:
        self._above[self.of(one)] = self.of(other)
