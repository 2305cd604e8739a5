"""The decision for each node of a function: f32 or the lower float, and why.

Deliberately absent: changes. `passes/auto_mixed_precision.py` makes the program what is decided here.

In this order: a guard, what the node is, the policy for its kind, its signature. What follows its operands is low as
soon as all of them are; so is what passes through the borders of regions, and whatever follows that.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass

from passes.precision.constants import Constants
from passes.precision.definitions import Lowered
from passes.precision.guards import CalleeGuards, Guards, named
from passes.precision.labels import label_of
from passes.precision.legality import Legality
from passes.precision.policy import OpKind, Precision, PrecisionPolicy
from passes.precision.reasons import Reason, Rule
from passes.precision.regions import Gate
from passes.precision.requests import Requests
from passes.precision.survey import Survey, SurveyedNode
from runtime.functions import Function
from runtime.generic import OnnxNode
from runtime.instructions import Instruction
from runtime.signatures import Signatures
from runtime.values import Operand, Value


@dataclass(frozen=True, slots=True)
class Decision:
    """What is decided for one instruction."""

    is_low: bool
    reason: Reason


class Decisions:
    """The decisions for a function, made when this is; `low_values` are the values that become low."""

    def __init__(
        self,
        function: Function,
        policy: PrecisionPolicy,
        signatures: Signatures | None,
        callees: Mapping[str, CalleeGuards] | None = None,
        requests: Requests | None = None,
    ) -> None:
        self.requests = requests or Requests()
        self.policy = policy
        self.survey = Survey(function)
        self.of: dict[Instruction, Decision] = {}
        self.low_values: dict[Operand, None] = {}  # in the order in which they became low
        self._constants = Constants(self.survey)
        self._guards = Guards(self.survey, self._constants, policy.low, callees or {}) if policy.guards else None
        self._measured = {value for value in self.requests.measured if self.requests.why_measured(value, policy.low)}
        self._legality = Legality(policy.low, signatures, function.operator_sets)
        self._local = function.module.functions if function.module is not None else {}
        self._lowered: dict[Instruction, Lowered] = {}
        self._low_slots: set[tuple[Instruction, int]] = set()  # of gates
        self._queue: deque[Operand] = deque()
        followers = self._decide_each()
        self._follow(followers)

    def wanted_low(self, user: Instruction, slot: int) -> bool | None:
        """Return whether an operand slot that holds f32 in the program is to hold the lower float; None: either."""
        if user not in self.survey.nodes:
            return (user, slot) in self._low_slots
        if self.survey.role(user, slot) == "any":
            return None
        decision = self.of.get(user)
        if decision is None or not decision.is_low:
            return False
        return slot in self._lowered[user].slots if user in self._lowered else (user, slot) in self._low_slots

    def _decide_each(self) -> dict[Instruction, SurveyedNode]:
        """Decide what depends on nothing else, and return the nodes that follow their operands."""
        followers: dict[Instruction, SurveyedNode] = {}
        for node in self.survey.nodes.values():
            inst = node.inst
            if inst.blocks or not (node.data or node.results):
                continue
            reason = self._why_f32(node)
            lowered = reason or self._legality.lowered(node)
            if isinstance(lowered, Reason):
                self.of[inst] = Decision(False, lowered)
                continue
            self._lowered[inst] = lowered
            if self._precision_of(node) is Precision.FOLLOW:
                followers[inst] = node
            else:
                self._lower(inst, lowered.results, Reason(Rule.POLICY_LOW, self._policy_text(node)))
        return followers

    def _follow(self, followers: Mapping[Instruction, SurveyedNode]) -> None:
        """Let what follows become low as soon as all that it follows is; each use is counted down once."""
        counts = {inst: Counter(self._variable(self._followed(node))) for inst, node in followers.items()}
        missing: dict[Instruction | Gate, int] = {inst: count.total() for inst, count in counts.items()}
        gates = [gate for gate in self.survey.gates if self._may_be_low(gate)]
        missing.update({gate: len(self._variable(gate.sources)) for gate in gates})
        while self._queue:
            value = self._queue.popleft()
            for user in value.users if isinstance(value, Value) else ():
                if user in counts:
                    missing[user] -= counts[user][value]
                    if not missing[user] and user not in self.of:
                        results = self._lowered[user].results
                        self._lower(user, results, Reason(Rule.FOLLOWS_LOW, Rule.FOLLOWS_LOW.value))
            for gate in self.survey.gates_from.get(value, ()):
                if gate in missing:
                    missing[gate] -= 1
                    if not missing[gate]:
                        self._low_slots.update(gate.slots)
                        self._lower(gate.inst, gate.targets, Reason(Rule.FOLLOWS_LOW, Rule.FOLLOWS_LOW.value))
        for node in self.survey.nodes.values():
            if node.inst not in self.of and (node.data or node.results or node.inst.blocks):
                self.of[node.inst] = Decision(False, self._why_not_followed(node))

    def _lower(self, inst: Instruction, values: tuple[Value, ...], reason: Reason) -> None:
        self.of[inst] = Decision(True, reason)
        for value in values:
            if value not in self.low_values:
                self.low_values[value] = None
                self._queue.append(value)

    def _followed(self, node: SurveyedNode) -> list[Operand]:
        """Return what a node follows: all that it would read in the lower float."""
        slots = self._lowered[node.inst].slots
        return [value for at, value in enumerate(node.values) if at in slots and value is not None]

    def _variable(self, values: list[Operand] | tuple[Operand, ...]) -> list[Operand]:
        return [value for value in values if value not in self._constants]

    def _may_be_low(self, gate: Gate) -> bool:
        node = self.survey.nodes[gate.inst]
        if not gate.is_known or node.facts is None or self._precision_of(node) is Precision.F32:
            return False
        if self.requests.why_kept(gate.inst) or any(one in self._measured for one in (*gate.sources, *gate.targets)):
            return False
        guards = self._guards
        if guards is not None and any(one in guards.sticky or one in guards.indices for one in gate.targets):
            return False
        return self._legality.allows(gate)

    def _why_asked(self, node: SurveyedNode) -> Reason | None:
        """Return why a user keeps a node in f32, by a pattern or by what was measured."""
        why = self.requests.why_kept(node.inst)
        if why is not None:
            return Reason(Rule.KEPT, why)
        for value in (*node.results, *node.operands) if self._measured else ():
            if value in self._measured:
                return Reason(Rule.MEASURED, f"{named(value)}: {self.requests.why_measured(value, self.policy.low)}")
        return None

    def _why_f32(self, node: SurveyedNode) -> Reason | None:
        asked = self._why_asked(node)
        if asked is not None:
            return asked
        guard = self._guards.reasons.get(node.inst) if self._guards is not None else None
        is_f32_kind = node.facts is not None and node.data and self._precision_of(node) is Precision.F32
        if guard is not None and not (is_f32_kind and not self._is_sticky(node)):
            return guard
        if self._calls(node):
            return Reason(Rule.LOCAL_FUNCTION, Rule.LOCAL_FUNCTION.value)
        facts = node.facts
        if facts is None:
            return Reason(Rule.UNKNOWN_OPERATOR, f"nothing is known about {label_of(node.inst)}")
        if not isinstance(node.inst, OnnxNode) and (node.inst.rounding is not None or node.inst.keep_alu_dtype):
            return Reason(Rule.ASKED_FOR, Rule.ASKED_FOR.value)
        if facts.precision_intact or facts.keeps_dtype:
            return Reason(Rule.TYPES_ARE_ITS_PURPOSE, Rule.TYPES_ARE_ITS_PURPOSE.value)
        if not node.data:
            return Reason(Rule.NO_OPERAND, Rule.NO_OPERAND.value)
        return Reason(Rule.POLICY_F32, self._policy_text(node)) if is_f32_kind else None

    def _why_not_followed(self, node: SurveyedNode) -> Reason:
        if node.inst.blocks:
            return Reason(Rule.REGIONS, Rule.REGIONS.value)
        other = next((one for one in self._variable(self._followed(node)) if one not in self.low_values), None)
        why = "follows constants, which stay f32" if other is None else f"follows {named(other)}, which stays f32"
        return Reason(Rule.FOLLOWS_F32, why)

    def _calls(self, node: SurveyedNode) -> bool:
        """Whether a node calls a function of the module, by what it is called or by one of its attributes."""
        if len(self._local) < 2:
            return False
        if isinstance(node.inst, OnnxNode):
            return node.callee in self._local
        return any(
            getattr(node.inst, one.name) in self._local for one in node.inst.INFO.attributes if one.type == "str"
        )

    def _is_sticky(self, node: SurveyedNode) -> bool:
        return self._guards is not None and any(result in self._guards.sticky for result in node.results)

    def _precision_of(self, node: SurveyedNode) -> Precision:
        assert node.facts is not None
        return Precision.FOLLOW if node.facts.follow else self.policy.precision_of(OpKind(node.facts.op_kind))

    def _policy_text(self, node: SurveyedNode) -> str:
        assert node.facts is not None
        return f"{self.policy.name}: {node.facts.op_kind}"
