"""What the scale of a quantization says of the floats on its other side: which of them a lower float does not hold.

    %f = DequantizeLinear %q, 1e-8        at most 1.28e-6, of which f16 has a few digits
    %q = QuantizeLinear %f, 1000          up to 128,000, which is infinite in f16

A scale times the range of its integers bounds the values. Where the integers are constants, these bound them, since 32
bits are seldom used up. What a lower float does not hold stays f32, with whatever reads it.

Deliberately absent: scales that are computed when the program runs, and groups that stay between integers.
"""

from __future__ import annotations

from typing import Any, Final

from passes.precision.constant_range import ConstantRange
from passes.precision.constants import Array, Constants
from passes.precision.survey import Survey, SurveyedNode
from runtime.constants import Constant
from runtime.dtypes import f64
from runtime.generic import ONNX_DOMAIN
from runtime.values import Operand

_DOMAINS: Final = (ONNX_DOMAIN, "com.microsoft")
_READS_INTEGERS: Final = {
    **{f"{domain}::DequantizeLinear": True for domain in _DOMAINS},
    **{f"{domain}::QuantizeLinear": False for domain in _DOMAINS},
    "graph.dequantize": True,
    "graph.quantize": False,
}
"""By label: whether integers are read and floats given, or the other way round."""


def unfit_by_scales(survey: Survey, constants: Constants, range: ConstantRange) -> dict[Operand, str]:
    """Return the floats that a lower float does not hold, each with the reason."""
    found: dict[Operand, str] = {}
    known = [form for form in survey.forms if form.label in _READS_INTEGERS]
    for node in survey.nodes_of(known) if known else ():
        source, result = node.values[0] if node.values else None, node.inst.results[0]
        if source is None:
            continue
        integers, floats = (source, result) if _READS_INTEGERS[node.form.label] else (result, source)
        largest = _largest(node, integers, constants, range)
        unfit = None if largest is None else range.why_unfit_number(largest, "up to")
        if unfit is not None and survey.is_converted(floats):
            found[floats] = f"a scale lets it be {unfit.why}"
    return found


def _largest(node: SurveyedNode, integers: Operand, constants: Constants, range: ConstantRange) -> float | None:
    """Return a bound of the magnitude of the floats; None where it is not known."""
    dtype = integers.type.dtype
    scales, zeros = _scales(node, constants), _zeros(node, constants)
    if dtype is None or scales is None or not scales.size:
        return None
    low, high = float(dtype.lowest), float(dtype.largest)
    furthest = high - low
    if zeros is not None:
        furthest = max(high - float(zeros.min()), float(zeros.max()) - low)
    largest = float(abs(scales.astype("float64")).max()) * furthest
    if range.why_unfit_number(largest) is None or integers not in constants:
        return largest
    held = constants.contents(integers)
    if held is None or not held.size:
        return largest
    return _of_constants(held, scales, zeros, node) or None


def _of_constants(held: Array, scales: Array, zeros: Array | None, node: SurveyedNode) -> float:
    """Return the largest magnitude that integers of a constant mean."""
    codes = held.astype("float64")
    axis = node.attribute("axis", 1)
    if scales.size == 1:
        sizes = abs(codes - (0 if zeros is None else float(zeros.reshape(-1)[0]))) * abs(float(scales.reshape(-1)[0]))
    elif scales.ndim == 1 and isinstance(axis, int) and -codes.ndim <= axis < codes.ndim:
        along = [1] * codes.ndim
        along[axis] = scales.size
        shift = 0 if zeros is None else zeros.astype("float64").reshape(along if zeros.size > 1 else [])
        sizes = abs(codes - shift) * abs(scales.astype("float64")).reshape(along)
    else:  # of blocks
        shift = 0 if zeros is None else float(abs(zeros.astype("float64")).max())
        return float((abs(codes).max() + shift) * abs(scales.astype("float64")).max())
    return float(sizes.max())


def _scales(node: SurveyedNode, constants: Constants) -> Array | None:
    if len(node.values) > 1:
        scale = node.values[1]
        return None if scale is None else constants.contents(scale)
    return _array(getattr(node.inst, "scales", None))


def _zeros(node: SurveyedNode, constants: Constants) -> Array | None:
    """Return the zero points, zero where there are none; None where they are not known."""
    if len(node.values) > 2 and node.values[2] is not None:
        contents = constants.contents(node.values[2])
        return None if contents is None or not contents.size else contents.astype("float64")
    return _array(getattr(node.inst, "zero_points", (0,)))


def _array(numbers: Any) -> Array | None:
    return None if not numbers else Constant.of(tuple(float(one) for one in numbers), f64).array
