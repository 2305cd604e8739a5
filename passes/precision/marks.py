"""What walks over a function find about single nodes: each with the rule by which it stays f32.

Guards ask for these once a function, and look at no other node for it. Where several rules mean one node, the first one
counts.

Deliberately absent: what a node shows by itself, and what spreads from value to value (`passes/precision/guards.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from passes.precision.angles import nodes_of_angles
from passes.precision.constant_range import ConstantRange
from passes.precision.constants import Constants
from passes.precision.distances import nodes_of_distances
from passes.precision.factors import unfit_factors
from passes.precision.logarithms import nodes_of_logarithms
from passes.precision.masks import nodes_of_masks
from passes.precision.moments import nodes_of_moments
from passes.precision.offsets import nodes_of_offsets
from passes.precision.patterns import Patterns
from passes.precision.quantized_groups import nodes_between_integers
from passes.precision.reasons import Rule
from passes.precision.received import differences_received, integers_made_small
from passes.precision.remainders import nodes_of_remainders
from passes.precision.squares import products_of_norms, products_of_ratios
from passes.precision.sums import sums_of
from passes.precision.survey import Survey
from passes.precision.thresholds import nodes_of_thresholds
from runtime.dtypes import f16
from runtime.instructions import Instruction

_MOMENTS: Final = "a variance or a norm, in which large terms cancel: most digits cancel"
_OFFSETS: Final = "a large constant is added, which cancels again: the digits of what it is added to would be lost"
_DISTANCES: Final = "a squared distance that is spelled out as a product: most digits cancel"
_MASKS: Final = "an input is added, which may be a mask beyond the range, in front of what runs in f32 anyway"
_SQUARES: Final = "a square that is summed may be out of range"
_RATIOS: Final = "a product that is summed for a ratio may be out of range"
_INTEGERS: Final = "integers that are divided first may be out of range"
_RECEIVED: Final = "a difference of what the program receives, of which most digits may cancel"
_REMAINDERS: Final = "what is left of two values that nearly cancel, and is made large again"


@dataclass(frozen=True, slots=True)
class Mark:
    """Why a node stays f32, and whether its results may be out of range for it."""

    rule: Rule
    why: str
    spreads: bool = False


def marks_of(
    survey: Survey,
    constants: Constants,
    patterns: Patterns,
    range: ConstantRange,
    by_kind: bool,
    running: Iterable[Instruction],
) -> dict[Instruction, Mark]:
    """Return what is found, by node."""
    found: dict[Instruction, Mark] = {}
    for mark, insts in _found(survey, constants, patterns, range, by_kind, running):
        for inst in insts:
            found.setdefault(inst, mark)
    for inst, why in unfit_factors(survey, constants, range).items():
        found.setdefault(inst, Mark(Rule.FACTORS, why, spreads=True))
    return found


def _found(
    survey: Survey,
    constants: Constants,
    patterns: Patterns,
    range: ConstantRange,
    by_kind: bool,
    running: Iterable[Instruction],
) -> Iterator[tuple[Mark, Iterable[Instruction]]]:
    low, sums = range.low, sums_of(survey, constants)
    yield Mark(Rule.RUNNING_SUM, Rule.RUNNING_SUM.value), running
    if low is f16:
        yield Mark(Rule.WIDE_RANGE, _SQUARES, spreads=True), products_of_norms(survey, patterns)
        yield Mark(Rule.WIDE_RANGE, _RATIOS, spreads=True), products_of_ratios(survey, constants)
        yield Mark(Rule.WIDE_RANGE, _INTEGERS), integers_made_small(survey, constants)
    yield Mark(Rule.LOGARITHM, Rule.LOGARITHM.value), nodes_of_logarithms(survey, constants, by_kind)
    yield Mark(Rule.ANGLE, Rule.ANGLE.value), nodes_of_angles(survey, constants, by_kind)
    if not by_kind:
        yield Mark(Rule.THRESHOLD, Rule.THRESHOLD.value), nodes_of_thresholds(survey, constants, low)
    yield Mark(Rule.QUANTIZED, Rule.QUANTIZED.value), nodes_between_integers(survey, constants)
    yield Mark(Rule.CENTRING, _MOMENTS), nodes_of_moments(survey, constants, patterns, sums)
    yield Mark(Rule.CENTRING, _DISTANCES), nodes_of_distances(survey, constants, patterns, sums)
    yield Mark(Rule.CENTRING, _OFFSETS), nodes_of_offsets(survey, constants, patterns, sums, range)
    yield Mark(Rule.CENTRING, _REMAINDERS), nodes_of_remainders(survey, constants, patterns, sums)
    yield Mark(Rule.CENTRING, _RECEIVED), differences_received(survey, constants, sums, range)
    yield Mark(Rule.OUT_OF_RANGE, _MASKS), nodes_of_masks(survey)
