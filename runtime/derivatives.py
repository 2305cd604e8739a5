"""The derivatives of the functions of one number, by the words of the vocabulary.

Deliberately absent: the functions themselves, which stand in `runtime/arithmetic.py`.

Where a function has no derivative, one is agreed on: that of `abs` and of `relu` at 0 is 0, that of `sign` is 0, and
that of `round` is 1, as if it were the identity.
Source: RLX compiler, rlx-ir/src/op.rs, Op::ActivationBackward.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from runtime.arithmetic import FUNCTIONS, erfc

Floats = NDArray[np.float64]


def _gelu(x: Floats) -> Floats:
    density = np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
    result: Floats = 0.5 * erfc(x * -math.sqrt(0.5)) + x * density
    return result


def _gelu_tanh(x: Floats) -> Floats:
    factor, cubic = math.sqrt(2 / math.pi), 0.044715
    inner = factor * (x + cubic * x * x * x)
    result: Floats = 0.5 * (1 + np.tanh(inner)) + 0.5 * x * _tanh(inner) * factor * (1 + 3 * cubic * x * x)
    return result


def _sigmoid(x: Floats) -> Floats:
    return FUNCTIONS["sigmoid"](x) * FUNCTIONS["sigmoid"](-x)  # 1 - sigmoid(x) would cancel


def _silu(x: Floats) -> Floats:
    return FUNCTIONS["sigmoid"](x) * (1 + x * FUNCTIONS["sigmoid"](-x))


def _tanh(x: Floats) -> Floats:
    result: Floats = 1 / np.square(np.cosh(x))  # 1 - tanh(x)**2 would cancel
    return result


DERIVATIVES: Final[Mapping[str, Callable[[Floats], Floats]]] = {
    "copy": np.ones_like,
    "abs": np.sign,
    "cos": lambda x: -np.sin(x),
    "erf": lambda x: 2 / math.sqrt(math.pi) * np.exp(-x * x),
    "exp": np.exp,
    "gelu": _gelu,
    "gelu_tanh": _gelu_tanh,
    "log": np.reciprocal,
    "neg": lambda x: -np.ones_like(x),
    "reciprocal": lambda x: -1 / np.square(x),
    "relu": lambda x: np.where(x > 0, 1.0, 0.0),
    "round": np.ones_like,
    "rsqrt": lambda x: -0.5 / (x * np.sqrt(x)),
    "sigmoid": _sigmoid,
    "sign": np.zeros_like,
    "silu": _silu,
    "sin": np.cos,
    "softplus": FUNCTIONS["sigmoid"],
    "sqrt": lambda x: 0.5 / np.sqrt(x),
    "square": lambda x: 2 * x,
    "tanh": _tanh,
}
"""Derivatives, on f64 arrays."""
