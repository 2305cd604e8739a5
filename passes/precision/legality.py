"""Whether the signature of an operator lets its float operands be another float, and which results change with them.

What has a definition is asked by `passes/precision/definitions.py`.

Deliberately absent: tables of operators. Signatures are those of the module (`Module.signatures`), which a front end
has taken from the specification. Slots of one type variable have one type, so an operand that stays f32 holds others
back, one that has a variable of its own stays f32 alone, and a result changes where a converted operand shares its
variable.
"""

from __future__ import annotations

from collections.abc import Mapping

from passes.precision.definitions import Definitions, Lowered
from passes.precision.facts_of import is_idle_cast
from passes.precision.forms import Form
from passes.precision.overrides import NO_OVERRIDES, Overrides, stays_by
from passes.precision.policy import Override
from passes.precision.reasons import Reason, Rule
from passes.precision.regions import Gate
from passes.precision.survey import SurveyedNode
from runtime.dtypes import DType, f32
from runtime.generic import OnnxNode
from runtime.signatures import Signature, Signatures, SlotTypes


class Legality:
    """Answers for one lower float and the operator sets of one function.

    What one node answers goes for all nodes of its form.
    """

    def __init__(
        self,
        low: DType,
        signatures: Signatures | None,
        versions: Mapping[str, int],
        floats: tuple[DType, ...] = (f32,),
        overrides: Overrides = NO_OVERRIDES,
    ) -> None:
        self.low = low
        self._floats = floats
        self._overrides = overrides
        self._signatures = signatures
        self._versions = versions
        self._definitions = Definitions(low, floats, overrides)
        self._answers: dict[tuple[Form, tuple[bool, ...]], Lowered | Reason] = {}

    def lowered(self, node: SurveyedNode) -> Lowered | Reason:
        """Return what a node looks like in the lower float, or why there is no such node."""
        inst = node.inst
        if not isinstance(inst, OnnxNode):
            return self._definitions.lowered(node)
        if self._overrides.are_about_operands:
            return self._ask(node, inst)
        unused: list[bool] = []
        if node.form.has_unknown_results:
            unused = [result.type.dtype is None and not result.has_users for result in inst.results]
        key = (node.form, tuple(unused))
        answer = self._answers.get(key)
        if answer is None:
            answer = self._answers[key] = self._ask(node, inst)
        return answer

    def _ask(self, node: SurveyedNode, inst: OnnxNode) -> Lowered | Reason:
        signature = self._signature(inst)
        if signature is None:
            return self._no_signature(inst)
        if not node.data:
            return Reason(Rule.NO_OPERAND, Rule.NO_OPERAND.value)
        rules = {at: signature.operand(at) for at, value in enumerate(node.values) if value is not None}
        slots = frozenset(at for at in node.data if (rule := rules[at]) is not None and self.low in rule.dtypes)
        kept = self._kept(node, rules)
        if slots and slots.issubset(kept):
            return stays_by(kept.values())
        slots = slots.difference(kept)
        if not slots:
            return self._why_not(inst, rules[node.data[0]])
        variables: dict[str, tuple[DType, str]] = {}
        for at, rule in rules.items():
            value = node.values[at]
            dtype = self.low if at in slots or value is None else value.type.dtype
            if rule is None or dtype is None:
                return Reason(Rule.UNKNOWN_TYPE, "the type of an operand is not known")
            if rule.variable is not None:
                other, name = variables.setdefault(rule.variable, (dtype, rule.name))
                if other is not dtype:
                    stays, moves = (rule.name, name) if other is self.low else (name, rule.name)
                    return Reason(Rule.SIGNATURE, f"{moves} and {stays} have one type, and {stays} is not converted")
        low = {variable for variable, (dtype, _) in variables.items() if dtype is self.low}
        return self._results(node, inst, signature, slots, low)

    def _kept(self, node: SurveyedNode, rules: Mapping[int, SlotTypes | None]) -> Mapping[int, Override]:
        """Return the slots that overrides keep as they are."""
        if not self._overrides.are_about_operands:
            return {}
        names = ["" if (rule := rules.get(at)) is None else rule.name for at in range(len(node.values))]
        return self._overrides.kept_slots(node, names)

    def _results(
        self, node: SurveyedNode, inst: OnnxNode, signature: Signature, slots: frozenset[int], low: set[str]
    ) -> Lowered | Reason:
        """Find the results that change with operands whose type variables are the lower float."""
        results = []
        for at, result in enumerate(inst.results):
            if at in inst.absent or (result.type.dtype is None and not result.has_users):
                continue
            rule = signature.result(at)
            if result.type.dtype is None or rule is None:
                return Reason(Rule.UNKNOWN_TYPE, "the type of a result is not known")
            if rule.variable in low and result.type.dtype in self._floats:
                if self.low not in rule.dtypes:
                    return self._why_not(inst, rule)
                results.append(at)
        if node.results and not results:
            return self._why_not(inst, signature.result(0))
        return Lowered(slots, tuple(results))

    def may_give(self, inst: OnnxNode) -> bool:
        """Whether the first result of a node may be the lower float."""
        signature = self._signature(inst)
        rule = None if signature is None else signature.result(0)
        return rule is not None and self.low in rule.dtypes

    def allows(self, gate: Gate) -> bool:
        """Whether the values that pass through a gate may all be the lower float."""
        if not isinstance(gate.inst, OnnxNode):
            return gate.is_known and self._definitions.allows(gate)
        signature = self._signature(gate.inst)
        if signature is None or not gate.is_known:
            return False
        rules = [signature.operand(at) for inst, at in gate.slots if inst is gate.inst]
        results = {result: at for at, result in enumerate(gate.inst.results)}
        rules += [signature.result(results[target]) for target in gate.targets if target in results]
        types = [value.type.dtype for value in (*gate.sources, *gate.targets)]
        return all(rule is not None and self.low in rule.dtypes for rule in rules) and all(
            one in self._floats for one in types
        )

    def _signature(self, inst: OnnxNode) -> Signature | None:
        version = self._versions.get(inst.domain)
        known = self._signatures
        name = "Identity" if is_idle_cast(inst) else inst.op_type
        return None if version is None or known is None else known.signature(inst.domain, name, version)

    def _no_signature(self, inst: OnnxNode) -> Reason:
        version = self._versions.get(inst.domain, "?")
        return Reason(Rule.UNKNOWN_OPERATOR, f"operator set {version} of {inst.domain} has no {inst.op_type}")

    def _why_not(self, inst: OnnxNode, rule: SlotTypes | None) -> Reason:
        version, name = self._versions[inst.domain], "an operand" if rule is None else rule.name
        return Reason(Rule.SIGNATURE, f"{name} may not be {self.low} in operator set {version}")
