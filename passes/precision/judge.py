"""All that stands against one lower float in a function: its guards, and what signatures and definitions allow.

Deliberately absent: the policy's choice, which comes first (`passes/precision/decide.py`).
"""

from __future__ import annotations

from collections.abc import Mapping

from passes.precision.constants import Constants
from passes.precision.definitions import Lowered
from passes.precision.guards import CalleeGuards, Guards
from passes.precision.legality import Legality
from passes.precision.overrides import Overrides
from passes.precision.policy import PrecisionPolicy
from passes.precision.reasons import Reason
from passes.precision.regions import Gate
from passes.precision.runtime_faults import faults_of
from passes.precision.survey import Survey, SurveyedNode
from runtime.dtypes import DType, f32
from runtime.generic import OnnxNode
from runtime.instructions import Instruction
from runtime.signatures import Signatures
from runtime.values import Operand

Callees = Mapping[DType, Mapping[str, CalleeGuards]]
"""By lower float: what the guards find in local functions."""


class Judge:
    """Answers for one float."""

    def __init__(
        self,
        dtype: DType,
        survey: Survey,
        constants: Constants,
        policy: PrecisionPolicy,
        signatures: Signatures | None,
        callees: Callees,
    ) -> None:
        is_guarded = policy.guards and dtype is not f32
        known = callees.get(dtype, {})
        self.guards = Guards(survey, constants, dtype, known, policy.by_kind) if is_guarded else None
        self._reasons: Mapping[Instruction, Reason] = {}
        if self.guards is not None:
            self._reasons = self.guards.reasons
        elif dtype is not f32:
            self._reasons = faults_of(survey, constants, dtype)  # which no policy passes over
        overrides = Overrides(policy.overrides)
        self._legality = Legality(dtype, signatures, survey.function.operator_sets, policy.floats, overrides)

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


class Judges:
    """The judges of one function, each made when somebody asks for it."""

    def __init__(
        self,
        survey: Survey,
        constants: Constants,
        policy: PrecisionPolicy,
        signatures: Signatures | None,
        callees: Callees,
    ) -> None:
        self._about = (survey, constants, policy, signatures, callees)
        self._low = policy.low
        self._known: dict[DType, Judge] = {}

    def of(self, dtype: DType) -> Judge:
        """Return who answers for a float."""
        if dtype not in self._known:
            self._known[dtype] = Judge(dtype, *self._about)
        return self._known[dtype]

    def against(self, dtype: DType) -> Judge:
        """Return whose guards count for what is to run in a float: in f32, those of the policy's lower float."""
        return self.of(dtype if dtype is not f32 else self._low)
