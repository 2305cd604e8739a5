"""Which constants a lower float cannot hold; expected values by hand from IEEE 754 half precision."""

from typing import Any

import numpy as np
import pytest

from passes.precision.constant_range import ConstantRange
from passes.precision.constants import Constants
from passes.precision.survey import Survey
from runtime.constants import Constant
from runtime.dtypes import DType, bf16, f16, f32, i64
from runtime.functions import Function
from runtime.generic import Initializer, OnnxNode
from runtime.instructions import Instruction
from runtime.lazy_tensors import LazyTensor
from runtime.small_arrays import MOST_ELEMENTS
from runtime.types import Type


def why_unfit(low: DType, inst: Instruction, role: str | None = None) -> str | None:
    function = Function("main")
    function.operator_sets["ai.onnx"] = 17
    function.body.append(inst)
    found = ConstantRange(low, Constants(Survey(function))).why_unfit(inst, role)
    return None if found is None else found.why


def initializer(held: Any) -> Initializer:
    return Initializer(Constant.of(np.asarray(held, np.float32), f32))


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
    assert (why_unfit(f16, initializer(number)) is None) == fits
    node = OnnxNode("Constant", (), {"value_float": number}, result_types=[Type.tensor(f32, ())])
    assert (why_unfit(f16, node) is None) == fits


def test_bf16_has_the_range_of_f32() -> None:
    for number in (1e-12, 1e30, -1e12):
        assert why_unfit(bf16, initializer(number)) is None
    assert why_unfit(bf16, initializer(np.finfo(np.float32).max)) is not None  # rounds to infinity


def test_small_elements_of_a_weight_are_no_reason_unless_it_divides() -> None:
    for role, fits in ((None, True), ("f32", True), ("scalar", False), ("divisor", False), ("bound", False)):
        assert (why_unfit(f16, initializer([1.0, 1e-9]), role) is None) == fits


def test_one_large_element_is_a_reason_and_an_infinity_is_none() -> None:
    for held, fits in (([1.0, -1e9], False), ([1.0, -np.inf], True), ([np.nan, 1.0], True), ([np.nan, 1e9], False)):
        assert (why_unfit(f16, initializer(held)) is None) == fits


def test_a_tensor_without_elements_is_no_reason() -> None:
    assert why_unfit(f16, initializer(np.zeros((0, 3))), "divisor") is None


def test_what_is_computed_is_no_constant() -> None:
    assert why_unfit(f16, OnnxNode("Relu", result_types=[Type.tensor(i64, ())])) is None


class Fetched(LazyTensor):
    """A tensor of ones that counts how often it is fetched."""

    fetches = 0

    @property
    def array(self) -> Any:
        Fetched.fetches += 1
        return np.ones(self.shape, np.float32)


@pytest.mark.parametrize(("elements", "fetches"), [(1, 1), (MOST_ELEMENTS, 1), (MOST_ELEMENTS + 1, 3)])
def test_only_small_tensors_of_a_model_stay_fetched(
    elements: int, fetches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Fetched, "fetches", 0)
    held, function = Fetched(f32, (elements,)), Function("main")
    function.body.append(Initializer(held))
    constants = Constants(Survey(function))
    assert Fetched.fetches == 0
    (inst,) = function.insts
    contents = constants.contents(inst)
    assert contents is not None and contents.shape == (elements,)
    assert ConstantRange(f16, constants).why_unfit(inst) is None
    assert constants.elements(held).tolist() == [1.0] * elements
    assert Fetched.fetches == fetches


@pytest.mark.parametrize(
    ("numbers", "fits"),
    [
        ([1.0, -65519.0], True),
        ([1.0, -65520.0], False),
        ([float("nan"), 65519.0], True),
        ([float("nan"), 65520.0], False),  # a NaN hides nothing behind it
        ([65520.0, float("nan")], False),
        ([float("-inf"), 1.0], True),
        ([float("-inf"), 1e30], False),
    ],
)
@pytest.mark.filterwarnings("error")
def test_the_largest_magnitude_counts_beside_what_is_no_number(numbers: list[float], fits: bool) -> None:
    assert (why_unfit(f16, initializer(numbers)) is None) == fits
    assert (why_unfit(f16, initializer([numbers, numbers])) is None) == fits
