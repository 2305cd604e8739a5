"""Result shapes against numpy's own answer."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from runtime.dtypes import bf16, f32, u32
from runtime.infer.copies import gathered_type
from runtime.infer.elementwise import broadcast_shapes
from runtime.infer.matmuls import matmul_type, neuron_matmul_type
from runtime.types import Type

SHAPES = st.lists(st.integers(1, 3), max_size=4).map(tuple)


@given(SHAPES, SHAPES)
def test_broadcasting_is_numpys(lhs: tuple[int, ...], rhs: tuple[int, ...]) -> None:
    try:
        expected = np.broadcast_shapes(lhs, rhs)
    except ValueError:
        expected = None
    assert broadcast_shapes(lhs, rhs) == expected


@given(SHAPES, SHAPES)
def test_matmul_shapes_are_numpys(lhs: tuple[int, ...], rhs: tuple[int, ...]) -> None:
    try:
        expected = (np.zeros(lhs) @ np.zeros(rhs)).shape
    except ValueError:
        return  # operands that do not fit are the verifier's business
    assert matmul_type(Type.tensor(bf16, lhs), Type.tensor(bf16, rhs)) is Type.tensor(bf16, expected)


def test_unknown_extents_stay_unknown_unless_the_other_side_says() -> None:
    assert broadcast_shapes(("N", 1), (1, 4)) == ("N", 4)
    assert broadcast_shapes(("N",), (4,)) == (4,)
    assert broadcast_shapes(("N",), ("M",)) == (None,)
    assert broadcast_shapes(None, (4,)) is None


def test_the_tensor_engine_accumulates_in_f32() -> None:
    assert neuron_matmul_type(Type.tensor(bf16, (64, 128)), Type.tensor(bf16, (64, 512))) is Type.tensor(
        f32, (128, 512)
    )


def test_a_gather_has_one_row_for_each_index() -> None:
    window = Type.tensor(f32, (128, 1, 8))
    assert gathered_type(window, 1, Type.tensor(u32, (5,))) is Type.tensor(f32, (128, 5, 8))
    assert gathered_type(window, 1, Type.tensor(u32, (1,))) is window
    assert gathered_type(window, 1, None) is window
