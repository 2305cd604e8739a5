"""Whether the definition of an instruction lets its operands be another float, and which results change with them.

A copy of the instruction reads stand-ins of the lower float: its own rules say whether it may, and what it gives.

    graph.matmul %a, %b     rule: lhs and rhs have one data type; result: that of lhs and rhs
    graph.top_k %a          values have the dtype of %a, indices are i64

A product of neuron keeps its f32 result, which is what the engine accumulates in. What has no float operand, as a
dequantization, gives the lower float where its definition leaves that to the caller.

Deliberately absent: tables of instructions, and shapes: what one instruction answers goes for all of its class with
operands of the same dtypes and the same words as attributes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from passes.precision.forms import Form
from passes.precision.labels import label_of
from passes.precision.overrides import Overrides, stays_by
from passes.precision.policy import Override
from passes.precision.reasons import Reason, Rule
from passes.precision.regions import Gate
from passes.precision.survey import SurveyedNode
from runtime.blocks import Block
from runtime.dtypes import DType
from runtime.info import OperandInfo
from runtime.instructions import Instruction, NeuronInst
from runtime.operand_slots import infos_of, set_values, values_of
from runtime.types import Type
from runtime.values import BlockArgument, Value
from runtime.verifier.plans import ClassPlan


@dataclass(frozen=True, slots=True)
class Lowered:
    """What becomes the lower float where instructions of one form are converted, by position."""

    slots: frozenset[int]
    results: tuple[int, ...]

    def results_of(self, inst: Instruction) -> tuple[Value, ...]:
        """Return the results of an instruction that are converted."""
        results = inst.results
        if len(self.results) == len(results):
            return results
        return tuple([results[at] for at in self.results])


class Definitions:
    """Answers for one float; each question is asked once."""

    def __init__(self, low: DType, floats: tuple[DType, ...], overrides: Overrides) -> None:
        self.low = low
        self._floats = floats
        self._overrides = overrides
        self._answers: dict[tuple[Form, frozenset[tuple[int, Override]]], Lowered | Reason] = {}

    def lowered(self, node: SurveyedNode) -> Lowered | Reason:
        """Return what an instruction looks like in the lower float, or why it may not."""
        kept: Mapping[int, Override] = {}
        if self._overrides.are_about_operands:
            kept = self._overrides.kept_slots(node, [info.name for info in infos_of(node.inst)])
        key = (node.form, frozenset(kept.items()))
        answer = self._answers.get(key)
        if answer is None:
            answer = self._answers[key] = self._ask(node, infos_of(node.inst), kept)
        return answer

    def allows(self, gate: Gate) -> bool:
        """Whether the values that pass through a gate may all be the lower float."""
        types = [value.type.dtype for value in (*gate.sources, *gate.targets)]
        return all(self.low.name in one for one in gate.dtypes) and all(dtype in self._floats for dtype in types)

    def _ask(
        self, node: SurveyedNode, infos: tuple[OperandInfo, ...], kept: Mapping[int, Override]
    ) -> Lowered | Reason:
        inst = node.inst
        low = [at for at in node.data if not infos[at].dtypes or self.low.name in infos[at].dtypes]
        slots = frozenset(low).difference(kept)
        if not slots and kept:
            return stays_by(kept.values())
        if not slots and node.data:
            return self._why_not(inst, infos[node.data[0]].name)
        before, _ = self._told(inst, frozenset())
        problems, types = self._told(inst, slots)
        fresh = [message for message in problems if message not in before]
        if fresh:
            return Reason(Rule.SIGNATURE, f"{label_of(inst)} takes no such {self.low}: {fresh[0]}")
        return self._results(node, slots, types)

    def _results(self, node: SurveyedNode, slots: frozenset[int], types: tuple[Type | None, ...]) -> Lowered | Reason:
        """Find the results that change, given the types that follow from operands of the lower float."""
        inst, infos = node.inst, node.inst.INFO.results
        if isinstance(inst, NeuronInst) and inst.INFO.op_kind == "compute" and infos[0].free_dtype:
            return Lowered(slots, ())
        found: list[int] = []
        for at, result in enumerate(inst.results):
            position = inst.all_results.index(result)
            info = infos[min(position, len(infos) - 1)]
            follows = types[position] if position < len(types) else None
            if result.type.dtype not in self._floats or (info.precision is not None and info.free_dtype):
                continue
            if follows is not None and follows.dtype is not self.low and (slots or not info.free_dtype):
                continue
            if info.precision is not None or (info.dtypes and self.low.name not in info.dtypes):
                return self._why_not(inst, info.name)
            found.append(at)
        return Lowered(slots, tuple(found)) if slots or found else Reason(Rule.NO_OPERAND, Rule.NO_OPERAND.value)

    def _told(self, inst: Instruction, low: frozenset[int]) -> tuple[list[str], tuple[Type | None, ...]]:
        """Return what is wrong with the instruction where some slots hold the lower float, and what it gives then."""
        block = Block()
        held: dict[object, object] = {
            value: BlockArgument(block, value.type) for value in values_of(inst) if value is not None
        }
        copy = inst.clone(held)
        values = enumerate(values_of(inst))
        lower = {
            at: BlockArgument(block, value.type.with_dtype(self.low))
            for at, value in values
            if at in low and value is not None
        }
        set_values(copy, lower)
        plan = ClassPlan.of(type(inst))
        problems = [problem.message for problem in copy.verify()]
        types = () if plan.infer is None else plan.infer(copy)
        copy.eraseFromParent()  # which lets go of the edges that a clone takes over
        return problems, types

    def _why_not(self, inst: Instruction, name: str) -> Reason:
        return Reason(Rule.SIGNATURE, f"{name} of {label_of(inst)} may not be {self.low}")
