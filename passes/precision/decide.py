"""The decision for each ONNX node of a function: f32 or the lower float, and why.

Deliberately absent: changes. `passes/auto_mixed_precision.py` makes the program what is decided here.

A value that a guard keeps in f32 is *sticky*: it may be out of the range of the lower float, so it is never narrowed,
and what is computed from it is sticky too, up to an operation that brings the range back. Regions are part of the
function: what they receive and yield keeps its type, and is sticky where anything that comes in or goes out is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from passes.precision.constant_range import ConstantRange, contents_of
from passes.precision.facts_of import facts_of
from passes.precision.index_slice import index_values
from passes.precision.legal import OLDEST, may_run_in
from passes.precision.policy import OpKind, Precision, PrecisionPolicy
from runtime.blocks import Statement
from runtime.dtypes import f16, f32, holds
from runtime.functions import Function
from runtime.generic import ONNX_DOMAIN, Initializer, OnnxNode
from runtime.instructions import Instruction
from runtime.precision_facts import PrecisionFacts
from runtime.values import BlockArgument, Operand, Value

_READS_ANY = ("Cast", "Shape", "Size")  # operand 0 may be of any type, and what it is changes nothing else


@dataclass(frozen=True)
class Decision:
    """What is decided for one instruction."""

    is_low: bool
    reason: str
    sticky: bool = False  # whether its f32 results are


@dataclass(frozen=True)
class _Slots:
    """What of an instruction is f32 in the program: operands that may be converted, and results."""

    data: tuple[tuple[int, Operand], ...]
    results: tuple[Value, ...]


class Decisions:
    """The decisions for a function, made when this is; `low_values` are the results that become low."""

    def __init__(self, function: Function, policy: PrecisionPolicy) -> None:
        self.policy = policy
        self.low_values: set[Value] = set()
        self.of: dict[OnnxNode, Decision] = {}
        self._versions = function.operator_sets
        self._local = function.module.functions if function.module is not None else {}
        self._insts: Sequence[Instruction] = list(function.insts)
        self.facts: dict[Instruction, PrecisionFacts | None] = {
            inst: facts_of(inst, self._versions) for inst in self._insts
        }
        self._indices = index_values(self._insts, self.facts) if policy.guards else set()
        self._range = ConstantRange(policy.low)
        self._constant: set[Operand] = set()
        self._sticky: set[Operand] = set()
        before = -1
        while len(self._sticky) != before:  # what a region yields comes back to it, so more than once
            before = len(self._sticky)
            self._decide_all()

    def wanted_low(self, user: Instruction, slot: int) -> bool | None:
        """Return whether an operand slot that holds f32 in the program is to hold the lower float; None: either."""
        facts = self.facts.get(user)
        if not isinstance(user, OnnxNode):
            return False
        if slot == 0 and user.op_type in _READS_ANY and user.domain == ONNX_DOMAIN:
            return None
        decision = self.of.get(user)
        return decision is not None and decision.is_low and facts is not None and _is_data(facts, slot)

    def _decide_all(self) -> None:
        self.low_values.clear()
        for inst in self._insts:
            if isinstance(inst, Initializer):
                self._constant.add(inst)
            if not isinstance(inst, OnnxNode):
                continue
            facts = self.facts[inst]
            slots = self._slots(inst, facts)
            operands = inst.operands()
            is_constant = contents_of(inst) is not None or (
                bool(operands) and not inst.blocks and all(operand in self._constant for operand in operands)
            )
            if is_constant:
                self._constant.update(inst.results)
            if inst.blocks and self.policy.guards:
                self._mark_regions(inst)
            if not slots.data and not slots.results:
                continue
            decision = self.of[inst] = self._decide(inst, facts, slots)
            if decision.is_low:
                assert facts is not None
                self.low_values.update(
                    result
                    for at, result in enumerate(inst.results)
                    if result in slots.results and at not in facts.results
                )
            elif decision.sticky and (is_constant or facts is None or not facts.range_safe):
                self._sticky.update(slots.results)

    def _slots(self, inst: OnnxNode, facts: PrecisionFacts | None) -> _Slots:
        data = tuple(
            (at, value)
            for at, value in enumerate(inst.values)
            if value is not None and value.type.dtype is f32 and (facts is None or _is_data(facts, at))
        )
        return _Slots(data, tuple(result for result in inst.results if result.type.dtype is f32))

    def _decide(self, inst: OnnxNode, facts: PrecisionFacts | None, slots: _Slots) -> Decision:
        sticky = self._why_sticky(inst, facts, slots)
        if sticky is not None:
            return Decision(False, sticky, sticky=True)
        reason = self._why_f32(inst, facts, slots)
        if reason is not None:
            return Decision(False, reason)
        assert facts is not None
        kind = OpKind(facts.op_kind)
        precision = Precision.FOLLOW if facts.follow else self.policy.precision_of(kind)
        if precision is Precision.FOLLOW:
            return self._follow(slots)
        return Decision(precision is Precision.LOW, f"{self.policy.name}: {kind.value}")

    def _follow(self, slots: _Slots) -> Decision:
        values = [value for _, value in slots.data]
        low = [value for value in values if value in self.low_values]
        if low and all(value in self.low_values or value in self._constant for value in values):
            return Decision(True, "follows its operands, which are low")
        return Decision(False, "follows its operands, which are not all low")

    def _why_sticky(self, inst: OnnxNode, facts: PrecisionFacts | None, slots: _Slots) -> str | None:
        if not self.policy.guards:
            return None
        if inst.op_type == "Cast" and inst.domain == ONNX_DOMAIN:
            return self._why_sticky_cast(inst)
        if any(value in self._sticky for _, value in slots.data):
            return "an operand may be out of range"
        if any(result in self._sticky for result in slots.results) and inst.blocks:
            return "a region yields a value that may be out of range"
        if facts is None:
            return None
        for at, value in slots.data:
            reason = self._range.why_unfit(value, facts.operands.get(at) == "scalar")
            if reason is not None:
                return reason
        if not slots.data and slots.results:  # a constant itself: its users are judged, but not through a chain
            return self._range.why_unfit(inst)
        if any(result in self._indices for result in slots.results):
            return "serves as an index or a size, or only where f32 is needed"
        if facts.precision_intact:
            return "its values are those of a counter, or must be as exact"
        if facts.wide_range and self.policy.low is f16:
            return "the result may be out of range"
        return None

    def _why_sticky_cast(self, cast: OnnxNode) -> str | None:
        """Return why the f32 result of a cast that the program wrote must not be narrowed."""
        source = cast.values[0] if cast.values else None
        dtype = None if source is None else source.type.dtype
        if source is None or dtype is None:
            return None
        if dtype.is_float and dtype is not f32 and holds(f32, dtype):
            return "the program asked for f32"
        if source in self._sticky:
            return "an operand may be out of range"
        producer = self.facts.get(source) if isinstance(source, Instruction) else None
        if dtype.is_int and producer is not None and producer.op_kind == "compute":
            return "a sum of integer products may be out of range"
        return self._range.why_unfit(source)

    def _why_f32(self, inst: OnnxNode, facts: PrecisionFacts | None, slots: _Slots) -> str | None:
        if inst.callee in self._local:
            return "calls a local function"
        if facts is None:
            return "nothing is known about the operator"
        if inst.blocks:
            return "has regions, whose values keep their types"
        if facts.precision_intact or facts.keeps_dtype:
            return "its types are what it is for"
        if not slots.data:
            return "none of its operands may be converted"
        version = self._versions.get(ONNX_DOMAIN, 0)
        if version < OLDEST or not may_run_in(self.policy.low, inst.op_type, version):
            return f"operator set {version} has no {self.policy.low} for it"
        named = [result for at, result in enumerate(inst.results) if at not in inst.absent]
        if any(result.type.is_tensor is False or result.type.dtype is None for result in named):
            return "the type of a result is not known"
        if any(value.type.dtype is None for value in inst.operands()):
            return "the type of an operand is not known"
        return None

    def _mark_regions(self, inst: OnnxNode) -> None:
        """Make what a region receives, and what its instruction gives, sticky where anything around it is."""
        ends: list[Operand] = [*inst.operands()]
        for block in inst.blocks:
            ends += block.terminator.operands() if block.terminator is not None else ()
        floats = [end for end in ends if end.type.dtype is f32]
        if any(end in self._sticky or self._range.why_unfit(end) is not None for end in floats):
            inside = [argument for block in inst.blocks for argument in block.arguments]
            self._sticky.update(value for value in (*inside, *inst.results) if value.type.dtype is f32)


def _is_data(facts: PrecisionFacts, slot: int) -> bool:
    return facts.operands.get(slot, "scalar") == "scalar"


def home_of(value: Value) -> Statement | BlockArgument:
    """Return the statement that defines a value, or the argument itself."""
    owner = getattr(value, "owner", value)
    assert isinstance(owner, (Statement, BlockArgument))
    return owner
