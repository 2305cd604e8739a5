"""What is computed element by element: relations, choices, gates, and the gradients of functions.

Dtypes: floats are computed in f64, whatever they are, and rounded once, by the interpreter; what is only chosen keeps
its bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from runtime.arithmetic import FUNCTIONS, word
from runtime.derivatives import DERIVATIVES
from runtime.semantics import Array, Machine, uses_machine
from runtime.semantics.broadcasting import summed_onto
from runtime.semantics.widening import in_f64, widened

_RELATIONS: Final[Mapping[str, Callable[[Array, Array], Array]]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def compare(inst: Any, operands: Sequence[Any]) -> Array:
    """Return whether `lhs <op> rhs`, element by element."""
    lhs, rhs = operands
    if lhs.dtype != rhs.dtype or lhs.dtype.kind not in "iub":  # f64 holds all but wide integers
        lhs, rhs = in_f64(operands)
    return np.asarray(word(_RELATIONS, inst.op)(lhs, rhs))


def where(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the elements of `on_true` where the condition holds, else those of `on_false`."""
    condition, on_true, on_false = operands
    if on_true.dtype != on_false.dtype:
        on_true, on_false = widened((on_true, on_false), inst.dtype)
    return np.asarray(np.where(condition, on_true, on_false))


def swiglu(inst: Any, operands: Sequence[Any]) -> Array:
    """Return one half of the last dimension times the SiLU of the other one.

    Shapes: [..., 2N] gives [..., N].
    """
    (src,) = in_f64(operands)
    first, second = np.split(src, 2, axis=-1)
    up, gate = (second, first) if inst.gate_first else (first, second)
    with np.errstate(over="ignore", invalid="ignore"):  # far below 0 the sigmoid is 0, of -inf the product is NaN
        return np.asarray(up * FUNCTIONS["silu"](gate))


def relu_backward(inst: Any, operands: Sequence[Any]) -> Array:
    """Return `gradient` where `src` is positive, else 0."""
    src, gradient = operands
    positive = src.astype(np.float64, copy=False) > 0
    return np.asarray(np.where(positive, gradient, np.zeros_like(gradient)))


def activation_backward(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the derivative of the function at `src`, times `gradient`."""
    src, gradient = in_f64(operands)
    with np.errstate(all="ignore"):
        return np.asarray(word(DERIVATIVES, inst.function)(src) * gradient)


def complex_norm_sq(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the sum of the squares of both parts. Shapes: [..., 2] gives [...]."""
    (src,) = in_f64(operands)
    return np.asarray(np.square(src).sum(axis=-1))


def complex_norm_sq_backward(inst: Any, operands: Sequence[Any]) -> Array:
    """Return both parts times the gradient. Shapes: [..., 2] and [...] give [..., 2]."""
    src, gradient = in_f64(operands)
    return np.asarray(src * gradient[..., None])


def conjugate(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the numbers with the sign of the imaginary part changed. Shapes: [..., 2]."""
    (src,) = in_f64(operands)
    return np.stack([src[..., 0], -src[..., 1]], axis=-1)


def gated_residual(inst: Any, operands: Sequence[Any]) -> Array:
    """Return `src + gate * sublayer`."""
    src, sublayer, gate = in_f64(operands)
    return np.asarray(src + gate * sublayer)


def gated_residual_backward(inst: Any, operands: Sequence[Any]) -> tuple[Array, Array, Array]:
    """Return the gradients of `src`, `sublayer` and `gate`."""
    _, sublayer, gate, gradient = in_f64(operands)
    return gradient, gradient * gate, summed_onto(gradient * sublayer, gate.shape)


@uses_machine
def region(inst: Any, machine: Machine) -> tuple[Any, ...]:
    """Return what the region makes of the inputs; it runs once, on all elements."""
    return machine.run(inst.body, tuple(machine.value(value) for value in inst.inputs))
