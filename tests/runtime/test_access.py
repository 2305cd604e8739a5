"""Access patterns and affine offsets against numpy's strides and plain enumeration."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from runtime.access import NeuronAP, whole_pairs
from runtime.affine import Affine, Axis
from runtime.dtypes import bf16, f32, i32
from runtime.tensors import NeuronSBTensor


@given(st.lists(st.integers(1, 5), max_size=4))
def test_whole_pairs_are_numpys_strides_in_elements(shape: list[int]) -> None:
    array = np.zeros(shape, np.int8)
    assert whole_pairs(tuple(shape)) == tuple(zip(array.strides, shape, strict=True))


@given(st.integers(0, 20), st.lists(st.tuples(st.integers(-3, 5), st.integers(1, 4)), max_size=3))
def test_elements_and_bounds_agree_with_strided_numpy(offset: int, pairs: list[tuple[int, int]]) -> None:
    memory = np.arange(200, dtype=np.int64)
    start = offset + 60
    view = np.lib.stride_tricks.as_strided(memory[start:], [n for _, n in pairs], [8 * step for step, _ in pairs])
    access = NeuronAP(NeuronSBTensor("t", i32, (200,)), pairs, start)
    assert list(access.elements({})) == view.reshape(-1).tolist()
    assert access.bounds == (view.min(), view.max())


@given(
    st.integers(-9, 9),
    st.lists(st.tuples(st.integers(-4, 4), st.integers(1, 4), st.integers(-3, 3), st.integers(-2, 3)), max_size=3),
)
def test_bounds_of_an_affine_form_are_those_over_all_iterations(
    constant: int, terms: list[tuple[int, int, int, int]]
) -> None:
    axes = [Axis(f"a{k}", trips, lower, step) for k, (_, trips, lower, step) in enumerate(terms)]
    form = Affine(constant, tuple(zip(axes, (coefficient for coefficient, *_ in terms), strict=True)))
    totals = [constant]
    for (coefficient, trips, lower, step), _ in zip(terms, axes, strict=True):
        totals = [t + coefficient * (lower + k * step) for t in totals for k in range(trips)]
    assert form.bounds == (min(totals), max(totals))


def test_terms_of_one_axis_are_added_and_vanish_at_zero() -> None:
    i, j = Axis("i", 4), Axis("j", 4)
    form = Affine.of(i) * 2 + j + 3 + (Affine.of(i) * -2)
    assert form == Affine(3, ((j, 1),))
    assert form.evaluate({j: 5}) == 8
    assert hash(Affine(1, ((i, 2), (j, 3)))) == hash(Affine(1, ((j, 3), (i, 2))))


def test_use_str_is_short_for_the_whole_tensor_and_complete_otherwise() -> None:
    tensor = NeuronSBTensor("t", bf16, (128, 64))
    i = Axis("i", 4)
    assert NeuronAP(tensor).use_str() == "%t"
    assert NeuronAP(tensor, [(64, 128), (2, 8)], Affine.of(i) * 16 + 1).use_str() == "%t[1 + 16*%i | 64:128, 2:8]"
    assert NeuronAP(tensor, [(32, 128), (1, 32)], reinterpret=f32).use_str() == "%t[0 | 32:128, 1:32 | as f32]"
