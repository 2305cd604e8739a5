"""Which constants a lower float cannot hold; expected values by hand from IEEE 754 half precision."""

import numpy as np
import pytest

from passes.precision.constant_range import ConstantRange
from runtime.constants import Constant
from runtime.dtypes import bf16, f16, f32, i64
from runtime.generic import Initializer, OnnxNode
from runtime.types import Type


@pytest.mark.parametrize(
    ("number", "fits"),
    [
        (0.0, True),
        (65504.0, True),
        (65519.0, True),  # rounds to 65504
        (65520.0, False),  # a tie that goes to infinity
        (-65520.0, False),
        (float("inf"), True),
        (float("nan"), True),
        (6.2e-5, True),
        (6.0e-5, False),  # subnormal
        (1e-12, False),
    ],
)
def test_scalars_in_f16(number: float, fits: bool) -> None:
    scalar = Initializer(Constant.of(np.float32(number), f32))
    assert (ConstantRange(f16).why_unfit(scalar) is None) == fits
    node = OnnxNode("Constant", (), {"value_float": number}, result_types=[Type.tensor(f32, ())])
    assert (ConstantRange(f16).why_unfit(node) is None) == fits


def test_bf16_has_the_range_of_f32() -> None:
    for number in (1e-12, 1e30, -1e12):
        assert ConstantRange(bf16).why_unfit(Initializer(Constant.of(np.float32(number), f32))) is None


def test_small_elements_of_a_weight_are_no_reason_unless_it_divides() -> None:
    weight = Initializer(Constant.of(np.array([1.0, 1e-9], np.float32), f32))
    judge = ConstantRange(f16)
    assert judge.why_unfit(weight) is None
    assert judge.why_unfit(weight, scalar_role=True) is not None


def test_one_large_element_is_a_reason_and_an_infinity_is_none() -> None:
    judge = ConstantRange(f16)
    assert judge.why_unfit(Initializer(Constant.of(np.array([1.0, -1e9], np.float32), f32))) is not None
    assert judge.why_unfit(Initializer(Constant.of(np.array([1.0, -np.inf], np.float32), f32))) is None


def test_what_is_computed_is_no_constant() -> None:
    assert ConstantRange(f16).why_unfit(OnnxNode("Relu", result_types=[Type.tensor(i64, ())])) is None
