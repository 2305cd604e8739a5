"""What must stay f32 whatever a policy says: values that the lower float cannot hold, or that must be exact.

A value that a guard keeps in f32 is *sticky*: it may be out of the range of the lower float, so it is never narrowed,
and what is computed from it is sticky too, up to an operation that brings the range back (`range_safe`), that of its
first result. It passes through the borders of regions, and out of local functions. An instruction that reads or writes
tensors is no node, and stays as it is; a value that it gives may be sticky all the same.

What a cast gives is sticky where the program asks for f32 with it. Where kinds decide alone, a cast asks for nothing,
since the pass itself puts one in wherever two kinds meet: a second run could not tell whose it is.

Deliberately absent: what a policy or a signature says.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from passes.precision.angles import is_bounded
from passes.precision.attribute_ranges import unfit_attributes
from passes.precision.constant_range import ConstantRange, Unfit
from passes.precision.constants import Constants
from passes.precision.differences import takes_differences
from passes.precision.index_slice import index_values, values_needed_in_f32
from passes.precision.logarithms import puts_bounds
from passes.precision.marks import marks_of
from passes.precision.patterns import Patterns, adds_up_where_it_scatters
from passes.precision.reasons import Reason, Rule
from passes.precision.regions import Gate
from passes.precision.running_sums import running_sums
from passes.precision.runtime_faults import why_it_fails
from passes.precision.survey import Survey, SurveyedNode
from passes.precision.suspects import readings, suspects
from passes.precision.unfit_values import unfit_values
from runtime.dtypes import DType, f16, f32, holds
from runtime.instructions import Instruction
from runtime.precision_facts import SCALARS
from runtime.values import Operand, Value


@dataclass(frozen=True, slots=True)
class CalleeGuards:
    """What the callers of a local function must know: which arguments are indices, which results are sticky and why."""

    index_operands: frozenset[int]
    sticky_results: Mapping[int, str]


class Guards:
    """The guards of a function for one lower float: `reasons` by node, and `sticky` values with their origin.

    Values in `exact` stay f32 where they pass through the borders of regions: indices, and sums over the rounds.
    """

    def __init__(
        self,
        survey: Survey,
        constants: Constants,
        low: DType,
        callees: Mapping[str, CalleeGuards],
        by_kind: bool = False,
    ) -> None:
        self.reasons: dict[Instruction, Reason] = {}
        self.sticky: dict[Operand, str] = {}
        self._survey = survey
        self._constants = constants
        self._callees = callees
        self._range = ConstantRange(low, constants)
        self._patterns = Patterns(survey, constants)
        self._is_f16 = low is f16
        self._by_kind = by_kind
        self.indices = index_values(survey, {name: one.index_operands for name, one in callees.items()})
        self._needed = values_needed_in_f32(survey)
        read = readings(survey, constants)
        fitting = self._range.within([value for _, value, role in read if role not in SCALARS])
        sums = running_sums(survey, constants, low)
        self.exact = self.indices | sums.states
        self._marks = marks_of(survey, constants, self._patterns, self._range, by_kind, sums.nodes)
        self._queue: deque[Operand] = deque()
        self._spread_through: set[Instruction] = set()
        marked: set[object] = {*self.indices, *self._needed, *self._marks}
        nodes = suspects(survey, constants, self._range, self._patterns, marked, read, fitting)
        for node in survey.nodes.values() if callees else nodes:
            self._judge(node)
        for value, reason in unfit_values(survey, constants, self._range).items():
            producer = survey.producer(value)
            if producer is not None:
                self.reasons.setdefault(producer.inst, reason)
            self._mark(value, f"{named(value)}: {reason.why}")
        for node in survey.with_memory.values() if self._is_f16 else ():
            if node.facts is not None and node.facts.wide_range:
                why = f"{named(node.inst)}: {Rule.WIDE_RANGE.value}"
                self._mark_results(node, why, but_the_first=node.facts.range_safe)
        self._spread()

    def why_sticky(self, value: Operand) -> str | None:
        """Return why a value may be out of range, a constant included, or None."""
        unfit = self._range.why_unfit(value)
        return self.sticky.get(value) if unfit is None else unfit.why

    def _judge(self, node: SurveyedNode) -> None:
        """Find the reason that a node has by itself, and mark its results where they are sticky."""
        inst = node.inst
        callee = self._callees.get(node.callee or "") if self._callees else None
        if callee is not None:
            for at, why in callee.sticky_results.items():
                if at < len(inst.results) and self._survey.is_converted(inst.results[at]):
                    self._mark(inst.results[at], f"the local function {node.callee} says that {why}")
        for rule, why, spreads in self._why_constants(node) + self._why_other(node):
            self.reasons.setdefault(inst, Reason(rule, why))
            if spreads or (inst in self._constants and not is_bounded(node.facts)):
                self._mark_results(node, f"{named(node.inst)}: {why}")
                return

    def _why_constants(self, node: SurveyedNode) -> list[tuple[Rule, str, bool]]:
        """Return why constants keep a node in f32, and whether its results are sticky for it."""
        facts = node.facts
        if facts is None:
            return []
        found: list[tuple[Unfit, str]] = []
        for at in node.data:
            role = node.form.roles.get(at, "")
            value = node.values[at]
            unfit = None if value is None else self._range.why_unfit(value, role)
            if unfit is not None and not (unfit.is_small and self._patterns.is_bias(node)):
                found.append((unfit, role))
        found += unfit_attributes(node, self._range, self._constants)
        if not found:
            unfits = [unfit for result in node.results if (unfit := self._range.why_unfit(result)) is not None]
            return [(Rule.CONSTANT, unfit.why, False) for unfit in unfits]
        # The bound of a clip may be its result, and a small divisor makes a large one: the range is not brought back.
        large = [role == "bound" or (role == "divisor" and unfit.is_small) for unfit, role in found]
        whys = [unfit.why for unfit, _ in found]
        return [(Rule.CONSTANT, why, not facts.range_safe or one) for why, one in zip(whys, large, strict=True)]

    def _why_other(self, node: SurveyedNode) -> list[tuple[Rule, str, bool]]:
        facts, results = node.facts, node.results
        if facts is None or not results:
            return []
        if facts.computes == "convert":
            return self._why_cast(node)
        spreads = not facts.range_safe
        if any(result in self.indices for result in results):
            return [(Rule.INDEX, Rule.INDEX.value, spreads or puts_bounds(facts))]
        if facts.precision_intact:
            return [(Rule.EXACT, Rule.EXACT.value, False)]
        if (facts.wide_range or adds_up_where_it_scatters(node)) and self._is_f16:
            return [(Rule.WIDE_RANGE, Rule.WIDE_RANGE.value, spreads)]
        if self._is_f16 and self._patterns.is_square_of_norm(node):
            return [(Rule.WIDE_RANGE, "a square that is summed may be out of range", True)]
        mark = self._marks.get(node.inst)
        if mark is not None:
            return [(mark.rule, mark.why, mark.spreads)]
        fault = why_it_fails(node, self._survey, self._constants, self._range.low)
        if fault is not None:
            return [(Rule.RUNTIME, fault, False)]
        if any(result in self._needed for result in results):
            return [(Rule.NEEDED_IN_F32, Rule.NEEDED_IN_F32.value, False)]
        if self._patterns.is_centring(node):
            return [(Rule.CENTRING, f"{Rule.CENTRING.value}: most digits cancel", False)]
        if takes_differences(node, self._constants):
            return [(Rule.DIFFERENCES, Rule.DIFFERENCES.value, False)]
        return []

    def _why_cast(self, cast: SurveyedNode) -> list[tuple[Rule, str, bool]]:
        """Return why the f32 result of a cast that the program wrote must not be narrowed."""
        source = cast.values[0] if cast.values else None
        dtype = None if source is None else self._survey.dtype_of(source)
        if source is None or dtype is None:
            return []
        if dtype.is_float and dtype is not f32 and holds(f32, dtype) and not self._by_kind:
            return [(Rule.ASKED_FOR, Rule.ASKED_FOR.value, True)]
        producer = self._survey.producer(source)
        if dtype.is_int and producer is not None and producer.facts and producer.facts.op_kind == "compute":
            return [(Rule.WIDE_RANGE, "a sum of integer products may be out of range", True)]
        return []

    def _mark(self, value: Operand, origin: str) -> None:
        if value not in self.sticky:
            self.sticky[value] = origin
            self._queue.append(value)

    def _mark_results(self, node: SurveyedNode, origin: str, but_the_first: bool = False) -> None:
        """Make results sticky, but for constants whose elements are known: those are judged where they are used.

        What brings the range back does so of the first result: not of a mean or of eigenvalues that it gives, too.
        """
        for result in node.inst.results[but_the_first:]:
            holds_floats = result in node.results or self._survey.is_container(result)
            holds_floats = holds_floats or (but_the_first and result.type.dtype is f32)
            if holds_floats and self._constants.contents(result) is None:
                self._mark(result, origin)

    def _spread(self) -> None:
        passed: set[Gate] = set()
        for gate in self._survey.gates:
            for source in gate.sources:
                unfit = self._range.why_unfit(source) if self._survey.is_converted(source) else None
                if unfit is not None:
                    self._pass(gate, unfit.why, passed)
        while self._queue:
            value = self._queue.popleft()
            origin = self.sticky[value]
            for gate in self._survey.gates_from.get(value, ()):
                self._pass(gate, origin, passed)
            assert isinstance(value, Value)
            for user in value.users:
                node = self._survey.nodes.get(user) or self._survey.with_memory.get(user)
                if node is not None:
                    self._read(node, value, origin)

    def _pass(self, gate: Gate, origin: str, passed: set[Gate]) -> None:
        if gate not in passed:
            passed.add(gate)
            for target in gate.targets:
                if self._survey.is_converted(target) or self._survey.is_container(target):
                    self._mark(target, origin)

    def _read(self, node: SurveyedNode, value: Value, origin: str) -> None:
        """Keep a node in f32 that reads a sticky value; its results are sticky too, unless it brings the range back."""
        if node.inst in self._spread_through:
            return
        facts = node.facts
        converts = facts is not None and facts.computes == "convert" and bool(node.results)
        takes_out = self._survey.is_container(value)
        if not (converts or takes_out or any(node.values[at] is value for at in node.data)):
            return
        self._spread_through.add(node.inst)
        named_value = named(value)
        begins_here = origin.startswith(f"{named_value}: ")
        cause = origin.removeprefix(f"{named_value}: ") if begins_here else f"from {origin}"
        why = f"reads {named_value}, which may be out of range ({cause})"
        if (node.results or not takes_out) and node.inst in self._survey.nodes:
            self.reasons.setdefault(node.inst, Reason(Rule.OUT_OF_RANGE, why))
        is_constant = any(result in self._constants for result in node.results) and not is_bounded(facts)
        brings_back = facts is not None and (facts.range_safe or self._patterns.is_division(node))
        self._mark_results(node, origin, but_the_first=brings_back and not is_constant)


def named(value: Operand) -> str:
    """Return how a value is called in reasons."""
    name = value.name if isinstance(value, Value) else None
    return f"%{name}" if name else "a value without a name"
