"""Filters that take differences: their taps add up to nearly nothing.

    %c = Conv %x, [-1, 0, 1]

Where neighbours are about as large as each other, as in most of a picture, the products cancel to the last digits, and
what is left is small beside %x. Taps that were rounded leave a rest in proportion to %x instead, the same all over the
picture. So such a convolution is f32, as other differences are; its result may be narrowed.

It must not be seen where a filter sums over channels, in which nothing says that the values are alike; where it is
long, such as a wave of a spectrum, which is for signals without a constant part; and where only a few filters of many
are like that.

Deliberately absent: filters whose taps are not known.
"""

from __future__ import annotations

from math import prod
from typing import Final

from passes.precision.constants import Constants
from passes.precision.survey import SurveyedNode

MOST_TAPS: Final = 49
"""Of a filter that looks at a neighbourhood: 7 x 7."""

NEARLY_NOTHING: Final = 2.0**-6
"""The sum of the taps over that of their magnitudes: six of the eleven digits of f16 cancel, of bf16 all but two."""


def takes_differences(node: SurveyedNode, constants: Constants) -> bool:
    """Whether a node is a convolution of single channels of which most filters take differences."""
    if not node.form.is_convolution or len(node.values) < 2:
        return False
    filters = node.values[1]
    shape = None if filters is None else filters.type.shape
    if filters is None or shape is None or len(shape) < 3 or shape[1] != 1:
        return False
    extents = [extent for extent in shape if isinstance(extent, int)]
    if len(extents) < len(shape) or not extents[0] or not 1 < prod(extents[2:]) <= MOST_TAPS:
        return False
    contents = constants.contents(filters)
    if contents is None or contents.shape != shape:
        return False  # a filled tensor holds one element: all of its taps are equal
    taps = contents.reshape(extents[0], -1).astype("float64")
    sums, sizes = abs(taps.sum(axis=1)), abs(taps).sum(axis=1)
    found = int(((sizes > 0) & (sums <= NEARLY_NOTHING * sizes)).sum())
    return 2 * found >= extents[0]
