"""What the engines make of elements beside numpy, and copies from run-time addresses beside JAX."""

import itertools
from typing import Any

import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from tests.runtime.semantics.check import Check, Pairs, outputs

RNG = np.random.default_rng
X, Y = (RNG(seed).normal(size=(4, 8)).astype(np.float32) for seed in (1, 2))
ALU = {
    "add": np.add,
    "subtract": np.subtract,
    "mult": np.multiply,
    "divide": np.divide,
    "max": np.maximum,
    "min": np.minimum,
    "is_greater": np.greater,
    "is_less_equal": np.less_equal,
}
REDUCTIONS: dict[str, Any] = {"add": np.sum, "mult": np.prod, "max": np.max, "min": np.min}


def tensor_tensor() -> Pairs:
    for op, function in ALU.items():
        text = f"func @main(%x: f32[4,8], %y: f32[4,8]) {{\n  %z: f32[4,8] = tensor_tensor {op} %x, %y\n  return %z\n}}"
        yield outputs(text, x=X, y=Y)[0], np.asarray(function(X, Y), np.float32)
    big, one = np.array([[2**24]], np.int32), np.array([[1]], np.int32)
    for dtype, expected in (("i32", -(2**24 + 1) * 3), ("f32", -(2**24) * 3)):  # gpsimd has results of 32-bit integers
        body = f"%s: i32[1,1] = tensor_tensor add %x, %y\n  %z: {dtype}[1,1] = tensor_tensor mult %s, %n"
        text = f"func @main(%x: i32[1,1], %y: i32[1,1], %n: i32[1,1]) {{\n  {body}\n  return %z\n}}"
        yield outputs(text, x=big, y=one, n=-3 * one)[0], np.array([[expected]])
    body = "%z: i32[1,1] = tensor_tensor add %x, %y\n  return %z"
    mixed = outputs(
        f"func @main(%x: i32[1,1], %y: u32[1,1]) {{\n  {body}\n}}", x=-big - 1, y=np.array([[2**25 + 3]], np.uint32)
    )
    yield mixed[0], np.array([[2**24 + 2]])  # i32 and u32 together are as exact


def tensor_scalar() -> Pairs:
    for op, function in ALU.items():
        head = "func @main(%x: f32[4,8], %s: f32[4,1]) {\n  %z: f32[4,8] = tensor_scalar"
        by_number = f"{head} {op} %x scalar0 0.5\n  return %z\n}}"
        yield outputs(by_number, x=X, s=Y[:, :1])[0], np.asarray(function(X, np.float32(0.5)), np.float32)
        by_partition = f"{head} {op} %x operand0 %s\n  return %z\n}}"
        yield outputs(by_partition, x=X, s=Y[:, :1])[0], np.asarray(function(X, Y[:, :1]), np.float32)


def tensor_copy() -> Pairs:
    for name, dtype in (("bf16", ml_dtypes.bfloat16), ("f16", np.float16), ("f8e5m2", ml_dtypes.float8_e5m2)):
        text = f"func @main(%x: f32[4,8]) {{\n  %z: {name}[4,8] = tensor_copy %x\n  return %z\n}}"
        yield outputs(text, x=X)[0].astype(np.float32), X.astype(dtype).astype(np.float32)


def reciprocal() -> Pairs:
    text = "func @main(%x: f32[4,8]) {\n  %z: f32[4,8] = reciprocal %x\n  return %z\n}"
    yield outputs(text, x=X)[0], np.float32(1) / X


def tensor_reduce() -> Pairs:
    whole = RNG(3).integers(-3, 4, (4, 3, 5)).astype(np.float32)  # whose sums and products are exact in any order
    for (op, function), dims in itertools.product(REDUCTIONS.items(), ((2,), (1, 2))):
        expected = np.asarray(function(whole, axis=dims, keepdims=True))
        text = f"""func @main(%x: f32[4,3,5]) {{
          %z: f32[{",".join(map(str, expected.shape))}] = tensor_reduce {op} %x {{reduce_dims = {list(dims)}}}
          return %z
        }}"""
        yield outputs(text, x=whole)[0], expected


def transpose() -> Pairs:
    yield outputs("func @main(%x: f32[4,8]) {\n  %z: f32[8,4] = transpose %x\n  return %z\n}", x=X)[0], X.T


GATHER = """target trn2

func @main(%i: u32[1]) {
  tensor %x: f32[4,8] sbuf input
  %z: f32[4,3] = dynamic_copy_src %x[0 | 8:4, 1:3] generic_dim:[1] generic_addrs: %i {offset_scale = 1}
  return %z
}"""
SCATTER = """target trn2

func @main(%s: f32[4,3], %i: u32[1]) {
  tensor %x: f32[4,8] sbuf input
  %x[0 | 8:4, 1:3] = dynamic_copy_dst %s {generic_addrs = %i, generic_dim = 1, offset_scale = 1}
  %z: f32[4,8] = tensor_copy %x
  return %z
}"""


def gather() -> Pairs:
    for at in range(6):
        expected = lax.dynamic_slice(jnp.asarray(X), (0, at), (4, 3))
        yield outputs(GATHER, x=X, i=np.array([at], np.uint32))[0], np.asarray(expected)


def scatter() -> Pairs:
    for at in range(6):
        expected = lax.dynamic_update_slice(jnp.asarray(X), jnp.asarray(Y[:, :3]), (0, at))
        yield outputs(SCATTER, x=X, s=Y[:, :3], i=np.array([at], np.uint32))[0], np.asarray(expected)


CHECKS = (
    Check("dynamic_copy_dst", "jax.lax.dynamic_update_slice", scatter, 0),
    Check("dynamic_copy_src", "jax.lax.dynamic_slice", gather, 0),
    Check("reciprocal", "numpy, a division of IEEE 754", reciprocal, 0),
    Check("tensor_copy", "numpy.astype, ml_dtypes", tensor_copy, 0),
    Check("tensor_reduce", "numpy, on whole numbers", tensor_reduce, 0),
    Check("tensor_scalar", "numpy, in f32", tensor_scalar, 0),
    Check("tensor_tensor", "numpy, in f32", tensor_tensor, 0),
    Check("transpose", "numpy", transpose, 0),
)
