"""Counters beyond what a lower float counts exactly: they stay f32, with whatever reads them.

    %r = Range 0, 5000, 1        %f = Cast %r        from 2049 on, f16 has every second integer, bf16 from 257 on

Such are casts of ranges of integers, the numbers of an engine, and running sums of integers, where constants or extents
say how far they go. It must not be seen where they end before.

Deliberately absent: integers that the program receives, counters whose end is computed when it runs, and ranges of
floats, which are f32 anyway.
"""

from __future__ import annotations

from typing import Final

from passes.precision.arithmetic import CONVERT
from passes.precision.constants import Constants
from passes.precision.survey import Survey, SurveyedNode
from runtime.dtypes import DType
from runtime.generic import ONNX_DOMAIN
from runtime.values import Operand

_RANGE: Final = f"{ONNX_DOMAIN}::Range"
_IOTA: Final = "iota"
_RUNNING_SUMS: Final = (f"{ONNX_DOMAIN}::CumSum", "graph.cumsum")
_FARTHEST: Final = 8
"""Moves and casts of integers between a range and the cast to floats."""


def unfit_counts(survey: Survey, constants: Constants, low: DType) -> dict[Operand, str]:
    """Return the floats that count further than a lower float does, each with the reason."""
    found: dict[Operand, str] = {}
    if not any(form.label in (_RANGE, _IOTA, *_RUNNING_SUMS) for form in survey.forms):
        return found
    limit = 2.0 ** (low.mantissa_bits + 1)
    labels = (_IOTA, *_RUNNING_SUMS)
    counting = [form for form in survey.forms if form.label in labels or form.computes == CONVERT]
    for node in survey.nodes_of(counting):
        result = node.inst.results[0]
        if not survey.is_converted(result):
            continue
        end = (
            _end_of_sum(node, survey, constants) if node.form.label in _RUNNING_SUMS else _end(node, survey, constants)
        )
        if end is not None and end > limit:
            found[result] = f"counts up to {end:g}, and {low} counts to {limit:g}"
    return found


def _end(node: SurveyedNode, survey: Survey, constants: Constants) -> float | None:
    """Return how far a range goes that a node is, or casts; None where it is none, or that is not known."""
    current: SurveyedNode | None = node
    for _ in range(_FARTHEST):
        if current is None or current.facts is None:
            return None
        if current.form.label in (_RANGE, _IOTA):
            return _end_of_range(current, constants)
        source = current.values[0] if current.values else None
        dtype = None if source is None else source.type.dtype
        if source is None or dtype is None or not dtype.is_int or current.facts.op_kind != "data_movement":
            return None
        current = survey.producer(source)
    return None


def _end_of_range(node: SurveyedNode, constants: Constants) -> float | None:
    if node.form.label == _IOTA:
        return _end_of_pattern(node)
    start, limit = (None if one is None else constants.number(one) for one in node.values[:2])
    if start is not None and limit is not None:
        return max(abs(start), abs(limit))
    shape = node.inst.type.shape
    return float(shape[0]) if shape and isinstance(shape[0], int) else None


def _end_of_pattern(node: SurveyedNode) -> float | None:
    """Return the largest magnitude of the numbers of an engine, whose steps may be negative."""
    shape = node.inst.type.shape
    partitions = shape[0] if shape else None
    if not isinstance(partitions, int):
        return None
    offset, by_partition = node.attribute("offset"), node.attribute("channel_multiplier")
    steps = zip((*node.attribute("steps"), by_partition), (*node.attribute("counts"), partitions), strict=True)
    reached = [step * (count - 1) for step, count in steps]
    ends = offset + sum(one for one in reached if one > 0), offset + sum(one for one in reached if one < 0)
    return float(max(map(abs, ends)))


def _end_of_sum(node: SurveyedNode, survey: Survey, constants: Constants) -> float | None:
    """Return how many elements a running sum adds up, where these are integers."""
    source = node.values[0]
    producer = None if source is None else survey.producer(source)
    shape = None if source is None else source.type.shape
    if source is None or not shape:
        return None
    before = producer.values[0] if producer is not None and producer.form.computes == CONVERT else None
    if before is None or before.type.dtype is None or before.type.dtype.is_float:
        contents = constants.small_contents(source)
        if contents is None or not contents.size or not (contents == contents.round()).all():
            return None
    along = constants.number(node.values[1]) if len(node.values) > 1 and node.values[1] is not None else None
    axis = node.attribute("axis") if along is None else along
    extent = shape[int(axis)] if axis is not None and -len(shape) <= int(axis) < len(shape) else None
    return float(extent) if isinstance(extent, int) else None
