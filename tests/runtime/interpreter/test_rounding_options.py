"""How a run rounds: to nearest without options, saturating or stochastically where it is asked to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import runtime
from generated.graph.BinaryGen import BinaryGen
from generated.graph.CastGen import CastGen
from generated.neuron.TensorTensorOpGen import TensorTensorOpGen
from runtime.access import NeuronAP
from runtime.affine import Affine
from runtime.dtypes import bf16, dtype_of, f16, f32
from runtime.interpreter import InputError, run
from runtime.rounding import TO_NEAREST, Rounding
from runtime.wrappers.TensorCopyDynamicDst import TensorCopyDynamicDst
from runtime.wrappers.TensorCopyOp import TensorCopyOp
from tests.runtime.interpreter.programs import Program

QUARTER = np.full(4_000, 1 + 2.0**-9, np.float32)
"""A quarter of the way from 1 to the next bf16."""
SEEDED = Rounding(stochastic_seed=7)


def cast_program(target: str, *, count: int = 4_000, source: str = "f32") -> Program:
    program = Program()
    x = program.argument("x", source, count)
    program.returns(program.insert(CastGen(x, dtype=dtype_of(target)), "y"))
    return program


def as_f64(array: NDArray[Any]) -> NDArray[np.float64]:
    return array.astype(np.float64)


@pytest.mark.parametrize(
    ("target", "without", "saturating"),
    [
        ("f8e4m3", [np.inf, 240, np.inf, -np.inf, np.nan], [240, 240, 240, -240, np.nan]),
        ("f8e4m3fn", [np.nan, 240, np.nan, np.nan, np.nan], [448, 240, 448, -448, np.nan]),
        ("f8e5m2", [512, 256, np.inf, -np.inf, np.nan], [512, 256, 57344, -57344, np.nan]),
        ("f8e3m4", [np.inf, np.inf, np.inf, -np.inf, np.nan], [15.5, 15.5, 15.5, -15.5, np.nan]),
        ("f4e2m1", [6, 6, 6, -6, 6], [6, 6, 6, -6, 6]),
        ("f16", [500, 240, np.inf, -np.inf, np.nan], [500, 240, np.inf, -np.inf, np.nan]),
        ("i8", [127, 127, 127, -128, 127], [127, 127, 127, -128, 127]),
    ],
)
def test_8_bit_floats_saturate_where_it_is_asked_for(
    target: str, without: list[float], saturating: list[float]
) -> None:
    """Integers and f4e2m1, which have no infinity, do so always; wider floats never."""
    x = np.array([500, 240, 1e9, -np.inf, np.nan], np.float32)
    program = cast_program(target, count=5)
    for rounding, expected in ((TO_NEAREST, without), (Rounding(saturate=True), saturating)):
        np.testing.assert_array_equal(as_f64(program.run(x=x, rounding=rounding)["y"]), np.array(expected))


@pytest.mark.parametrize("op", ["copy", "sum", "scatter"])
def test_what_is_written_to_memory_is_rounded_in_the_same_way(op: str) -> None:
    program = Program()
    x = program.input("x", "f32", 2, 2)
    out = program.output("y", "f8e4m3", 2, 2)
    made: dict[str, Any] = {
        "copy": lambda: TensorCopyOp(x, dst=out),
        "sum": lambda: TensorTensorOpGen(x, program.input("z", "f32", 2, 2), "add", dst=out),
        "scatter": lambda: TensorCopyDynamicDst(x, 0, 2, dst=out),
    }
    program.insert(made[op]())
    inputs = {"x": np.array([[300, -300], [1, np.inf]], np.float32)}
    if op == "sum":
        inputs["z"] = np.zeros((2, 2), np.float32)
    result = program.run(rounding=Rounding(saturate=True), **inputs)["y"]
    assert as_f64(result).tolist() == [[240, -240], [1, 240]]
    assert as_f64(program.run(**inputs)["y"]).tolist() == [[np.inf, -np.inf], [1, np.inf]]


def test_stochastic_rounding_is_right_on_average_and_repeats_with_its_seed() -> None:
    program = cast_program("bf16")
    first, again = (as_f64(program.run(x=QUARTER, rounding=SEEDED)["y"]) for _ in range(2))
    other = as_f64(program.run(x=QUARTER, rounding=Rounding(stochastic_seed=0))["y"])
    assert first.tolist() == again.tolist() != other.tolist()
    assert set(first) == {1, 1 + 2.0**-7}
    for drawn in (first, other):  # 6 standard deviations of a share of a quarter
        assert abs((drawn > 1).mean() - 0.25) < 6 * (0.25 * 0.75 / QUARTER.size) ** 0.5
    assert set(as_f64(program.run(x=QUARTER)["y"])) == {1}


def test_each_result_and_each_turn_of_a_loop_draws_its_own_numbers() -> None:
    program = Program()
    x = program.input("x", "f32", 1, 4_000)
    y = program.output("y", "bf16", 3, 4_000)
    with program.loop("i", 2) as i:
        program.insert(TensorCopyOp(x, dst=NeuronAP(y.tensor, ((4_000, 1), (1, 4_000)), Affine(0, ((i, 4_000),)))))
    program.insert(TensorCopyOp(x.copy(), dst=NeuronAP(y.tensor, ((4_000, 1), (1, 4_000)), 8_000)))
    rows = as_f64(program.run(x=QUARTER[None], rounding=SEEDED)["y"]) > 1
    for a, b in ((0, 1), (0, 2), (1, 2)):  # independent: both up with a sixteenth
        assert abs((rows[a] & rows[b]).mean() - 1 / 16) < 6 * (1 / 16 * 15 / 16 / QUARTER.size) ** 0.5


@pytest.mark.parametrize("target", ["f32", "f64", "f8e8m0", "i8", "u16", "bool"])
def test_stochastic_rounding_leaves_integers_and_wide_floats_alone(target: str) -> None:
    program = cast_program(target, count=6)
    x = np.array([1, 1.5, 2.5, 3.3, 0.1, 6e4], np.float32)
    plain, seeded = program.run(x=x)["y"], program.run(x=x, rounding=SEEDED)["y"]
    assert plain.tobytes() == seeded.tobytes()


def test_values_of_the_dtype_are_never_moved() -> None:
    """Neither where nothing is rounded, nor where the cast changes no value."""
    values = np.arange(1 << 16, dtype=np.uint16).view(bf16.numpy).astype(np.float32)
    values = values[~np.isnan(values)]
    program = cast_program("bf16", count=values.size)
    found = program.run(x=values, rounding=SEEDED)["y"]
    assert found.tobytes() == values.astype(bf16.numpy).tobytes()


def test_a_skipped_rounding_draws_nothing() -> None:
    """So a program without a rounding, and one in which it is skipped, draw the same numbers for what follows."""
    program = Program()
    x = program.argument("x", "f32", 4_000)
    narrow = program.insert(CastGen(x, dtype=f16), "narrow")
    wide = program.insert(CastGen(narrow, dtype=f32), "wide")
    program.returns(program.insert(CastGen(wide, dtype=bf16), "y"))
    skipped = program.run(x=QUARTER, skip={narrow}, rounding=SEEDED)["y"]
    assert skipped.tobytes() == cast_program("bf16").run(x=QUARTER, rounding=SEEDED)["y"].tobytes()


def test_what_goes_in_is_not_rounded() -> None:
    program = Program()
    x = program.argument("x", "f8e4m3", 2)
    program.returns(program.insert(BinaryGen(x, x, "max"), "y"), x)
    given = np.array([np.inf, 1], dtype_of("f8e4m3").numpy)
    results = program.run(x=given, rounding=Rounding(saturate=True, stochastic_seed=0))
    assert as_f64(results["x"]).tolist() == [np.inf, 1]
    assert as_f64(results["y"]).tolist() == [240, 1]  # computed in f32, and then saturated


def test_both_choices_go_together() -> None:
    x = np.full(4_000, 17 / 16, np.float32)
    x[0] = 1e9
    y = as_f64(cast_program("f8e4m3").run(x=x, rounding=Rounding(saturate=True, stochastic_seed=1))["y"])
    assert y[0] == 240 and set(y[1:]) == {1, 1.125} and abs((y[1:] > 1).mean() - 0.5) < 0.05


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"saturate": 1}, TypeError, "saturate is True or False, not 1"),
        ({"saturate": "yes"}, TypeError, "saturate is True or False, not 'yes'"),
        (
            {"stochastic_seed": True},
            TypeError,
            "stochastic_seed is an integer, or None for rounding to nearest, not True",
        ),
        (
            {"stochastic_seed": 1.0},
            TypeError,
            "stochastic_seed is an integer, or None for rounding to nearest, not 1.0",
        ),
        (
            {"stochastic_seed": "7"},
            TypeError,
            "stochastic_seed is an integer, or None for rounding to nearest, not '7'",
        ),
        ({"stochastic_seed": -1}, ValueError, "stochastic_seed is -1; a seed is not negative"),
    ],
)
def test_a_wrong_choice_is_refused(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        Rounding(**arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize("given", ["stochastic", 7, None, True, {"saturate": True}, Rounding])
def test_what_is_no_rounding_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match=r"^rounding is a Rounding, such as Rounding\(saturate=True\), not "):
        run(cast_program("bf16").module, {"x": QUARTER}, rounding=given)


def test_it_is_a_value_like_any_other_and_part_of_the_public_interface() -> None:
    assert runtime.Rounding is Rounding and Rounding() == TO_NEAREST
    assert len({Rounding(saturate=True), Rounding(saturate=True), Rounding(stochastic_seed=0)}) == 2
    with pytest.raises(AttributeError):
        Rounding().saturate = True  # type: ignore[misc]
