"""What a policy wants a node to run in, and why it does not: a wish of the user, a guard, what the node is.

Deliberately absent: signatures and definitions, and whatever depends on other nodes (`passes/precision/decide.py`).
"""

from __future__ import annotations

from passes.precision.constraints import Constraints
from passes.precision.context import Context
from passes.precision.forms import Form
from passes.precision.overrides import Overrides, stays_by
from passes.precision.policy import OpKind, Override, Precision
from passes.precision.reasons import Reason, Rule
from passes.precision.survey import Survey, SurveyedNode
from runtime.dtypes import DType, f32
from runtime.generic import OnnxNode
from runtime.instructions import Instruction


class Choice:
    """Answers for the nodes of one function."""

    def __init__(self, context: Context, constraints: Constraints) -> None:
        policy, requests, function = context.policy, context.requests, context.survey.function
        self._policy = policy
        self._requests = requests
        self._constraints = constraints
        self._overrides = Overrides(policy.overrides)
        self._of_forms: dict[Form, Override | None] = {}
        self._reasons: dict[tuple[Rule, str], Reason] = {}
        self._kinds = {kind.value: policy.precision_of(kind) for kind in OpKind}
        self._local = function.module.functions if function.module is not None else {}
        self.is_about_forms = not (
            requests.are_of_values or self._overrides.are_about_names
        )  # no two of one form differ

    def why_f32(self, node: SurveyedNode, dtype: DType) -> Reason | None:
        """Return why a node does not run in a float that its kind would let it run in; None where it may."""
        if self._requests.are_of_values:
            asked = self._requests.why_f32(node.inst, (*node.results, *node.operands), self._policy.low)
            if asked is not None:
                return asked
        constraints = self._constraints.against(dtype)
        guard = constraints.guard(node)
        is_f32_kind = node.facts is not None and node.data and dtype is f32
        if guard is not None and not (is_f32_kind and not constraints.is_sticky(node)):
            return guard
        if self._calls(node):
            return Reason(Rule.LOCAL_FUNCTION, Rule.LOCAL_FUNCTION.value)
        facts = node.facts
        if facts is None:
            return Reason(Rule.UNKNOWN_OPERATOR, f"nothing is known about {node.form.label}")
        if node.form.is_rounded_as_asked:
            return Reason(Rule.ASKED_FOR, Rule.ASKED_FOR.value)
        if not isinstance(node.inst, OnnxNode) and node.inst.INFO.semantics is None and not self._policy.by_kind:
            return Reason(Rule.UNKNOWN_OPERATOR, f"what {node.form.label} computes is not known")
        if facts.precision_intact or facts.keeps_dtype:
            return Reason(Rule.TYPES_ARE_ITS_PURPOSE, Rule.TYPES_ARE_ITS_PURPOSE.value)
        if not node.data and not (self._policy.by_kind and dtype is not f32):
            return Reason(Rule.NO_OPERAND, Rule.NO_OPERAND.value)
        if not is_f32_kind:
            return None
        stated = self._stated(node)
        if stated is not None and stated.precision is Precision.F32:
            return stays_by((stated,))
        if self._is_forced(node) and self._by_policy(node) is not Precision.F32:
            return Reason(Rule.FORCE_F32, Rule.FORCE_F32.value)
        return self.reason_of(Rule.POLICY_F32, node)

    def _stated(self, node: SurveyedNode) -> Override | None:
        """Return the override that counts for a node, if there is one."""
        if not self._overrides.are_about_nodes:
            return None
        if not self.is_about_forms:
            return self._overrides.of(node)
        if node.form not in self._of_forms:
            self._of_forms[node.form] = self._overrides.of(node)
        return self._of_forms[node.form]

    def _calls(self, node: SurveyedNode) -> bool:
        """Whether a node calls a function of the module, by what it is called or by one of its attributes."""
        if len(self._local) < 2:
            return False
        if isinstance(node.inst, OnnxNode):
            return node.callee in self._local
        return any(
            getattr(node.inst, one.name) in self._local for one in node.inst.INFO.attributes if one.type == "str"
        )

    def _is_forced(self, node: SurveyedNode) -> bool:
        return self._policy.by_kind and node.facts is not None and node.facts.force_f32

    def _by_policy(self, node: SurveyedNode) -> Precision:
        assert node.facts is not None
        if node.facts.follow and not self._policy.by_kind:
            return Precision.FOLLOW
        return self._kinds[node.facts.op_kind]

    def precision_of(self, node: SurveyedNode) -> Precision:
        """Return what the policy says of a node: its kind, unless an override does."""
        stated = self._stated(node)
        if stated is not None:
            return stated.precision
        if node.facts is None or self._is_forced(node):
            return Precision.F32
        return self._by_policy(node)

    def stated(self, survey: Survey) -> set[Instruction]:
        """Return the nodes of which an override says what they run in."""
        found: set[Instruction] = set()
        for group in survey.groups if self._overrides.are_about_nodes else ():
            if not self.is_about_forms:
                found.update([inst for inst in group.insts if self._stated(survey.nodes[inst]) is not None])
            elif self._stated(survey.nodes[group.insts[0]]) is not None:
                found.update(group.insts)
        return found

    def target_of(self, node: SurveyedNode) -> DType:
        """Return the float that the policy wants a node to run in."""
        return self._policy.dtype_of(self.precision_of(node))

    def reason_of(self, rule: Rule, node: SurveyedNode) -> Reason:
        """Return that the policy decided about a node; the nodes of one kind share a reason."""
        assert node.facts is not None
        stated = self._stated(node)
        what = node.facts.op_kind if stated is None else f"the override {stated}"
        reason = self._reasons.get((rule, what))
        if reason is None:
            reason = self._reasons[rule, what] = Reason(rule, f"{self._policy.name}: {what}")
        return reason


def is_as_asked(node: SurveyedNode) -> bool:
    """Whether a node gives what somebody asked for, a cast for example: it stays as it is, whatever a guard sees."""
    if node.form.is_rounded_as_asked:
        return True
    return node.facts is None or node.facts.precision_intact or node.facts.keeps_dtype
