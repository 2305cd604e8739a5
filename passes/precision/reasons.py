"""Why an instruction runs in what it runs in: the rules, and one rule with its circumstances."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Rule(Enum):
    """What may decide about an instruction; the text is the heading of a group in reports."""

    POLICY_LOW = "the policy lets operations of this kind run in the lower float"
    FOLLOWS_LOW = "follows its operands, which are low"
    ROUNDED = "a constant, rounded itself since all of its uses are low"
    POLICY_F32 = "the policy keeps operations of this kind in f32"
    FORCE_F32 = "a backend has it in f32 only"
    OVERRIDE = "the policy says so of this instruction"
    FOLLOWS_F32 = "follows its operands, which are not all low"
    CONSTANT = "a constant does not fit the lower float"
    FACTORS = "constant factors one after the other come to what does not fit the lower float"
    SCALE = "the scale of a quantization lets it be out of the range of the lower float"
    STATISTICS = "the statistics of a normalization speak of values out of the range of the lower float"
    COUNTER = "a counter goes further than the lower float counts exactly"
    OUT_OF_RANGE = "an operand may be out of the range of the lower float"
    WIDE_RANGE = "the result may be out of the range of the lower float"
    INDEX = "serves as an index, a size or a length"
    NEEDED_IN_F32 = "only serves where f32 is needed"
    LOGARITHM = "a logarithm is taken of it, so small values count as much as large ones"
    ANGLE = "a periodic function is taken of it, which has lost whole turns when it is rounded"
    THRESHOLD = "it is compared or divided by, so that a small value counts by being no zero"
    QUANTIZED = "stands between integers, which a runtime computes in integers"
    RUNTIME = "a runtime crashes on it, or refuses it"
    IDLE = "no product would be low with it, so casts would gain nothing"
    CENTRING = "the difference between a value and what was reduced from it"
    RUNNING_SUM = "a sum over the rounds of a loop, which stands still where it is rounded in each"
    DIFFERENCES = "its filters take differences, of which most digits cancel"
    EXACT = "its values must be exact, such as those of a counter"
    ASKED_FOR = "the program asked for f32"
    KEPT = "the user asked for f32"
    MEASURED = "what was measured is beyond the range of the lower float"
    TOLERANCE = "in the lower float, the error of an output would be larger than --tolerance allows"
    TYPES_ARE_ITS_PURPOSE = "its types are what it is for"
    NO_OPERAND = "none of its operands may be converted"
    SIGNATURE = "the operator does not have the lower float"
    UNKNOWN_OPERATOR = "nothing is known about the operator"
    UNKNOWN_TYPE = "a type is not known"
    LOCAL_FUNCTION = "calls a local function, which stays as it is"
    REGIONS = "has regions, which give or receive f32"
    MEMORY = "reads or writes tensors, which is for the numeric chain"

    __hash__ = object.__hash__  # that of enumerations runs in Python, once for each node


WIDENING_RULES: Final = frozenset(
    {
        Rule.POLICY_F32,
        Rule.FORCE_F32,
        Rule.OVERRIDE,
        Rule.CONSTANT,
        Rule.FACTORS,
        Rule.SCALE,
        Rule.STATISTICS,
        Rule.COUNTER,
        Rule.OUT_OF_RANGE,
        Rule.WIDE_RANGE,
        Rule.INDEX,
        Rule.NEEDED_IN_F32,
        Rule.CENTRING,
        Rule.RUNNING_SUM,
        Rule.DIFFERENCES,
    }
)
"""Those by which an instruction is to run in f32; by the others it stays as it is."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A rule, and what made it apply here."""

    rule: Rule
    why: str


FOLLOWS: Final = Reason(Rule.FOLLOWS_LOW, Rule.FOLLOWS_LOW.value)
"""Shared by all that follow."""
