"""What is decided about a node by itself: in this order a guard, what the node is, the policy for its kind, and its
signature or definition.

    a node without a guard's reason        what its form gives, decided once
    a node with one, or that a name means  decided by itself

Deliberately absent: what depends on the decisions for other nodes (`passes/precision/decide.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from passes.precision.choice import Choice
from passes.precision.constraints import Constraints
from passes.precision.context import Context
from passes.precision.definitions import Lowered
from passes.precision.forms import Form
from passes.precision.groups import Group
from passes.precision.policy import Precision
from passes.precision.reasons import FOLLOWS, Reason, Rule
from passes.precision.survey import SurveyedNode
from runtime.dtypes import DType, f32
from runtime.instructions import Instruction


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """What is decided for one instruction: `dtype` is what it is converted to, None where it stays as it is."""

    dtype: DType | None
    reason: Reason

    @property
    def is_low(self) -> bool:
        """Whether it runs in a lower float since this was decided."""
        return self.dtype is not None and self.dtype is not f32


@dataclass(frozen=True, slots=True)
class Plan:
    """What nodes come to: they are converted, or follow their operands into a lower float, or stay as they are."""

    decision: Decision
    lowered: Lowered | None  # None: they stay
    follows: bool
    guarded: Mapping[Instruction, Reason]  # the nodes of a form that have a plan of their own


class Plans:
    """The plans for the nodes of one function."""

    def __init__(self, context: Context, choice: Choice, constraints: Constraints) -> None:
        self._nodes = context.survey.nodes
        self._policy = context.policy
        self._choice = choice
        self._constraints = constraints
        self._of_forms: dict[Form, Plan] = {}

    def of_group(self, group: Group) -> Iterator[tuple[Plan, Sequence[Instruction]]]:
        """Yield the plans for the nodes of a group, which has floats and no regions, each with those that have it."""
        insts, guarded = group.insts, self._of(self._nodes[group.insts[0]]).guarded
        apart: Sequence[Instruction] = ()
        if not self._choice.is_about_forms:
            apart, insts = insts, []
        elif guarded:
            apart = [inst for inst in insts if inst in guarded]
            insts = [inst for inst in insts if inst not in guarded] if apart else insts
        for inst in apart:
            yield self._of(self._nodes[inst]), (inst,)
        if insts:
            yield self._of(self._nodes[insts[0]]), insts

    def _of(self, node: SurveyedNode) -> Plan:
        """Return the plan for a node that may be decided about by itself."""
        plan = self._of_forms.get(node.form)
        if plan is None or node.inst in plan.guarded:
            plan = self._make(node)
            if self._choice.is_about_forms and node.inst not in plan.guarded:
                self._of_forms[node.form] = plan
        return plan

    def _make(self, node: SurveyedNode) -> Plan:
        precision = self._choice.precision_of(node)
        dtype = self._policy.dtype_of(precision)
        guarded = self._constraints.against(dtype).guarded
        lowered = self._choice.why_f32(node, dtype) or self._constraints.of(dtype).lowered(node)
        if isinstance(lowered, Reason):
            return Plan(Decision(None, lowered), None, False, guarded)
        if precision is Precision.FOLLOW:
            return Plan(Decision(dtype, FOLLOWS), lowered, True, guarded)
        return Plan(Decision(dtype, self._choice.reason_of(Rule.POLICY_LOW, node)), lowered, False, guarded)
