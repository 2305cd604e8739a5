"""Low values that no product touches: they would cost casts and gain nothing, so they stay as they are.

    %a = Softmax %x        %b: f16 = Mul %a16, %k        %c = Softmax %b32        two casts around one Mul

It must not be seen where a function has no product at all: there the policy is all that a user has said, unless there
are products, and their signatures have no such float.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Final

from passes.precision.reasons import Rule
from passes.precision.regions import Gate
from passes.precision.survey import Survey
from runtime.dtypes import f32
from runtime.instructions import Instruction
from runtime.values import Operand, Result, Value

Reads = Mapping[Instruction, frozenset[int]]
"""By instruction: the operand slots that hold the lower float."""


_HOPELESS: Final = (Rule.SIGNATURE, Rule.QUANTIZED, Rule.LOGARITHM)
"""Why products are f32 that a policy wants low, so that low values around them would gain nothing."""


def idle_instructions(
    survey: Survey,
    low: Set[Instruction],
    kept: Mapping[Instruction, Rule],
    values: Iterable[Operand],
    reads: Reads,
    gates: Iterable[Gate],
) -> set[Instruction]:
    """Return the instructions among `low` that no product is connected with, through `values` that are low."""
    products = [node.inst for node in survey.nodes.values() if is_product(survey, node.inst)]
    if not any(inst in low or _gives_low(inst) or kept.get(inst) in _HOPELESS for inst in products):
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
    busy = {groups.of(inst) for inst in low if is_product(survey, inst)}
    return {inst for inst in low if groups.of(inst) not in busy}


def is_product(survey: Survey, inst: Instruction) -> bool:
    """Whether an instruction multiplies and adds up."""
    facts = survey.nodes[inst].facts if inst in survey.nodes else None
    return facts is not None and facts.op_kind == "compute"


def _gives_low(inst: Instruction) -> bool:
    """Whether an instruction gives a float of fewer bits than f32 already."""
    dtype = inst.type.dtype if inst.results else None
    return dtype is not None and dtype.is_float and dtype.bits < f32.bits


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
