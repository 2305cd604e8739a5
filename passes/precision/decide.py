"""The decision for each node of a function: f32 or a lower float, and why.

Deliberately absent: changes. `passes/auto_mixed_precision.py` makes the program what is decided here.

What depends on the node alone is decided by `passes/precision/plans.py`. What follows its operands is low as soon as
all of them are; so is what passes through the borders of regions, and whatever follows that.
Where kinds decide alone, the borders of regions do what the kind of their instruction does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain

from passes.precision.choice import Choice, is_as_asked
from passes.precision.constants import Constants
from passes.precision.definitions import Lowered
from passes.precision.fused_norms import WHY as WHY_NO_NORM
from passes.precision.fused_norms import refused_norms
from passes.precision.guards import named
from passes.precision.islands import idle_instructions
from passes.precision.judge import Callees, Judges
from passes.precision.plans import Decision, Plans
from passes.precision.policy import Precision, PrecisionPolicy
from passes.precision.reasons import FOLLOWS, WIDENING_RULES, Reason, Rule
from passes.precision.regions import Gate
from passes.precision.requests import Requests
from passes.precision.survey import Survey, SurveyedNode
from runtime.dtypes import DType, f32
from runtime.functions import Function
from runtime.instructions import Instruction
from runtime.signatures import Signatures
from runtime.values import Operand, Result, Value


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
        self.of: dict[Instruction, Decision] = {}
        self.slots: dict[Instruction, frozenset[int]] = {}  # those of a node that are converted
        self.dtypes: dict[Operand, DType] = {}  # in the order in which it was decided
        self.constants = Constants(self.survey)
        self._judges = Judges(self.survey, self.constants, policy, signatures, callees or {})
        self._choice = Choice(function, policy, self.requests, self._judges)
        self._plans = Plans(policy, self._choice, self._judges)
        self._lowered: dict[Instruction, Lowered] = {}
        self._gate_slots: dict[tuple[Instruction, int], DType] = {}
        self._low_gates: list[Gate] = []
        self._queue: deque[Operand] = deque()
        followers = self._decide_each()
        if policy.by_kind:
            self._decide_gates()
        self._follow(followers)
        if not policy.by_kind:
            self._leave_idle()
            self._take_back(refused_norms(self.survey, self.dtypes, self.slots), Reason(Rule.RUNTIME, WHY_NO_NORM))

    def wanted(self, user: Instruction, slot: int, dtype: DType) -> DType | None:
        """Return the float that a slot of what has regions, or ends one, is to hold; `dtype` is what is there."""
        decision = self.of.get(user)
        if user in self.survey.nodes and (decision is None or decision.dtype is None):
            return dtype
        return self._gate_slots.get((user, slot), dtype)

    def may_give(self, value: Operand, dtype: DType) -> bool:
        """Whether the node that gives a value, if one does, may give a float."""
        return self._judges.of(dtype).may_give(value)

    def _decide_each(self) -> dict[Instruction, SurveyedNode]:
        """Decide what depends on nothing else, and return the nodes that follow their operands."""
        followers: dict[Instruction, SurveyedNode] = {}
        for node in self.survey.nodes.values():
            if not (node.data or node.results) or node.form.has_regions:
                continue
            plan = self._plans.of(node)
            if plan.lowered is None:
                self._keep(node, plan.decision)
            elif plan.follows:
                followers[node.inst] = node
                self._lowered[node.inst] = plan.lowered
            else:
                self._convert(node.inst, plan.lowered, plan.decision)
        return followers

    def _keep(self, node: SurveyedNode, decision: Decision) -> None:
        """Let a node stay as it is; where kinds decide alone, its lower floats are widened if that is why."""
        self.of[node.inst] = decision
        if not self.policy.by_kind or decision.reason.rule not in WIDENING_RULES or is_as_asked(node):
            return
        if any(value.type.dtype is not f32 for value in (*node.operands, *node.results)):
            lowered = self._judges.of(f32).lowered(node)
            if isinstance(lowered, Lowered):
                self._convert(node.inst, lowered, Decision(f32, decision.reason))

    def _decide_gates(self) -> None:
        """Let what passes through the borders of regions do what the kind of their instruction does."""
        for gate in self.survey.gates:
            node = self.survey.nodes[gate.inst]
            if not gate.is_known or node.facts is None:
                continue
            dtype = self._choice.target_of(node)
            if self._judges.of(dtype).allows(gate):
                self._gate_slots.update(dict.fromkeys(gate.slots, dtype))
                rule = Rule.POLICY_F32 if dtype is f32 else Rule.POLICY_LOW
                self._change(gate.inst, gate.targets, Decision(dtype, self._choice.reason_of(rule, node)))

    def _follow(self, followers: Mapping[Instruction, SurveyedNode]) -> None:
        """Let what follows become low as soon as all that it follows is; each use is counted down once."""
        counts = {inst: _counted(self._variable(self._followed(node))) for inst, node in followers.items()}
        missing: dict[Instruction | Gate, int] = {inst: sum(count.values()) for inst, count in counts.items()}
        read = {*chain.from_iterable([node.values for node in followers.values()]), *self.survey.gates_from}
        gates = () if self.policy.by_kind else [gate for gate in self.survey.gates if self._may_be_low(gate)]
        missing.update({gate: len(self._variable_sources(gate)) for gate in gates})
        for gate in gates:
            if not missing[gate] and self._is_wanted_low(gate):
                self._pass_low(gate, self.policy.low)
        seen: dict[Instruction | Gate, DType] = {}  # what has become low has one dtype, or nothing follows it
        while self._queue:
            value = self._queue.popleft()
            if value not in read:
                continue
            dtype = self.dtypes[value]
            for user in value.users if isinstance(value, Value) else ():
                if user in counts and seen.setdefault(user, dtype) is dtype:
                    missing[user] -= counts[user].get(value, 0)
                    if not missing[user] and user not in self.of:
                        self._follow_to(followers[user], dtype)
            for gate in self.survey.gates_from.get(value, ()):
                if gate in missing and seen.setdefault(gate, dtype) is dtype:
                    missing[gate] -= 1
                    if not missing[gate] and self._judges.of(dtype).allows(gate):
                        self._pass_low(gate, dtype)
        for node in self.survey.nodes.values():
            if node.inst not in self.of and (node.data or node.results or node.inst.blocks):
                self.of[node.inst] = Decision(None, self._why_not_followed(node))

    def _pass_low(self, gate: Gate, dtype: DType) -> None:
        self._low_gates.append(gate)
        self._gate_slots.update(dict.fromkeys(gate.slots, dtype))
        self._change(gate.inst, gate.targets, Decision(dtype, FOLLOWS))

    def _variable_sources(self, gate: Gate) -> list[Operand]:
        """Return what decides about a gate: no constant, and not what a loop hands on unchanged."""
        return [value for value in self._variable(gate.sources) if value not in gate.targets]

    def _is_wanted_low(self, gate: Gate) -> bool:
        """Whether the uses of a constant that a loop hands on unchanged all want the lower float."""
        wanted = bool(gate.reads) and all(at in self.slots.get(user, ()) for user, at in gate.reads)
        return wanted and self._judges.of(self.policy.low).allows(gate)

    def _leave_idle(self) -> None:
        """Take back what would be low without a product."""
        low = {inst for inst, one in self.of.items() if one.dtype is not None and one.dtype is not f32}
        stated = self._choice.stated(self.survey.nodes[inst] for inst in low)
        idle = idle_instructions(self.survey, low, self.dtypes, self.slots, self._low_gates, stated)
        self._take_back(idle, Reason(Rule.IDLE, Rule.IDLE.value))

    def _take_back(self, insts: Set[Instruction], reason: Reason) -> None:
        """Let what was decided to be low stay as it is."""
        if not insts:
            return
        for inst in insts:
            self.of[inst] = Decision(None, reason)
            self.slots.pop(inst, None)
        for gate in self._low_gates:
            if gate.inst in insts:
                for slot in gate.slots:
                    self._gate_slots.pop(slot, None)
                for target in gate.targets:
                    self.dtypes.pop(target, None)
        for value in [one for one in self.dtypes if (one.owner if isinstance(one, Result) else one) in insts]:
            del self.dtypes[value]

    def _follow_to(self, node: SurveyedNode, dtype: DType) -> None:
        lowered: Lowered | Reason = self._lowered[node.inst]
        if dtype is not self.policy.low:
            lowered = self._choice.why_f32(node, dtype) or self._judges.of(dtype).lowered(node)
        if isinstance(lowered, Reason):
            self.of[node.inst] = Decision(None, lowered)
        else:
            self._convert(node.inst, lowered, Decision(dtype, FOLLOWS))

    def _convert(self, inst: Instruction, lowered: Lowered, decision: Decision) -> None:
        self.slots[inst] = lowered.slots
        self._change(inst, lowered.results_of(inst), decision)

    def _change(self, inst: Instruction, values: tuple[Value, ...], decision: Decision) -> None:
        self.of[inst] = decision
        dtype = decision.dtype
        assert dtype is not None
        for value in values:
            if value.type.dtype is not dtype and value not in self.dtypes:
                self.dtypes[value] = dtype
                self._queue.append(value)

    def _followed(self, node: SurveyedNode) -> list[Operand]:
        """Return what a node follows: all that it would read in the lower float."""
        slots = self._lowered[node.inst].slots
        return [value for at, value in enumerate(node.values) if at in slots and value is not None]

    def _variable(self, values: list[Operand] | tuple[Operand, ...]) -> list[Operand]:
        return [value for value in values if value not in self.constants]

    def _may_be_low(self, gate: Gate) -> bool:
        node = self.survey.nodes[gate.inst]
        if not gate.is_known or node.facts is None or self._choice.precision_of(node) is Precision.F32:
            return False
        if self.requests.why_f32(gate.inst, (*gate.sources, *gate.targets), self.policy.low) is not None:
            return False
        return self._judges.of(self.policy.low).allows(gate)

    def _why_not_followed(self, node: SurveyedNode) -> Reason:
        if node.inst.blocks:
            return Reason(Rule.REGIONS, Rule.REGIONS.value)
        other = next((one for one in self._variable(self._followed(node)) if one not in self.dtypes), None)
        why = "follows constants, which stay f32" if other is None else f"follows {named(other)}, which stays f32"
        return Reason(Rule.FOLLOWS_F32, why)


def _counted(values: Iterable[Operand]) -> dict[Operand, int]:
    """Return how often each value is there; a Counter costs four times as much for one or two."""
    counts: dict[Operand, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return counts
