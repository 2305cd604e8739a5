"""What the statistics of a batch normalization say of its operand: where that is out of range, it stays f32.

    %c = Conv %x, %w        %n = BatchNormalization %c, scale, bias, mean 0, variance 1e9

A standard deviation of 30,000 means that values of 100,000 occur, which f16 has no numbers for. The normalization
brings the range back.

Deliberately absent: what is normalized by statistics of its own, which are not known before the program runs.
"""

from __future__ import annotations

from typing import Final

from passes.precision.constant_range import ConstantRange
from passes.precision.constants import Constants
from passes.precision.survey import Survey
from runtime.generic import ONNX_DOMAIN
from runtime.values import Operand

_MEAN, _VARIANCE = 3, 4
_DEVIATIONS: Final = 4
"""From the mean to values that occur."""


def unfit_by_statistics(survey: Survey, constants: Constants, range: ConstantRange) -> dict[Operand, str]:
    """Return the operands that a lower float does not hold, each with the reason."""
    found: dict[Operand, str] = {}
    normal = [form for form in survey.forms if form.label == f"{ONNX_DOMAIN}::BatchNormalization"]
    for node in survey.nodes_of(normal) if normal else ():
        if len(node.values) <= _VARIANCE or node.attribute("training_mode", 0):
            continue
        source, mean, variance = node.values[0], node.values[_MEAN], node.values[_VARIANCE]
        if source is None or mean is None or variance is None or not survey.is_converted(source):
            continue
        means, variances = constants.contents(mean), constants.contents(variance)
        if means is None or variances is None or not means.size or not variances.size:
            continue
        largest = float((abs(means.astype("float64")) + _DEVIATIONS * abs(variances.astype("float64")) ** 0.5).max())
        unfit = range.why_unfit_number(largest, "values up to")
        if unfit is not None and not unfit.is_small:
            found[source] = f"its statistics speak of {unfit.why}"
    return found
