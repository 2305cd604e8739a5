"""Values of which constants beside them say that a lower float does not hold them, each with the reason.

    %f = DequantizeLinear %q, 1000      %f may be up to 128,000, since a scale lets it
    %r = Range 0, 5000, 1               its cast to a float counts up to 5,000
    %n = BatchNormalization %c, ...     %c has values up to 100,000, as the statistics say

Deliberately absent: the constants themselves, and what is computed of a value that is found here
(`passes/precision/guards.py`).
"""

from __future__ import annotations

from passes.precision.constant_range import ConstantRange
from passes.precision.constants import Constants
from passes.precision.counts import unfit_counts
from passes.precision.normal_ranges import unfit_by_statistics
from passes.precision.reasons import Reason, Rule
from passes.precision.scale_ranges import unfit_by_scales
from passes.precision.survey import Survey
from runtime.values import Operand


def unfit_values(survey: Survey, constants: Constants, range: ConstantRange) -> dict[Operand, Reason]:
    """Return the values that the lower float of a range does not hold; the last reason of several counts."""
    found = {
        Rule.SCALE: unfit_by_scales(survey, constants, range),
        Rule.STATISTICS: unfit_by_statistics(survey, constants, range),
        Rule.COUNTER: unfit_counts(survey, constants, range.low),
    }
    return {value: Reason(rule, why) for rule, whys in found.items() for value, why in whys.items()}
