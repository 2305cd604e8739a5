"""Quantization with a shared scale for each 32 elements, and products of such tiles, on the engines of trn3.

A group is 8 partitions with 4 neighbouring elements in each; the scales of the four groups of a quadrant of 32
partitions stand in the first four partitions of a quadrant.

Dtypes: scales are powers of two, so quotients and decoded elements are exact but for the ends of the range of f32.
Source: AWS Neuron documentation, `nki.isa.quantize_mx`, `nki.isa.nc_matmul_mx`; OCP Microscaling Formats (MX)
Specification, version 1.0, section 5.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from runtime.access import NeuronAP
from runtime.arithmetic import widen
from runtime.dtypes import f8e4m3fn
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array, Machine, Placed, uses_machine
from runtime.semantics.tensor_engine import accumulated, product

QUADRANT: Final = 32
LANES: Final = 8  # partitions of a group
PACKED: Final = 4  # elements of a group in each of them
BIAS: Final = 127  # of the exponents that scales are
_NAN: Final = 255  # the code of a scale that is none


@uses_machine
def quantize(inst: Any, machine: Machine) -> tuple[Array, Placed]:
    """Return the quotients of a tile and its scales, and the exponents of these.

    Shapes: [P, F] gives [P, F], and an exponent for each group of [P / 8, F / 4].
    Raises: InterpreterError for what is infinite or NaN, of which the source says nothing.
    """
    src = widen(machine.value(inst.src))
    if not np.isfinite(src).all():
        raise InterpreterError("src has an infinity or NaN, of whose group no scale is said")
    n_groups, columns = len(src) // LANES, src.shape[1] // PACKED
    grouped = np.abs(src).reshape(n_groups, LANES, columns, PACKED)
    largest = grouped.max(axis=(1, 3), initial=0)
    of_dtype = 8 if inst.dtype is f8e4m3fn else 15
    exponents = np.where(largest > 0, np.frexp(largest)[1] - of_dtype, -BIAS)  # frexp's is one more than floor(log2)
    exponents = np.maximum(exponents, -BIAS)
    quotients = np.ldexp(src.astype(np.float64), -_spread(exponents))
    access = inst.dst_scale
    positions = machine.positions(access)[_rows(n_groups, len(src), access.shape[0])]
    codes = (exponents + BIAS).astype(np.uint8)
    return quotients, Placed(codes.view(access.dtype.numpy), positions)


@uses_machine
def matmul(inst: Any, machine: Machine) -> Array:
    """Return the product of the decoded operands, with `accumulate` added to what `dst` holds.

    Shapes: [K, 4 M] and [K, 4 N] with their scales give [M, N].
    """
    left = _decoded(inst.stationary, inst.stationary_scale, machine)
    right = _decoded(inst.moving, inst.moving_scale, machine)
    return accumulated(product(left, right), inst, machine)


def _decoded(operand: Any, scale: Any, machine: Machine) -> Array:
    """Return the numbers of an operand, four neighbours one behind the other: [K, 4, M]."""
    elements = machine.value(operand).astype(np.float64)
    n_groups, columns = len(elements) // LANES, elements.shape[1] // PACKED
    rows = _rows(n_groups, len(elements), scale.type.shape[0])
    if isinstance(scale, NeuronAP):  # the rows between may hold nothing
        held = machine.read(scale, machine.positions(scale)[rows])
    else:
        held = machine.value(scale)[rows]
    codes = held.view(np.uint8)
    decoded = np.ldexp(elements, _spread(codes.astype(np.int64) - BIAS))
    decoded[_spread(codes) == _NAN] = np.nan
    with np.errstate(over="ignore"):
        numbers: Array = decoded.astype(np.float32).reshape(len(elements), columns, PACKED)
    return numbers.swapaxes(1, 2)


def _spread(groups: Array) -> Array:
    """Return what each group has, for each of its elements: [P / 8, F / 4] gives [P, F]."""
    return groups.repeat(LANES, axis=0).repeat(PACKED, axis=1)


def _rows(n_groups: int, n_partitions: int, n_rows: int) -> Array:
    """Return the partition where the scales of each group stand, of a tile of scales with so many partitions."""
    groups = np.arange(n_groups)
    each = QUADRANT // LANES
    return groups if n_rows < n_partitions else groups // each * QUADRANT + groups % each
