"""What follows its operands is low as soon as all of them are; so is what passes through the borders of regions.

    %x: f16     %t = Transpose %x     %r = Reshape %t, %shape          both become f16

Where nothing passes through regions and there is one lower float, one look at each in program order settles it. Else
each use is counted down, since what a loop carries comes around.

Deliberately absent: what depends on a node alone (`passes/precision/plans.py`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from passes.precision.choice import Choice
from passes.precision.constraints import Constraints
from passes.precision.context import Context
from passes.precision.decided import Decided
from passes.precision.definitions import Lowered
from passes.precision.guards import named
from passes.precision.plans import Decision
from passes.precision.policy import Precision
from passes.precision.reasons import FOLLOWS, Reason, Rule
from passes.precision.regions import Gate
from passes.precision.survey import SurveyedNode
from runtime.dtypes import DType
from runtime.instructions import Instruction
from runtime.values import Operand, Result, Value

Followers = Mapping[Instruction, Lowered]
"""The nodes that follow, and what each looks like in the lower float of the policy."""


class Following:
    """The following in one function, of which it tells what has been decided there."""

    def __init__(self, context: Context, constraints: Constraints, choice: Choice, decided: Decided) -> None:
        self._survey = context.survey
        self._policy = context.policy
        self._requests = context.requests
        self._constants = context.constants
        self._constraints = constraints
        self._choice = choice
        self._decided = decided

    def run(self, followers: Followers) -> None:
        """Let what follows become low where all that it follows is."""
        survey, of = self._survey, self._decided.of
        if survey.gates or len(self._policy.lower_floats) > 1:
            self._count_down(followers)
        elif followers:
            self._follow_in_order(followers)
        left = [inst for inst in followers if inst not in of]
        if survey.gates:
            left += [inst for inst, group in survey.group_of.items() if group.form.has_regions and inst not in of]
        for inst in sorted(left, key=survey.places.__getitem__) if left else ():
            of[inst] = Decision(None, self._why_not_followed(survey.nodes[inst], followers.get(inst)))

    def _follow_in_order(self, followers: Followers) -> None:
        """Look at each node behind whatever it follows."""
        dtypes, low, nodes = self._decided.dtypes, self._policy.low, self._survey.nodes
        decision = Decision(low, FOLLOWS)
        for inst in sorted(followers, key=self._survey.places.__getitem__):
            values, lowered = nodes[inst].values, followers[inst]
            followed = [values[at] for at in lowered.slots]
            if any([one is not None and one not in dtypes and one not in self._constants.held for one in followed]):
                continue
            if not dtypes.keys().isdisjoint(values):  # nor of constants alone
                self._decided.convert_one(inst, lowered, decision)

    def _count_down(self, followers: Followers) -> None:
        """Count the uses by each node of what has become low, each once."""
        survey, dtypes, of = self._survey, self._decided.dtypes, self._decided.of
        counts = {inst: _counted(self._variable(self._followed(inst, one))) for inst, one in followers.items()}
        missing: dict[Instruction | Gate, int] = {inst: sum(count.values()) for inst, count in counts.items()}
        read = {*chain.from_iterable([survey.nodes[inst].values for inst in followers]), *survey.gates_from}
        gates = () if self._policy.by_kind else [gate for gate in survey.gates if self._may_be_low(gate)]
        missing.update({gate: len(self._variable_sources(gate)) for gate in gates})
        queue: deque[Operand] = deque(sorted(dtypes, key=self._place))
        for gate in gates:
            if not missing[gate] and self._is_wanted_low(gate):
                queue += self._decided.pass_low(gate, self._policy.low)
        seen: dict[Instruction | Gate, DType] = {}  # what has become low has one dtype, or nothing follows it
        while queue:
            value = queue.popleft()
            if value not in read:
                continue
            dtype = dtypes[value]
            for user in value.users if isinstance(value, Value) else ():
                if user in counts and seen.setdefault(user, dtype) is dtype:
                    missing[user] -= counts[user].get(value, 0)
                    if not missing[user] and user not in of:
                        queue += self._follow_to(survey.nodes[user], dtype, followers[user])
            for gate in survey.gates_from.get(value, ()):
                if gate in missing and seen.setdefault(gate, dtype) is dtype:
                    missing[gate] -= 1
                    if not missing[gate] and self._constraints.of(dtype).allows(gate):
                        queue += self._decided.pass_low(gate, dtype)

    def _place(self, value: Operand) -> int:
        """Return where in the function a value is given, as far as its instruction goes."""
        home = value.owner if isinstance(value, Result) else value
        return self._survey.places[home] if isinstance(home, Instruction) else -1

    def _follow_to(self, node: SurveyedNode, dtype: DType, lowered: Lowered) -> Iterable[Operand]:
        """Decide about a node whose operands are all one lower float, and return its results that become it."""
        found: Lowered | Reason = lowered
        if dtype is not self._policy.low:
            found = self._choice.why_f32(node, dtype) or self._constraints.of(dtype).lowered(node)
        if isinstance(found, Reason):
            self._decided.of[node.inst] = Decision(None, found)
            return ()
        self._decided.convert_one(node.inst, found, Decision(dtype, FOLLOWS))
        return [value for value in found.results_of(node.inst) if value in self._decided.dtypes]

    def _variable_sources(self, gate: Gate) -> list[Operand]:
        """Return what decides about a gate: no constant, and not what a loop hands on unchanged."""
        return [value for value in self._variable(gate.sources) if value not in gate.targets]

    def _is_wanted_low(self, gate: Gate) -> bool:
        """Whether the uses of a constant that a loop hands on unchanged all want the lower float."""
        slots = self._decided.slots
        wanted = bool(gate.reads) and all(at in slots.get(user, ()) for user, at in gate.reads)
        return wanted and self._constraints.of(self._policy.low).allows(gate)

    def _may_be_low(self, gate: Gate) -> bool:
        node = self._survey.nodes[gate.inst]
        if not gate.is_known or node.facts is None or self._choice.precision_of(node) is Precision.F32:
            return False
        if self._requests.why_f32(gate.inst, (*gate.sources, *gate.targets), self._policy.low) is not None:
            return False
        return self._constraints.of(self._policy.low).allows(gate)

    def _followed(self, inst: Instruction, lowered: Lowered) -> list[Operand]:
        """Return what a node follows: all that it would read in the lower float."""
        values = self._survey.nodes[inst].values
        return [value for at, value in enumerate(values) if at in lowered.slots and value is not None]

    def _variable(self, values: Sequence[Operand]) -> list[Operand]:
        return [value for value in values if value not in self._constants]

    def _why_not_followed(self, node: SurveyedNode, lowered: Lowered | None) -> Reason:
        if lowered is None:
            return Reason(Rule.REGIONS, Rule.REGIONS.value)
        followed = self._variable(self._followed(node.inst, lowered))
        other = next((one for one in followed if one not in self._decided.dtypes), None)
        why = "follows constants, which stay f32" if other is None else f"follows {named(other)}, which stays f32"
        return Reason(Rule.FOLLOWS_F32, why)


def _counted(values: Iterable[Operand]) -> dict[Operand, int]:
    """Return how often each value is there; a Counter costs four times as much for one or two."""
    counts: dict[Operand, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return counts
