"""What is asked whether it is zero or beyond a threshold, and what is divided by: f32, back to where it comes from.

    %a = Mul %x, 0.5      %b: bool = Cast %a        of 1e-9 it is true, and false where f16 made 0 of it
    %d = Mul %v, %v       %q = Div %x, %d           a quotient, and no number where %d became 0

The answer jumps: true or false, and nothing in between, so the last digit of what is asked about decides. Such are
comparisons, casts to bool, signs, roundings to integers, remainders, and which of many is the largest: a sigmoid in f16
makes ties of all that is nearly 1. The way back goes through whatever works element by element, moves data or reduces
it.

What is raised to a large power is asked about in the same way: the error of the hundredth power is a hundred times that
of what is raised, be it a constant.

It must not be seen where the digits are lost already. What a product gives has an error in proportion to all that was
added up, and so has what keeps its sign and its zeros: a move, a sum, a maximum, a relu. Only a value that must be
exactly equal to another one, or is asked for nothing but being zero, takes the product to f32 with it.

A divisor must not become zero, which f32 and bf16 seldom do and f16 below 6e-8. It is no such case where it is a sum
with a constant that f16 can hold, such as an epsilon, or the larger one of the two; where it comes from an integer; or
where it is a power of e, which is f32 anyway. So is a sum of many, and its operands count as they are.

The results of all these may be narrowed. Deliberately absent: what a local function asks about its arguments; and
policies by which kinds decide alone, whose own casts a second run would take for the end of the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from passes.precision.arithmetic import CONVERT
from passes.precision.constants import Constants
from passes.precision.forms import Form
from passes.precision.logarithms import puts_bounds
from passes.precision.regions import Gate
from passes.precision.survey import Survey, SurveyedNode
from runtime.dtypes import DType, bool_, f32
from runtime.instructions import Instruction
from runtime.precision_facts import PrecisionFacts
from runtime.values import Operand

_KEEPS: Final = ("absolute", "add", "maximum", "minimum", "negative", "relu", "same", "select", "subtract")
"""Operations of which zero comes from zero, or from what cancels, alone."""

_SUMS: Final = ("add", "subtract")
_SMALL_FACTOR: Final = 2.0**-10
"""A factor that makes nothing zero but what is lost in the noise of a product."""

_STEEP: Final = 8
"""An exponent from which on the error of what is raised counts."""

_STEPS: Final = 16  # from a divisor back to an epsilon


def nodes_of_thresholds(survey: Survey, constants: Constants, low: DType) -> set[Instruction]:
    """Return the nodes that ask such questions, and those that give what they ask about."""
    words = {form: word for form in survey.forms if (word := _question(form)) is not None}
    may_vanish = low.smallest_normal > f32.smallest_normal
    divides = {form for form in survey.forms if may_vanish and "divisor" in form.roles.values()}
    divides |= {form for form in survey.forms if may_vanish and form.computes == "power"}
    steep = _steep_powers(survey, constants)
    if not words and not divides and not steep:
        return set()
    asking = [(node, "compare", node.operands) for node in map(survey.nodes.__getitem__, steep)]
    for node in survey.nodes_of(words.keys() | divides):
        word = words.get(node.form)
        if word == CONVERT:
            source = node.values[0] if node.values else None
            if source is not None and survey.is_converted(source) and survey.converts_to(node.inst) is bool_:
                asking.append((node, "equal", [source]))
        elif word is not None and node.data:
            asking.append((node, word, node.operands))
        elif node.form in divides:
            divisors = [one for at in node.data if (one := node.values[at]) and _is_divisor(node, at, constants)]
            divisors = [one for one in divisors if not _is_held_up(one, low.smallest_normal, survey, constants)]
            if divisors:
                asking.append((node, "divide", divisors))
    return _Ways(survey, constants).back_from(asking) if asking else set()


def _steep_powers(survey: Survey, constants: Constants) -> list[Instruction]:
    """Return what raises to a large power, or a constant to any: what is rounded away counts as often."""
    found: list[Instruction] = []
    for group in survey.groups:
        if group.form.computes != "power" or len(group.form.data) != 2:
            continue
        at, other = group.form.data
        for inst, values in zip(group.insts, group.values, strict=True):
            base, exponent = values[at], values[other]
            if base is None or exponent is None or exponent not in constants.held:
                is_steep = base in constants.held
            elif (number := constants.number(exponent)) is not None:
                is_steep = abs(number) >= _STEEP
            else:
                several = constants.small_contents(exponent)
                is_steep = several is not None and several.size > 0 and bool((abs(several) >= _STEEP).any())
            found += [inst] if is_steep else []
    return found


def _question(form: Form) -> str | None:
    """Return what the nodes of a form ask, if they do: `equal`, or something of which the last digit decides."""
    if form.computes in ("order", "round") or (form.computes == "periodic" and "divisor" in form.roles.values()):
        return "compare"
    return form.computes if form.computes in ("compare", "equal", CONVERT) else None


class _Ways:
    """The ways back from what is asked about."""

    def __init__(self, survey: Survey, constants: Constants) -> None:
        self._survey = survey
        self._constants = constants
        self._noisy: set[Operand] = set()
        self._gates: dict[Instruction, list[Gate]] = {}
        for gate in survey.gates:
            self._gates.setdefault(gate.inst, []).append(gate)
        for _ in range(2 if survey.gates else 1):  # what a loop carries back is seen in the second round
            self._add_noise()

    def back_from(self, asking: Iterable[tuple[SurveyedNode, str, list[Operand]]]) -> set[Instruction]:
        """Return the nodes on the way back from those that ask, and whichever of these gain by it."""
        found: set[Instruction] = set()
        passed: set[tuple[Operand, str]] = set()
        way: list[tuple[Operand, str]] = []
        for node, word, values in asking:
            asked = [(one, word) for one in values if one not in self._constants and self._counts(one, word)]
            if asked:
                found.add(node.inst)
                way += asked
        while way:
            step = way.pop()
            if step not in passed and self._counts(*step):
                passed.add(step)
                way += self._before(*step, found)
        return found

    def _counts(self, value: Operand, word: str) -> bool:
        """Whether the digits of a value are worth something where this is asked."""
        if value not in self._noisy:
            return True
        producer = self._survey.producer(value)
        return word == "equal" and producer is not None and producer.form.computes not in _SUMS

    def _before(self, value: Operand, word: str, found: set[Instruction]) -> Iterator[tuple[Operand, str]]:
        gate = self._survey.gate_to.get(value)
        if gate is not None:
            yield from ((source, word) for source in gate.sources)
            return
        node = self._survey.producer(value)
        facts = None if node is None else node.facts
        if node is None or facts is None or facts.precision_intact or node.inst.blocks or not node.data:
            return
        if facts.computes == CONVERT:
            return
        if not _ends(facts, word):
            found.add(node.inst)
            after = "compare" if node.form.is_product else word
            yield from ((operand, after) for operand in node.operands)

    def _add_noise(self) -> None:
        """Find what products give, with all that keeps its noise."""
        noisy = self._noisy
        for node in self._survey.nodes.values():
            for gate in self._gates.get(node.inst, ()):
                if not noisy.isdisjoint(gate.sources):
                    noisy.update(gate.targets)
            if node.form.is_product or self._keeps_noise(node):
                noisy.update(node.inst.results)

    def _keeps_noise(self, node: SurveyedNode) -> bool:
        facts = node.facts
        if facts is None or node.inst.blocks or not node.values:
            return False
        if facts.computes == CONVERT:
            source = node.values[0]
            dtype = None if source is None else source.type.dtype
            return source in self._noisy or (dtype is not None and dtype.is_float and dtype.bits < f32.bits)
        moves = facts.op_kind == "data_movement" or (facts.op_kind == "reduction" and facts.follow)
        if not (moves or facts.computes in _KEEPS or puts_bounds(facts) or self._scales(node)):
            return False
        return any(value in self._noisy for value in node.operands)

    def _scales(self, node: SurveyedNode) -> bool:
        """Whether a node multiplies by constants that are no small factors, or divides by them."""
        if node.form.computes not in ("multiply", "divide") or len(node.operands) != 2:
            return False
        for one in node.operands[node.form.computes == "divide" :]:
            factors = self._constants.contents(one)
            if factors is not None and factors.size:
                sizes = abs(factors[factors != 0] if factors.ndim else factors.reshape(1))
                if node.form.computes == "divide":
                    return bool((sizes * _SMALL_FACTOR <= 1).all())
                return bool((sizes >= _SMALL_FACTOR).all())
        return False


def _is_divisor(node: SurveyedNode, at: int, constants: Constants) -> bool:
    """Whether an operand is divided by, or raised to a negative power."""
    if node.form.computes != "power" or at != node.data[0] or len(node.data) != 2:
        return node.form.roles.get(at) == "divisor"
    exponents = constants.contents(node.operands[1])
    return exponents is not None and bool((exponents < 0).any())


def _ends(facts: PrecisionFacts, word: str) -> bool:
    """Whether an operation is a norm or a softmax, whose result has its own digits, or a sum that is a divisor.

    A policy has all of these in f32 anyway: where the way ended at what is low, a second run would find noise there.
    """
    return facts.op_kind == "reduction" and not facts.follow and (facts.range_safe or word == "divide")


def _is_held_up(value: Operand, limit: float, survey: Survey, constants: Constants) -> bool:
    """Whether something in a divisor keeps it from becoming smaller than a limit."""
    for _ in range(_STEPS):
        if value in constants:
            return True  # which is judged as a constant
        node = survey.producer(value)
        facts = None if node is None else node.facts
        if node is None or facts is None or not node.operands:
            source = node.values[0] if node is not None and node.values and node.form.computes == CONVERT else None
            return source is not None and source.type.dtype is not None and not source.type.dtype.is_float
        if facts.computes == "exp":
            return True
        held = [
            contents for one in node.values if one is not None and (contents := constants.contents(one)) is not None
        ]
        takes_larger = facts.computes in ("add", "maximum") or puts_bounds(facts)
        if takes_larger and any(one.size and (abs(one) >= limit).all() for one in held):
            return True
        if facts.computes == "sqrt":
            limit *= limit
        variable = [one for one in node.operands if one not in constants]
        if len(variable) != 1 or not (node.moves_elements or facts.op_kind == "reduction"):
            return False
        value = variable[0]
    return False
