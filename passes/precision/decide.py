"""The decision for each node of a function: f32 or a lower float, and why.

Deliberately absent: changes. `passes/auto_mixed_precision.py` makes the program what is decided here.

What depends on the node alone is decided by `passes/precision/plans.py`, for a group of nodes at once. What follows its
operands comes next (`passes/precision/following.py`). Where kinds decide alone, nothing follows, and the borders of
regions do what the kind of their instruction does.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from passes.precision.choice import Choice, is_as_asked
from passes.precision.constants import Constants
from passes.precision.constraints import Constraints
from passes.precision.context import Callees, Context
from passes.precision.decided import Decided
from passes.precision.definitions import Lowered
from passes.precision.following import Following
from passes.precision.fused_norms import WHY as WHY_NO_NORM
from passes.precision.fused_norms import refused_norms
from passes.precision.islands import idle_instructions
from passes.precision.plans import Decision, Plans
from passes.precision.policy import PrecisionPolicy
from passes.precision.reasons import WIDENING_RULES, Reason, Rule
from passes.precision.requests import Requests
from passes.precision.survey import Survey
from runtime.dtypes import DType, f32
from runtime.functions import Function
from runtime.instructions import Instruction
from runtime.signatures import Signatures
from runtime.values import Operand


class Decisions:
    """The decisions for a function, made when this is; `dtypes` are those of the values that change."""

    def __init__(
        self,
        function: Function,
        policy: PrecisionPolicy,
        signatures: Signatures | None,
        callees: Callees | None = None,
        requests: Requests | None = None,
        insts: Sequence[Instruction] | None = None,
    ) -> None:
        self.policy = policy
        self.requests = requests or Requests()
        self.survey = Survey(function, policy.floats, insts=insts)
        self.constants = Constants(self.survey)
        self._decided = Decided()
        self.of, self.slots, self.dtypes = self._decided.of, self._decided.slots, self._decided.dtypes
        context = Context(self.survey, self.constants, policy, signatures, callees or {}, self.requests)
        self._constraints = Constraints(context)
        self._choice = Choice(context, self._constraints)
        self._plans = Plans(context, self._choice, self._constraints)
        self.followers = self._decide_each()
        if policy.by_kind:
            self._decide_gates()
        Following(context, self._constraints, self._choice, self._decided).run(self.followers)
        if not policy.by_kind:
            self._leave_idle()
            norms = refused_norms(self.survey, self.dtypes, self.slots)
            self._decided.take_back(norms, Reason(Rule.RUNTIME, WHY_NO_NORM))

    def wanted(self, user: Instruction, slot: int, dtype: DType) -> DType | None:
        """Return the float that a slot of what has regions, or ends one, is to hold; `dtype` is what is there."""
        decision = self.of.get(user)
        if user in self.survey.nodes and (decision is None or decision.dtype is None):
            return dtype
        return self._decided.gate_slots.get((user, slot), dtype)

    def may_give(self, value: Operand, dtype: DType) -> bool:
        """Whether the node that gives a value, if one does, may give a float."""
        return self._constraints.of(dtype).may_give(value)

    def kept(self, rounded: Container[object]) -> list[tuple[Instruction, str]]:
        """Return what stays f32 and why, but for constants that were rounded: first what follows nothing."""
        kept = [inst for inst, one in self.of.items() if not (one.is_low or inst in rounded)]
        kept.sort(key=self.survey.places.__getitem__)
        kept.sort(key=self._rank)
        return [(inst, self.of[inst].reason.why) for inst in kept]

    def _rank(self, inst: Instruction) -> int:
        """Return when an instruction was decided about: by itself, as something that follows, or as what is left."""
        if self.of[inst].reason.rule in (Rule.FOLLOWS_F32, Rule.REGIONS):
            return 2
        return int(inst in self.followers or bool(inst.blocks))

    def _decide_each(self) -> Mapping[Instruction, Lowered]:
        """Decide what depends on nothing else, and return the nodes that follow their operands."""
        followers: dict[Instruction, Lowered] = {}
        for group in self.survey.groups:
            if group.form.has_regions or not group.form.is_float:
                continue
            for plan, insts in self._plans.of_group(group):
                if plan.lowered is None:
                    self._keep(insts, plan.decision)
                elif plan.follows:
                    followers.update(dict.fromkeys(insts, plan.lowered))
                else:
                    self._decided.convert(insts, plan.lowered, plan.decision)
        return followers

    def _keep(self, insts: Sequence[Instruction], decision: Decision) -> None:
        """Let nodes stay as they are; where kinds decide alone, their lower floats are widened if that is why."""
        self._decided.keep(insts, decision)
        node = self.survey.nodes[insts[0]] if self.policy.by_kind else None
        if node is None or decision.reason.rule not in WIDENING_RULES or is_as_asked(node):
            return
        if any(value.type.dtype is not f32 for value in (*node.operands, *node.results)):
            lowered = self._constraints.of(f32).lowered(node)
            if isinstance(lowered, Lowered):
                self._decided.convert(insts, lowered, Decision(f32, decision.reason))

    def _decide_gates(self) -> None:
        """Let what passes through the borders of regions do what the kind of their instruction does."""
        for gate in self.survey.gates:
            node = self.survey.nodes[gate.inst]
            if not gate.is_known or node.facts is None:
                continue
            dtype = self._choice.target_of(node)
            if self._constraints.of(dtype).allows(gate):
                rule = Rule.POLICY_F32 if dtype is f32 else Rule.POLICY_LOW
                self._decided.open(gate, Decision(dtype, self._choice.reason_of(rule, node)))

    def _leave_idle(self) -> None:
        """Take back what would be low without a product."""
        low = {*self.slots, *[gate.inst for gate in self._decided.low_gates]}
        stated = self._choice.stated(self.survey)
        idle = idle_instructions(self.survey, low, self.dtypes, self.slots, self._decided.low_gates, stated)
        self._decided.take_back(idle, Reason(Rule.IDLE, Rule.IDLE.value))
