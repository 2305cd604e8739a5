"""Scans and reductions of the vector engine beside the loops of the NKI documentation, numpy, scipy and JAX.

Inputs are whole numbers, or few-digit fractions, where sums are compared bit for bit: f32 adds those exactly, in any
order.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import jax
import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from scipy import signal

from tests.runtime.semantics.check import Check, Pairs
from tests.runtime.semantics.tiles import tile

F32 = np.float32
Array = NDArray[Any]
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: F32(a + b),
    "subtract": lambda a, b: F32(a - b),
    "mult": lambda a, b: F32(a * b),
    "divide": lambda a, b: F32(np.divide(a, b)),
    "max": max,
    "min": min,
    "is_greater": lambda a, b: F32(a > b),
    "abs_max": lambda a, b: a if abs(a) > abs(b) else b,
    "abs_min": lambda a, b: a if abs(a) < abs(b) else b,
    "logical_and": lambda a, b: F32(bool(a) and bool(b)),
    "logical_or": lambda a, b: F32(bool(a) or bool(b)),
    "logical_xor": lambda a, b: F32(bool(a) != bool(b)),
}
OF_ONE: dict[str, Callable[[Any], Any]] = {
    "abs": abs,
    "square": lambda a: F32(a * a),
    "relu": lambda a: max(a, F32(0)),
    "reciprocal": lambda a: F32(1 / float(a)),
    "rsqrt": lambda a: F32(1 / math.sqrt(a)),
}
STARTS = {"add": 0.0, "subtract": 0.0, "mult": 1.0, "max": -math.inf, "min": math.inf}


def each(function: Callable[..., Any], *arrays: Array) -> Array:
    """A function of single numbers on every place of arrays that broadcast."""
    spread = np.broadcast_arrays(*arrays)
    flat = [function(*map(F32, place)) for place in zip(*(a.reshape(-1) for a in spread), strict=True)]
    return np.array(flat, F32).reshape(spread[0].shape)


def of(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).normal(size=shape).astype(F32)


def pairs_of_operations() -> Iterator[tuple[Any, Any]]:
    """Each operation once in the first place and once in the second, beside different ones."""
    names = list(OPERATIONS.items())
    return zip(names, names[5:] + names[:5], strict=True)


def scalar_tensor_tensor() -> Iterator[tuple[Any, Any]]:
    x, y, s = of(1, 4, 6), of(2, 4, 6), of(3, 4, 1)
    for (name0, op0), (name1, op1) in pairs_of_operations():
        text = f"scalar_tensor_tensor {name0} %x operand0 %s then {name1} %y"
        yield tile(text, "f32[4,6]", x=x, s=s, y=y)[0], each(op1, each(op0, x, s), y)
    for name0, function in OF_ONE.items():
        a = np.abs(x) + F32(0.5)
        yield tile(f"scalar_tensor_tensor {name0} %x then mult %y", "f32[4,6]", x=a, y=y)[0], each(function, a) * y
    text = "scalar_tensor_tensor subtract %x scalar0 0.5 then divide %y {reverse0 = true, reverse1 = true}"
    yield tile(text, "f32[4,6]", x=x, y=y)[0], each(lambda a, b: F32(b / F32(F32(0.5) - a)), x, y)
    found = tile("scalar_tensor_tensor mult %x operand0 %s then add %y", "bf16[4,6]", x=x, s=s, y=y)[0]
    yield found.astype(float), (x * s + y).astype(ml_dtypes.bfloat16).astype(float)


def tensor_tensor_scan() -> Iterator[tuple[Any, Any]]:
    a, b, start = of(4, 3, 9), of(5, 3, 9), of(6, 3, 1)
    for ((name0, op0), (name1, op1)), reverse in itertools.product(pairs_of_operations(), (False, True)):
        expected = np.empty((3, 9), F32)
        for lane in range(3):
            state = start[lane, 0]
            for n in range(9):
                state = op0(state, a[lane, n]) if reverse else op0(a[lane, n], state)
                state = op1(b[lane, n], state) if reverse else op1(state, b[lane, n])
                expected[lane, n] = state
        flags = " {reverse0 = true, reverse1 = true}" if reverse else ""
        text = f"tensor_tensor_scan {name0} %a then {name1} %b initial %s{flags}"
        yield tile(text, "f32[3,9]", a=a, b=b, s=start)[0], expected


def linear_recurrence() -> Pairs:
    """y[n] = c * y[n - 1] + x[n], the filter 1 / (1 - c / z)."""
    x = of(7, 2, 40)
    found = tile("tensor_tensor_scan mult %c then add %x scalar 0.0", "f32[2,40]", c=np.full_like(x, 0.75), x=x)[0]
    yield found, signal.lfilter([1], [1, -0.75], x.astype(float), axis=1)
    wide = tile(
        "tensor_tensor_scan mult %c then add %x scalar 0.0", "f32[2,4,10]", c=of(8, 2, 4, 10), x=of(9, 2, 4, 10)
    )
    with jax.enable_x64(True):
        pairs = (of(8, 2, 40).astype(float).T, of(9, 2, 40).astype(float).T)
        _, states = jax.lax.scan(lambda s, ab: (ab[0] * s + ab[1],) * 2, np.zeros(2), pairs)
    yield wide[0], np.asarray(states).T.reshape(2, 4, 10)


def tensor_scalar_cumulative() -> Iterator[tuple[Any, Any]]:
    x, s, start = of(10, 3, 8), of(11, 3, 1), of(12, 3, 1)
    for (name0, op0), name1 in zip(OPERATIONS.items(), itertools.cycle(STARTS)):
        for command, begin in (("reset_reduce", np.full((3, 1), STARTS[name1])), ("load_reduce", start)):
            expected = np.empty((3, 8), F32)
            for lane in range(3):
                reg = F32(begin[lane, 0])
                for n in range(8):
                    reg = OPERATIONS[name1](op0(x[lane, n], s[lane, 0]), reg)
                    expected[lane, n] = reg
            more = " initial %i" if command == "load_reduce" else ""
            text = f"tensor_scalar_cumulative {name0} %x operand0 %s then {name1} command {command}{more}"
            arrays: dict[str, Any] = {"i": start} if more else {}
            yield tile(text, "f32[3,8]", x=x, s=s, **arrays)[0], expected


def cumulative_goes_on() -> Pairs:
    """The test of the documentation's own example: two runs over ones, the second on top of the first."""
    ones = np.ones((128, 64), F32)
    first = "%a: f32[128,64] = tensor_scalar_cumulative add %x scalar0 0.0 then add"
    found = tile("tensor_scalar_cumulative add %x scalar0 0.0 then add command reduce", "f32[128,64]", first, x=ones)
    yield found[0], np.add.accumulate(ones, axis=-1) + 64


def tensor_scalar_reduce() -> Iterator[tuple[Any, Any]]:
    x, s, start = np.round(of(13, 3, 7) * 8) / 4, np.round(of(14, 3, 1) * 4), np.round(of(15, 3, 1) * 4)
    folds: dict[str, Any] = {"add": np.sum, "mult": np.prod, "max": np.max, "min": np.min}
    for (name0, op0), (name1, fold) in zip(OPERATIONS.items(), itertools.cycle(folds.items()), strict=False):
        if name0 == "divide" or name1 == "mult":  # not exact
            continue
        result = each(op0, x, s)
        total = fold(result, axis=1, keepdims=True)
        text = f"tensor_scalar_reduce {name0} %x operand0 %s reduce {name1} to %r"
        found = tile(text, "f32[3,7]", writes={"r": "f32[3,1]"}, x=x, s=s)
        yield from zip(found, (result, total), strict=True)
        found = tile(f"{text} {{reduce_res_negate = true}}", "f32[3,7]", writes={"r": "f32[3,1]"}, x=x, s=s)
        yield found[1], -total
        text += " command load_reduce initial %i"
        found = tile(text, "f32[3,7]", writes={"r": "f32[3,1]"}, x=x, s=s, i=start)
        yield found[1], fold(np.concatenate([start, result], axis=1), axis=1, keepdims=True)
    found = tile(
        "tensor_scalar_reduce mult %x scalar0 1.0 reduce mult to %r", "f32[3,7]", writes={"r": "f32[3,1]"}, x=x
    )
    yield found[1], np.prod(x, axis=1, keepdims=True)


def sum_before_rounding() -> Pairs:
    """256 and 1 add up to 257 in f32, although bf16 has no 257."""
    x = np.array([[256.0, 1.0]], F32)
    found = tile("tensor_scalar_reduce add %x scalar0 0.5 reduce add to %r", "bf16[1,2]", writes={"r": "f32[1,1]"}, x=x)
    yield found[1], np.array([[258.0]])


def exponential() -> Iterator[tuple[Any, Any]]:
    x = of(16, 4, 9) * 5
    largest = x.max(axis=1, keepdims=True)
    expected = np.exp((x - largest).astype(float)).astype(F32)
    text = "exponential %x less %m reduce reset_reduce to %r"
    found = tile(text, "f32[4,9]", writes={"r": "f32[4,1]"}, target="trn3", x=x, m=largest)
    yield found[0], expected
    yield found[1], expected.astype(float).sum(axis=1, keepdims=True)
    found = tile(f"{text} ", "f32[4,9]", writes={"r": "f32[4,1]"}, x=x, m=largest)
    yield found[0] / found[1], np.asarray(jax.nn.softmax(x, axis=1))
    yield tile("exponential %x", "f32[4,9]", x=x)[0], np.exp(x.astype(float)).astype(F32)
    yield tile("exponential %x constant 2.0", "f32[4,9]", x=x)[0], np.exp((x - F32(2)).astype(float)).astype(F32)
    loaded = tile("exponential %x reduce load_reduce to %r scalar 3.0", "f32[4,9]", writes={"r": "f32[4,1]"}, x=x)
    yield loaded[1], np.exp(x.astype(float)).sum(axis=1, keepdims=True) + 3
    whole = np.array([[0, 1, -1, 100]], np.int32)
    with np.errstate(over="ignore"):
        yield tile("exponential %x", "f32[1,4]", x=whole)[0], np.exp(whole.astype(float)).astype(F32)


CHECKS = (
    Check("scalar_tensor_tensor", "Python, element by element", scalar_tensor_tensor, 0),
    Check("tensor_tensor_scan", "the documentation's loop in Python", tensor_tensor_scan, 0),
    Check("tensor_tensor_scan", "scipy.signal.lfilter; jax.lax.scan", linear_recurrence, 1e-6),
    Check("tensor_scalar_cumulative", "the documentation's loop in Python", tensor_scalar_cumulative, 0),
    Check("tensor_scalar_cumulative", "numpy.add.accumulate", cumulative_goes_on, 0),
    Check("tensor_scalar_reduce", "Python and numpy", tensor_scalar_reduce, 0),
    Check("tensor_scalar_reduce", "hand calculation", sum_before_rounding, 0),
    Check("exponential", "numpy in f64; jax.nn.softmax", exponential, 1e-6),
)
