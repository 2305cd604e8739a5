"""Scalars that the lower float cannot hold: in attributes, and computed from other constants. Each with its twin.

Limits by hand from IEEE 754 half precision: the smallest normal value is 6.1035e-5, what rounds to infinity 65520.
"""

from typing import Any

import numpy as np
import pytest
from onnx import helper, numpy_helper

import passes
from frontends.onnx import load
from tests.passes.precision.models import I64, F, agrees, chain, converted, model, node, precisions, value


def tensor(number: float, dtype: Any = np.float32) -> Any:
    return numpy_helper.from_array(np.asarray(number, dtype))


@pytest.mark.parametrize(
    ("opset", "op", "attributes", "runs_in"),
    [
        (17, "LeakyRelu", {"alpha": 1e-6}, "f32"),
        (17, "LeakyRelu", {"alpha": 1e-3}, "f16"),
        (17, "LeakyRelu", {}, "f16"),
        (17, "Elu", {"alpha": 1e5}, "f32"),
        (17, "Elu", {"alpha": 2.0}, "f16"),
        (17, "Selu", {"gamma": 1e-5}, "f32"),
        (17, "Selu", {"gamma": 1.05}, "f16"),
        (17, "HardSigmoid", {"alpha": 1e-5}, "f32"),
        (17, "HardSigmoid", {"alpha": 0.0}, "f16"),
        (10, "Clip", {"min": -1.0, "max": 1e9}, "f32"),
        (10, "Clip", {"min": 1e-12, "max": 1.0}, "f32"),
        (10, "Clip", {"min": 0.0, "max": 6.0}, "f16"),
        (10, "Clip", {}, "f16"),
    ],
)
def test_an_attribute_that_the_lower_float_cannot_hold(
    opset: int, op: str, attributes: dict[str, float], runs_in: str
) -> None:
    source = chain(node(op, ["x"], "y", **attributes), opset=opset)
    result, found = converted(source)
    assert found["y"] == runs_in
    assert precisions(source, "autocast-bf16")["y"] in ("bf16", "f32")
    agrees(source, result, 2e-3, x=np.array([[0.5, -1, 2, 0]] * 2, np.float32))


def test_bf16_has_the_exponents_of_f32() -> None:
    small = chain(node("LeakyRelu", ["x"], "y", alpha=1e-6))
    assert precisions(small)["y"] == "f32" and precisions(small, "autocast-bf16")["y"] == "bf16"


def batch_normalization(variance: float, attributes: dict[str, float], opset: int = 13) -> Any:
    nodes = [
        node("Conv", ["x", "w"], "a"),
        node("BatchNormalization", ["a", "s", "b", "m", "v"], "n", **attributes),
        node("Relu", ["n"], "y"),
    ]
    ones = np.ones(2, np.float32)
    constants = dict(w=np.ones((2, 2, 1, 1), np.float32), s=ones, b=ones, m=ones, v=ones * np.float32(variance))
    return chain(*nodes, constants=constants, opset=opset, shape=(1, 2, 2, 2))


@pytest.mark.parametrize(
    ("variance", "attributes", "runs_in"),
    [
        (1.0, {}, "f16"),  # 1e-5, the default, beside 1: nothing is lost that a rounding would not lose
        (1e-3, {}, "f32"),  # beside 1e-3 it is
        (1e-3, {"epsilon": 1e-3}, "f16"),  # f16 holds it
        (1.0, {"epsilon": 1e-12}, "f16"),
        (0.0, {"epsilon": 1e-12}, "f32"),
        (9.8e7, {}, "f32"),  # the variance itself
    ],
)
def test_an_epsilon_counts_where_what_it_is_added_to_is_small(
    variance: float, attributes: dict[str, float], runs_in: str
) -> None:
    source = batch_normalization(variance, attributes)
    result, found = converted(source)
    assert found == {"a": "f16", "n": runs_in, "y": runs_in}  # behind what is f32 no product is left
    agrees(source, result, 1e-2, x=np.full((1, 2, 2, 2), 0.5, np.float32))  # as the statistics say


def test_an_epsilon_that_is_added_to_what_stays_f32_is_f32_too() -> None:
    assert precisions(batch_normalization(0.0, {"epsilon": 1e-12}, opset=15))["n"] == "f16"


@pytest.mark.parametrize(("number", "runs_in"), [(1e-7, "f32"), (1e6, "f32"), (0.5, "f16"), (0.0, "f16")])
def test_constants_in_every_spelling(number: float, runs_in: str) -> None:
    spellings = [
        node("Constant", [], "c", value=tensor(number)),
        node("Constant", [], "c", value_float=number),
        node("Constant", [], "c", value_floats=[number]),
        helper.make_node(
            "ConstantOfShape", ["one"], ["c"], value=numpy_helper.from_array(np.array([number], np.float32))
        ),
    ]
    for spelled in spellings:
        source = chain(spelled, node("Max", ["x", "c"], "y"), constants={"one": np.array([1])})
        result, found = converted(source)
        assert found["y"] == runs_in
        agrees(source, result, 1e-3, x=np.zeros((2, 4), np.float32))


def test_without_a_value_a_filled_tensor_holds_zeros() -> None:
    source = chain(
        node("ConstantOfShape", ["one"], "c"), node("Max", ["x", "c"], "y"), constants={"one": np.array([1])}
    )
    assert precisions(source)["y"] == "f16"


CHAINS: dict[str, tuple[list[Any], dict[str, Any], str]] = {
    "product": ([node("Mul", ["a", "a"], "c")], {"a": 1e-4}, "f32"),
    "product that fits": ([node("Mul", ["a", "a"], "c")], {"a": 1e-2}, "f16"),
    "sum": ([node("Add", ["a", "a"], "c")], {"a": 4e4}, "f32"),
    "sum that fits": ([node("Add", ["a", "a"], "c")], {"a": 3e4}, "f16"),
    "sum of several": ([node("Sum", ["a", "a", "a"], "c")], {"a": 3e4}, "f32"),
    "difference": ([node("Sub", ["a", "b"], "c")], {"a": 1.0, "b": 0.99999}, "f32"),
    "difference of nothing": ([node("Sub", ["a", "a"], "c")], {"a": 1.0}, "f16"),
    "power": ([node("Pow", ["a", "b"], "c")], {"a": 10.0, "b": -8.0}, "f32"),
    "quotient": ([node("Div", ["a", "b"], "c")], {"a": 1.0, "b": 5e4}, "f32"),
    "quotient that fits": ([node("Div", ["a", "b"], "c")], {"a": 100.0, "b": 5e4}, "f16"),
    "root of what does not fit": ([node("Sqrt", ["a"], "c")], {"a": 1e-6}, "f16"),
    "root of what is too small": ([node("Sqrt", ["a"], "c")], {"a": 1e-12}, "f32"),
    "moved": (
        [node("Mul", ["a", "a"], "p"), node("Unsqueeze", ["p", "zero"], "u"), node("Reshape", ["u", "one"], "r")]
        + [node("Identity", ["r"], "i"), node("Squeeze", ["i", "zero"], "c")],
        {"a": 1e-4},
        "f32",
    ),
    "in another type": ([node("Mul", ["n", "n"], "p"), node("Cast", ["p"], "c", to=F)], {"n": np.array(300)}, "f32"),
    "in another type that fits": (
        [node("Mul", ["n", "n"], "p"), node("Cast", ["p"], "c", to=F)],
        {"n": np.array(200)},
        "f16",
    ),
    "rounded by the program": (
        [node("Cast", ["a"], "i", to=I64), node("Cast", ["i"], "c", to=F)],
        {"a": 6.0e-5},
        "f16",  # it is a zero
    ),
    "filled": (
        [node("ConstantOfShape", ["one"], "f", value=numpy_helper.from_array(np.array([1e-4], np.float32)))]
        + [node("Mul", ["f", "f"], "c")],
        {},
        "f32",
    ),
    "not known": ([node("Erf", ["a"], "c")], {"a": 1e-12}, "f32"),  # what is not computed is as its operands are
}


@pytest.mark.parametrize("name", CHAINS)
def test_constants_that_are_computed_are_judged_by_what_comes_out(name: str) -> None:
    nodes, constants, runs_in = CHAINS[name]
    arrays = {key: np.float32(held) if isinstance(held, float) else held for key, held in constants.items()}
    source = chain(
        *nodes, node("Max", ["x", "c"], "y"), constants={**arrays, "zero": np.array([0]), "one": np.array([1])}
    )
    result, found = converted(source)
    assert found["y"] == runs_in
    agrees(source, result, 1e-3, x=np.zeros((2, 4), np.float32))


def test_the_range_is_not_brought_back_by_a_bound_or_a_small_divisor() -> None:
    # Clip gives its bound, which the next operation needs; a division by 1e-6 gives a million.
    for first in (node("Clip", ["x", "c"], "d"), node("Div", ["x", "c"], "d")):
        source = chain(first, node("Neg", ["d"], "y"), constants={"c": np.float32(1e-6)})
        assert precisions(source) == {"d": "f32", "y": "f32"}
    # A large divisor brings it back, and a clip to what fits brings back whatever came before.
    source = chain(node("Div", ["x", "c"], "d"), node("Neg", ["d"], "y"), constants={"c": np.float32(65535)})
    assert precisions(source) == {"d": "f32", "y": "f16"}
    nodes = [node("Exp", ["x"], "e"), node("Clip", ["e", "c"], "d"), node("Neg", ["d"], "y")]
    assert precisions(chain(*nodes, constants={"c": np.float32(1)})) == {"e": "f32", "d": "f32", "y": "f16"}


@pytest.mark.parametrize(
    ("op", "n_scales", "attributes"), [("LayerNormalization", 1, {}), ("BatchNormalization", 4, {"training_mode": 1})]
)
def test_the_range_is_brought_back_of_the_first_result_only(op: str, n_scales: int, attributes: dict[str, Any]) -> None:
    """What is normalized is about 1; the mean that comes with it is about 1e6, or a tenth of that."""
    add, constants = node("Add", ["x", "c"], "a"), {"c": np.float32(1e6), "g": np.ones(4, np.float32)}
    norm = helper.make_node(op, ["a", *["g"] * n_scales], ["n", "m", "i"], **attributes)
    of_x = helper.make_node(op, ["x", *["g"] * n_scales], ["n", "m", "i"], **attributes)
    assert precisions(chain(add, norm, node("Mul", ["n", "n"], "y"), constants=constants))["y"] == "f16"
    assert precisions(chain(add, norm, node("Mul", ["n", "m"], "y"), constants=constants))["y"] == "f32"
    assert precisions(chain(of_x, node("Mul", ["n", "m"], "y"), constants=constants))["y"] == "f16"


def test_a_square_that_is_summed_may_overflow_and_another_product_runs_low() -> None:
    summed = chain(node("Mul", ["x", "x"], "q"), node("ReduceMean", ["q"], "m", axes=[1]), node("Add", ["x", "m"], "y"))
    result, found = converted(summed)
    assert found["q"] == "f32" and precisions(summed, "autocast-bf16")["q"] == "bf16"
    agrees(summed, result, 2e-3, x=np.full((2, 4), 300, np.float32))
    assert precisions(chain(node("Mul", ["x", "x"], "q"), node("Add", ["x", "q"], "y")))["q"] == "f16"
    other = [node("Mul", ["x", "k"], "q"), node("ReduceMean", ["q"], "m", axes=[1]), node("Add", ["x", "m"], "y")]
    assert precisions(chain(*other, constants={"k": np.float32(2)}))["q"] == "f16"


@pytest.mark.parametrize(
    ("op", "index", "attributes", "runs_in"),
    [
        ("ScatterElements", [[0] * 4] * 2, {"reduction": "add"}, "f32"),
        ("ScatterElements", [[0] * 4] * 2, {"reduction": "mul"}, "f32"),
        ("ScatterElements", [[0] * 4] * 2, {"reduction": "none"}, "f16"),
        ("ScatterElements", [[0] * 4] * 2, {}, "f16"),
        ("ScatterND", [[0], [0]], {"reduction": "add"}, "f32"),
        ("ScatterND", [[0], [0]], {}, "f16"),
    ],
)
def test_what_a_scatter_adds_up_may_be_out_of_range(
    op: str, index: list[list[int]], attributes: dict[str, str], runs_in: str
) -> None:
    nodes = [node("Relu", ["x"], "r"), node(op, ["r", "i", "r"], "s", **attributes), node("Neg", ["s"], "y")]
    source = chain(*nodes, constants={"i": np.array(index)}, opset=16)
    result, found = converted(source)
    assert found == {"r": "f16", "s": runs_in, "y": runs_in}
    if attributes.get("reduction", "none") != "none":  # 40000 times 3 is beyond 65504
        agrees(source, result, 1e-3, x=np.full((2, 4), 40000, np.float32))
    assert precisions(source, "autocast-bf16") == {"r": "bf16", "s": "bf16", "y": "bf16"}


def test_shapes_that_do_not_fit_are_no_fault_of_ours() -> None:
    nodes = [node("Add", ["a", "b"], "c"), node("Max", ["x", "k"], "y")]
    constants = {"a": np.ones(2, np.float32), "b": np.ones(3, np.float32), "k": np.float32(1)}
    source = model(nodes, [value("x", F, [2])], [value("y", F, [2])], constants)
    assert {line.value: line.precision for line in passes.convert(load(source))[1].lines}["y"] == "f16"


@pytest.mark.parametrize(
    ("name", "runs_in"),
    [
        ("reciprocal", "f16"),
        ("scaled", "f16"),
        ("power", "f16"),
        ("constant", "f32"),
        ("square", "f32"),
        ("exp", "f32"),
    ],
)
def test_a_product_with_a_reciprocal_is_a_division(name: str, runs_in: str) -> None:
    """As in x * rsqrt(variance): the range is brought back, while the reciprocal by itself may be large."""
    ways = {
        "reciprocal": [node("Reciprocal", ["v"], "r"), node("Mul", ["x", "r"], "n")],
        "scaled": [node("Reciprocal", ["v"], "i"), node("Mul", ["i", "k"], "r"), node("Mul", ["x", "r"], "n")],
        "power": [node("Pow", ["v", "h"], "r"), node("Mul", ["r", "x"], "n")],
        "constant": [node("Reciprocal", ["v"], "r"), node("Mul", ["r", "k"], "n")],
        "square": [node("Reciprocal", ["v"], "r"), node("Mul", ["r", "r"], "n")],
        "exp": [node("Exp", ["v"], "r"), node("Mul", ["x", "r"], "n")],
    }
    nodes = [node("Sqrt", ["x"], "v"), *ways[name], node("Neg", ["n"], "y")]
    source = chain(*nodes, constants={"k": np.float32(0.5), "h": np.float32(-0.5)})
    result, found = converted(source)
    assert (found["r"], found["n"], found["y"]) == ("f32", "f32", runs_in)
    agrees(source, result, 2e-3, x=np.full((2, 4), 2, np.float32))


@pytest.mark.parametrize(("number", "runs_in"), [(1e9, "f32"), (1e-9, "f32"), (2.0, "f16")])
def test_a_constant_that_the_caller_may_replace_is_judged_by_its_default(number: float, runs_in: str) -> None:
    """As in files of the first versions of the format, where every weight is an input."""
    source = chain(node("Mul", ["x", "k"], "y"), constants={"k": np.float32(number)})
    source.graph.input.append(value("k", F, []))
    result, found = converted(source)
    assert found["y"] == runs_in
    agrees(source, result, 2e-3, x=np.ones((2, 4), np.float32), k=np.float32(2))
