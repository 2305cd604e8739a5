"""The graph's elements and matrices beside numpy, scipy and JAX, and its control flow beside loops of Python."""

from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
from jax import lax
from scipy import special

from generated.vocabulary import BINARY_OPS
from tests.runtime.semantics.check import Check, Pairs, outputs

RNG = np.random.default_rng
ONE_OF_EACH = np.array([-3.5, -1.0, -0.25, -0.0, 0.25, 0.5, 1.5, 2.5, 30.0])
FUNCTIONS: dict[str, Any] = {
    "copy": np.positive,
    "abs": np.fabs,
    "cos": np.cos,
    "erf": special.erf,
    "exp": np.exp,
    "gelu": lambda x: x * special.ndtr(x),
    "gelu_tanh": lambda x: jax.nn.gelu(x, approximate=True),
    "log": np.log,
    "neg": np.negative,
    "reciprocal": np.reciprocal,
    "relu": lambda x: np.maximum(x, 0),
    "round": np.round,
    "rsqrt": lambda x: x**-0.5,
    "sigmoid": special.expit,
    "sign": np.sign,
    "silu": lambda x: x * special.expit(x),
    "sin": np.sin,
    "softplus": lambda x: np.logaddexp(0, x),
    "sqrt": np.sqrt,
    "square": np.square,
    "tanh": np.tanh,
}
OPERATIONS: dict[str, Any] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "max": np.maximum,
    "min": np.minimum,
    "pow": np.power,
}


def activation() -> Pairs:
    for name, function in FUNCTIONS.items():
        text = f"func @main(%x: f64[9]) {{\n  %y: f64[9] = graph.activation {name} %x\n  return %y\n}}"
        positive = name in ("log", "sqrt", "rsqrt", "reciprocal")
        x = np.abs(ONE_OF_EACH) + 0.125 if positive else ONE_OF_EACH
        with jax.enable_x64(True):
            yield outputs(text, x=x)[0], np.asarray(function(x))


def binary() -> Pairs:
    for name in BINARY_OPS:
        text = (
            "func @main(%a: f64[3,1], %b: f64[4]) {\n" f"  %y: f64[3,4] = graph.binary {name} %a, %b\n  return %y\n}}"
        )
        a, b = RNG(1).uniform(0.5, 2, (3, 1)), RNG(2).uniform(0.5, 2, 4)
        yield outputs(text, a=a, b=b)[0], OPERATIONS[name](a, b)


def cast() -> Pairs:
    x = np.concatenate(
        [RNG(3).normal(size=500).astype(np.float32) * 300, np.array([0, 65519, 65520, np.inf], np.float32)]
    )
    for dtype, numpy_type in (("f16", np.float16), ("f64", np.float64)):
        text = f"func @main(%x: f32[504]) {{\n  %y: {dtype}[504] = graph.cast %x\n  return %y\n}}"
        with np.errstate(over="ignore"):
            yield outputs(text, x=x)[0], x.astype(numpy_type)


def matmul() -> Pairs:
    for left, right in (((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((2, 1, 3, 4), (6, 4, 5)), ((3, 0), (0, 2))):
        a, b = RNG(4).normal(size=left), RNG(5).normal(size=right)
        expected = np.asarray(np.matmul(a, b))
        result = f"f64{list(expected.shape)}"
        text = (
            (
                f"func @main(%a: f64{list(left)}, %b: f64{list(right)}) {{\n"
                f"  %y: {result} = graph.matmul %a, %b\n  return %y\n}}"
            )
            .replace(", ", ",")
            .replace("],%b", "], %b")
            .replace("%a,%b", "%a, %b")
        )
        yield outputs(text, a=a, b=b)[0], expected
    for narrow, name, number in ((np.float32, "f32", 1e8), (np.int32, "i32", 2**24 + 1), (np.int64, "i64", 2**32 + 1)):
        a, b = np.array([[1, number, number]], narrow), np.array([[1], [1], [-1]], narrow)
        text = f"func @main(%a: {name}[1,3], %b: {name}[3,1]) {{\n  %y: f64[1,1] = graph.matmul %a, %b\n  return %y\n}}"
        with jax.enable_x64(True):
            product = lax.dot(a, b, preferred_element_type=np.float64)
        yield outputs(text, a=a, b=b)[0], np.asarray(product)


def softmax() -> Pairs:
    x = np.concatenate([RNG(6).normal(size=(3, 5)), [[-np.inf, 0, 1, 700, 710]]])
    for axis in (0, 1):
        text = f"func @main(%x: f64[4,5]) {{\n  %y: f64[4,5] = graph.softmax %x axis {axis}\n  return %y\n}}"
        yield outputs(text, x=x)[0], special.softmax(x, axis=axis)


def given_values() -> Pairs:
    x = RNG(7).normal(size=(2, 3))
    yield outputs('func @main() {\n  %x: f64[2,3] = graph.input "x"\n  return %x\n}', x=x)[0], x


def constants() -> Pairs:
    text = (
        "func @main() {\n  %c: f64[2,2] = graph.constant {value = dense<[[1.0, -2.5], [inf, 1e-300]]>}\n  return %c\n}"
    )
    yield outputs(text)[0], np.array([[1, -2.5], [np.inf, 1e-300]])


BRANCH = """func @main(%c: bool[], %x: f64[2]) {
  %y: f64[2] = graph.if %c then() {
    %a: f64[2] = graph.activation neg %x
    yield %a
  } else() {
    yield %x
  }
  return %y
}"""


def branch() -> Pairs:
    x = np.array([1.5, -2.0])
    for condition in (True, False):
        yield outputs(BRANCH, c=np.array(condition), x=x)[0], -x if condition else x


SCAN = """func @main(%s: f64[3], %x: f64[7,3]) {
  %t: f64[3], %y: f64[7,3] = graph.scan (%s) over (%x) body(%a: f64[3], %b: f64[3]) {
    %c: f64[3] = graph.binary add %a, %b
    %d: f64[3] = graph.binary mul %c, %b
    yield %c, %d
  }
  return %t, %y
}"""


def scan() -> Iterator[tuple[Any, Any]]:
    s, x = RNG(8).normal(size=3), RNG(9).normal(size=(7, 3))
    with jax.enable_x64(True):
        final, collected = lax.scan(lambda a, b: (a + b, (a + b) * b), s, x)
        yield from zip(outputs(SCAN, s=s, x=x), (np.asarray(final), np.asarray(collected)), strict=True)


WHILE = """func @main(%n: i32[], %x: f64[]) {
  %one: i32[] = graph.constant {value = dense<1>}
  %m: i32[], %y: f64[] = graph.while (%n, %x) condition(%i: i32[], %a: f64[]) {
    %c: bool[] = graph.cast %i
    yield %c
  } body(%j: i32[], %b: f64[]) {
    %k: i32[] = graph.binary sub %j, %one
    %d: f64[] = graph.binary mul %b, %b
    yield %k, %d
  }
  return %m, %y
}"""


def repeat() -> Pairs:
    for rounds in (0, 1, 5):
        count, value = outputs(WHILE, n=np.int32(rounds), x=np.float64(1.25))
        yield count, np.int32(0)
        yield value, np.array(1.25 ** (2**rounds))


CHECKS = (
    Check("graph.activation", "numpy, scipy.special, jax.nn.gelu", activation, 1e-14),
    Check("graph.binary", "numpy", binary, 1e-15),
    Check("graph.cast", "numpy.astype", cast, 0),
    Check("graph.constant", "the elements as they are written", constants, 0),
    Check("graph.if", "a conditional of Python", branch, 0),
    Check("graph.input", "the array that is given", given_values, 0),
    Check("graph.matmul", "numpy.matmul", matmul, 1e-14),
    Check("graph.scan", "jax.lax.scan", scan, 1e-14),
    Check("graph.softmax", "scipy.special.softmax", softmax, 1e-14),
    Check("graph.while", "repeated squares are powers of two in the exponent", repeat, 1e-15),
)
