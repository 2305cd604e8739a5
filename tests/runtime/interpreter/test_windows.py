"""Convolutions and pools against onnxruntime, and the shapes that are inferred for them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from runtime.dtypes import bf16, f32
from runtime.infer.reductions import reduce_type
from runtime.infer.windows import conv_type, pool_type
from runtime.types import Type
from runtime.wrappers.Conv import Conv
from runtime.wrappers.Pool import Pool
from tests.runtime.interpreter.one_instruction import by_onnxruntime, run_one

Geometry = dict[str, Any]


@st.composite
def geometries(draw: Any, rank: int, *, is_dilated: bool) -> tuple[list[int], list[int], Geometry]:
    """Extents, a window, and how it moves: one that fits at least once."""
    window = draw(st.lists(st.integers(1, 3), min_size=rank, max_size=rank))
    spatial = draw(st.lists(st.integers(1, 7), min_size=rank, max_size=rank))
    how = {
        "strides": draw(st.lists(st.integers(1, 3), min_size=rank, max_size=rank)),
        "padding": [draw(st.integers(0, size - 1)) for size in (*window, *window)],  # as much as onnxruntime takes
        "dilations": draw(st.lists(st.integers(1, 3 if is_dilated else 1), min_size=rank, max_size=rank)),
    }
    before, after = how["padding"][:rank], how["padding"][rank:]
    reach = [(size - 1) * step + 1 for size, step in zip(window, how["dilations"], strict=True)]
    padded = [sum(each) for each in zip(spatial, before, after, strict=True)]
    assume(all(whole >= part for whole, part in zip(padded, reach, strict=True)))
    return spatial, window, how


@given(st.data(), st.integers(1, 3), st.integers(1, 3), st.booleans())
@settings(deadline=None, max_examples=60)
def test_convolutions_agree_with_onnxruntime(data: st.DataObject, rank: int, groups: int, has_bias: bool) -> None:
    spatial, window, how = data.draw(geometries(rank, is_dilated=True))
    random = np.random.default_rng(3)
    src = random.standard_normal((2, 2 * groups, *spatial)).astype(np.float32)
    weights = random.standard_normal((3 * groups, 2, *window)).astype(np.float32)
    inputs = {
        "src": src,
        "weights": weights,
        **({"bias": weights[:, 0].reshape(3 * groups, -1)[:, 0]} if has_bias else {}),
    }
    result = run_one(
        lambda *values: Conv(*values, **how, groups=groups), **{name: ("f32", array) for name, array in inputs.items()}
    )
    named = {"strides": how["strides"], "pads": how["padding"], "dilations": how["dilations"]}
    expected = by_onnxruntime("Conv", *inputs.values(), group=groups, kernel_shape=window, **named)
    assert result.shape == expected.shape
    assert np.allclose(result, expected, rtol=1e-5, atol=1e-5)
    src_type, weights_type = Type.tensor(f32, src.shape), Type.tensor(f32, weights.shape)
    assert conv_type(src_type, weights_type, **how) is Type.tensor(f32, expected.shape)


@given(st.data(), st.integers(1, 3), st.sampled_from(["max", "mean"]), st.booleans())
@settings(deadline=None, max_examples=60)
def test_pools_agree_with_onnxruntime(data: st.DataObject, rank: int, op: Any, counts_padding: bool) -> None:
    spatial, window, how = data.draw(geometries(rank, is_dilated=False))
    src = np.random.default_rng(4).standard_normal((2, 3, *spatial)).astype(np.float32)
    moved: Geometry = {"strides": how["strides"], "padding": how["padding"]}
    result = run_one(lambda value: Pool(value, op, window, **moved, counts_padding=counts_padding), src=("f32", src))
    name, more = ("MaxPool", {}) if op == "max" else ("AveragePool", {"count_include_pad": int(counts_padding)})
    expected = by_onnxruntime(name, src, kernel_shape=window, strides=how["strides"], pads=how["padding"], **more)
    assert result.shape == expected.shape
    assert np.allclose(result, expected, rtol=1e-6, atol=1e-7)
    assert pool_type(Type.tensor(f32, src.shape), window, **moved) is Type.tensor(f32, expected.shape)


def test_without_a_word_strides_are_one_and_nothing_is_padded() -> None:
    src = np.arange(8, dtype=np.float32).reshape(1, 1, 8)
    weights = np.array([[[1, 0, -1]]], np.float32)
    assert run_one(Conv, src=("f32", src), weights=("f32", weights)).tolist() == [[[-2] * 6]]
    assert run_one(lambda x: Pool(x, "mean", [2]), src=("f32", src)).tolist() == [[[0.5 + n for n in range(7)]]]


def test_a_convolution_in_bf16_is_summed_in_f32_and_rounded_once() -> None:
    # 256 + 1 + 1: in bf16, 257 would become 256 twice; the exact 258 is a bf16.
    src = np.array([[[256, 1, 1]]], np.float32).astype(bf16.numpy)
    assert run_one(Conv, src=("bf16", src), weights=("bf16", np.ones((1, 1, 3), bf16.numpy))).astype(float) == 258


def test_a_window_that_is_too_large_fits_nowhere() -> None:
    assert conv_type(Type.tensor(f32, (1, 1, 2)), Type.tensor(f32, (4, 1, 3)), None, None, None).shape == (1, 4, 0)
    src = np.zeros((1, 1, 2), np.float32)
    assert run_one(lambda x: Pool(x, "max", [3]), src=("f32", src)).shape == (1, 1, 0)


def test_what_is_not_known_stays_unknown() -> None:
    image, weights = Type.tensor(f32, ("N", 3, None, 8)), Type.tensor(f32, (16, 3, 3, 3))
    assert conv_type(image, weights, [2, 2], None, None).shape == ("N", 16, None, 3)
    assert conv_type(image, Type.tensor(f32, None), None, None, None).shape is None
    assert reduce_type(Type.tensor(f32, ("N", None, 4)), [1], True).shape == ("N", 1, 4)
    assert reduce_type(Type.tensor(f32, ("N", None, 4)), [0, 2], False).shape == (None,)
    assert reduce_type(Type.tensor(f32, None), [0], False).shape is None


@pytest.mark.parametrize(
    "wrong",
    [{"strides": [2]}, {"padding": [1, 1]}, {"dilations": [1, 1, 1]}, {"strides": [0, 1]}, {"dilations": [1, -1]}],
)
def test_wrong_lists_leave_the_extents_unknown(wrong: dict[str, list[int]]) -> None:
    lists: dict[str, Any] = {"strides": None, "padding": None, "dilations": None, **wrong}
    found = conv_type(Type.tensor(f32, (1, 3, 8, 8)), Type.tensor(f32, (4, 3, 3, 3)), **lists)
    assert found.shape == (1, 4, None, None)


@pytest.mark.parametrize(
    ("src", "weights", "groups"),
    [
        ((1, 3, 4, 4), (0, 3, 1, 1), 1),
        ((1, 4, 4, 4), (0, 2, 1, 1), 2),
        ((1, 0, 4, 4), (2, 0, 3, 3), 1),
        ((0, 3, 4, 4), (2, 3, 3, 3), 1),
        ((2, 3, 0, 4), (2, 3, 1, 1), 1),
        ((2, 3, 4, 4), (2, 3, 5, 1), 1),
    ],
)
def test_convolutions_without_elements_have_the_shape_that_is_inferred(
    src: tuple[int, ...], weights: tuple[int, ...], groups: int
) -> None:
    """Without channels every sum is one of nothing; anything else that is absent leaves no elements."""
    inputs = {"src": ("f32", np.ones(src, np.float32)), "weights": ("f32", np.ones(weights, np.float32))}
    result = run_one(lambda *values: Conv(*values, groups=groups), **inputs)
    spatial = [max(0, extent - size + 1) for extent, size in zip(src[2:], weights[2:], strict=True)]
    assert result.tolist() == np.zeros((src[0], weights[0], *spatial)).tolist()
    assert result.shape == (src[0], weights[0], *spatial)
