"""Convolutions and pools beside JAX and the reference evaluator of ONNX."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tests.runtime.interpreter.one_instruction import by_onnx
from tests.runtime.semantics.check import Check, Pairs, outputs

RNG = np.random.default_rng


def conv() -> Pairs:
    """One, two and three dimensions; groups, strides, uneven padding and dilations."""
    cases: Sequence[tuple[tuple[int, ...], tuple[int, ...], int, list[int], list[int], list[int]]] = (
        ((2, 3, 9), (4, 3, 3), 1, [1], [0, 0], [1]),
        ((1, 4, 7, 8), (6, 2, 3, 2), 2, [2, 1], [1, 0, 2, 1], [1, 2]),
        ((1, 2, 5, 6, 4), (2, 1, 2, 2, 3), 2, [1, 2, 1], [0, 1, 1, 0, 0, 1], [1, 1, 1]),
    )
    for src, weights, groups, strides, padding, dilations in cases:
        rank = len(src) - 2
        x, w = RNG(1).normal(size=src), RNG(2).normal(size=weights)
        with jax.enable_x64(True):
            pads = list(zip(padding[:rank], padding[rank:], strict=True))
            more: dict[str, Any] = {"rhs_dilation": dilations, "feature_group_count": groups}
            convolved = lax.conv_general_dilated(jnp.asarray(x), jnp.asarray(w), strides, pads, **more)
            expected = np.asarray(convolved)
        text = f"""func @main(%x: {_type(src)}, %w: {_type(weights)}) {{
          %y: {_type(expected.shape)} = graph.conv %x, %w {{
            strides = {strides}, padding = {padding}, dilations = {dilations}, groups = {groups}}}
          return %y
        }}"""
        yield outputs(text, x=x, w=w)[0], expected
    x, w = np.array([[[1, 1e8, 1e8]]], np.float32), np.array([[[1, 1, -1]]], np.float32)
    text = "func @main(%x: f32[1,1,3], %w: f32[1,1,3]) {\n  %y: f64[1,1,1] = graph.conv %x, %w\n  return %y\n}"
    yield outputs(text, x=x, w=w)[0], np.ones((1, 1, 1))  # in f32 the 1 is lost beside 1e8


def pool() -> Pairs:
    x = RNG(3).normal(size=(2, 3, 7, 6))
    for op, counts, name in (
        ("max", False, "MaxPool"),
        ("mean", False, "AveragePool"),
        ("mean", True, "AveragePool"),
    ):
        more = {"count_include_pad": int(counts)} if op == "mean" else {}
        expected = by_onnx(name, x, kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1], **more)
        text = f"""func @main(%x: {_type(x.shape)}) {{
          %y: {_type(expected.shape)} = graph.pool {op} %x window [3, 2] {{
            strides = [2, 1], padding = [1, 0, 1, 1], counts_padding = {str(counts).lower()}}}
          return %y
        }}"""
        yield outputs(text, x=x)[0], expected


def _type(shape: Sequence[int]) -> str:
    return f"f64[{','.join(map(str, shape))}]"


CHECKS = (
    Check("graph.conv", "jax.lax.conv_general_dilated", conv, 1e-13),
    Check("graph.pool", "onnx.reference MaxPool, AveragePool", pool, 1e-14),
)
