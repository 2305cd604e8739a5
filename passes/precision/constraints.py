"""All that stands against a lower float in a function: its guards, and what signatures and definitions allow.

    constraints = Constraints(context)
    constraints.of(f16).lowered(node)  # what the node looks like in f16, or the reason why there is no such node

Deliberately absent: the policy's choice, which comes first (`passes/precision/decide.py`).
"""

from __future__ import annotations

from collections.abc import Mapping

from passes.precision.context import Context
from passes.precision.definitions import Lowered
from passes.precision.guards import Guards
from passes.precision.legality import Legality
from passes.precision.overrides import Overrides
from passes.precision.reasons import Reason
from passes.precision.regions import Gate
from passes.precision.runtime_faults import faults_of
from passes.precision.survey import SurveyedNode
from runtime.dtypes import DType, f32
from runtime.generic import OnnxNode
from runtime.instructions import Instruction
from runtime.values import Operand


class FloatConstraints:
    """What stands against one float."""

    def __init__(self, dtype: DType, context: Context) -> None:
        survey, constants, policy = context.survey, context.constants, context.policy
        is_guarded = policy.guards and dtype is not f32
        known = context.callees.get(dtype, {})
        self.guards = Guards(survey, constants, dtype, known, policy.by_kind) if is_guarded else None
        self._reasons: Mapping[Instruction, Reason] = {}
        if self.guards is not None:
            self._reasons = self.guards.reasons
        elif dtype is not f32:
            self._reasons = faults_of(survey, constants, dtype)  # which no policy passes over
        overrides = Overrides(policy.overrides)
        self._legality = Legality(dtype, context.signatures, survey.function.operator_sets, policy.floats, overrides)

    def guard(self, node: SurveyedNode) -> Reason | None:
        """Return the reason by which a guard keeps a node in f32, if one does."""
        return self._reasons.get(node.inst)

    @property
    def guarded(self) -> Mapping[Instruction, Reason]:
        """The nodes that a guard keeps in f32."""
        return self._reasons

    def is_sticky(self, node: SurveyedNode) -> bool:
        """Whether a result of a node may be out of the range of the float."""
        return self.guards is not None and any(result in self.guards.sticky for result in node.results)

    def lowered(self, node: SurveyedNode) -> Lowered | Reason:
        """Return what a node looks like in the float, or why there is no such node."""
        return self._legality.lowered(node)

    def may_give(self, value: Operand) -> bool:
        """Whether the node that gives a value, if one does, may give the float."""
        return not isinstance(value, OnnxNode) or self._legality.may_give(value)

    def allows(self, gate: Gate) -> bool:
        """Whether the values that pass through a gate may all be the float."""
        guards = self.guards
        if guards is not None and any(one in guards.sticky or one in guards.exact for one in gate.targets):
            return False
        return self._legality.allows(gate)


class Constraints:
    """What stands against each float in one function, found when somebody asks for it."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._known: dict[DType, FloatConstraints] = {}

    def of(self, dtype: DType) -> FloatConstraints:
        """Return what stands against a float."""
        if dtype not in self._known:
            self._known[dtype] = FloatConstraints(dtype, self._context)
        return self._known[dtype]

    def against(self, dtype: DType) -> FloatConstraints:
        """Return what counts for a node that is to run in a float: in f32, the guards of the policy's lower float."""
        return self.of(dtype if dtype is not f32 else self._context.policy.low)
