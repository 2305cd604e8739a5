"""Numbers among the attributes of a node that a lower float does not hold: single ones, lists, and tensors.

    %y = LeakyRelu %x {alpha = 1e-9}        %y = LSTM ... {activation_alpha = (1e-9, 0.2)}

Of weights, such as those of a tree, only what is too large matters. The operators that have them give f32, which the
next one would narrow.

Deliberately absent: the elements that a constant is said to have, which are judged where it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from passes.precision.constant_range import ConstantRange, Unfit
from passes.precision.constants import Constants
from passes.precision.survey import SurveyedNode
from runtime.constants import Constant
from runtime.lazy_tensors import LazyTensor


def unfit_attributes(node: SurveyedNode, range: ConstantRange, constants: Constants) -> Iterator[tuple[Unfit, str]]:
    """Yield what does not fit, with what the attribute is."""
    facts = node.facts
    if facts is None or not (node.data or node.results):
        return
    for name, attribute in facts.attributes.items():
        if attribute.precision == "contents":
            continue
        held = node.attribute(name, attribute.default)
        for number in _numbers(held, constants):
            unfit = range.why_unfit_number(number, f"the attribute {name},")
            if unfit is None or (unfit.is_small and attribute.precision == "weights"):
                continue
            if not (unfit.is_small and _is_beside_large(node, number, attribute.added_to, range)):
                yield unfit, attribute.precision


def _numbers(held: Any, constants: Constants) -> list[float]:
    """Return the numbers that an attribute holds, of a tensor the largest and the lowest one."""
    if isinstance(held, (Constant, LazyTensor)):
        array = None if held.dtype is None else constants.elements(held)
        if array is None or not array.size or array.dtype.kind not in "fiu":
            return []
        return [float(array.max()), float(array.min())]
    listed = held if isinstance(held, tuple) else (held,)
    return [one for one in listed if isinstance(one, (int, float))]


def _is_beside_large(node: SurveyedNode, number: float, added_to: int | None, range: ConstantRange) -> bool:
    if added_to is None or added_to >= len(node.values):
        return False
    value = node.values[added_to]
    return value is not None and not range.is_lost_beside(number, value)
