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
from runtime.operand_slots import Values
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
    if not any(inst in low or _is_low_already(inst) or kept.get(inst) in _HOPELESS for inst in products):
        return set()
    links: dict[object, list[object]] = {}
    for value in values:
        source = value.owner if isinstance(value, Result) else value
        for user in value.users if isinstance(value, Value) else ():
            if user in reads and not reads[user].isdisjoint(_slots_of(survey.nodes[user].values, value)):
                _link(links, source, user)
    for gate in gates:
        for one in (*gate.sources, *gate.targets):
            _link(links, gate.inst, one.owner if isinstance(one, Result) else one)
    busy: set[object] = set()
    queue: list[object] = [inst for inst in products if inst in low]
    while queue:
        reached = queue.pop()
        if reached not in busy:
            busy.add(reached)
            queue += links.get(reached, ())
    return {inst for inst in low if inst not in busy}


def is_product(survey: Survey, inst: Instruction) -> bool:
    """Whether an instruction multiplies and adds up; what has regions leaves that to what stands in them."""
    facts = survey.nodes[inst].facts if inst in survey.nodes else None
    return facts is not None and facts.op_kind == "compute" and not inst.blocks


def _is_low_already(inst: Instruction) -> bool:
    """Whether a product gives a float of fewer bits than f32, or accumulates such ones in f32."""
    return bool(inst.results) and (_is_low(inst) or (inst.type.dtype is f32 and any(map(_is_low, inst.operands()))))


def _is_low(value: Operand) -> bool:
    dtype = value.type.dtype
    return dtype is not None and dtype.is_float and dtype.bits < f32.bits


def _slots_of(values: Values, value: Operand) -> list[int]:
    return [at for at, held in enumerate(values) if held is value]


def _link(links: dict[object, list[object]], one: object, other: object) -> None:
    links.setdefault(one, []).append(other)
    links.setdefault(other, []).append(one)
