"""Loops over tiles against numpy, and the roundings that a caller asks to skip."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from generated.graph.CastGen import CastGen
from generated.graph.MatMulGen import MatMulGen
from generated.neuron.SBAtomLoadGen import SBAtomLoadGen
from generated.neuron.SBAtomStoreGen import SBAtomStoreGen
from generated.neuron.TensorTensorOpGen import TensorTensorOpGen
from generated.vocabulary import ActivationFunction
from runtime.access import NeuronAP
from runtime.affine import Affine
from runtime.blocks import Loop
from runtime.dtypes import bf16, f32, i32, u16
from runtime.interpreter import InterpreterError, MemoryAccessError
from runtime.values import Value
from runtime.wrappers.ActivationOp import ActivationOp
from runtime.wrappers.MatMulOp import MatMulOp
from runtime.wrappers.TensorCopyOp import TensorCopyOp
from tests.runtime.interpreter.programs import Program

BF16 = ml_dtypes.bfloat16


def random(*shape: int, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def rounded(array: Any) -> NDArray[np.float32]:
    """Return f32 values rounded to bf16."""
    result: NDArray[np.float32] = np.asarray(array, np.float32).astype(BF16).astype(np.float32)
    return result


def test_a_loop_over_tiles_visits_each_once() -> None:
    program = Program()
    x, y = (
        program.input("x", "f32", 6, 8, memory="dram").tensor,
        program.output("y", "bf16", 6, 8, memory="dram").tensor,
    )
    with program.loop("i", 3) as i, program.loop("j", 2, lower=4, step=-4) as j:
        start = Affine(0, ((i, 16), (j, 1)))
        tile = program.insert(SBAtomLoadGen(NeuronAP(x, ((8, 2), (1, 4)), start)))
        scaled = program.insert(ActivationOp(tile, "relu"))
        program.insert(SBAtomStoreGen(scaled, dst=NeuronAP(y, ((8, 2), (1, 4)), start)))
    given = random(6, 8)
    result = program.run(x=given)["y"]
    assert result.dtype == BF16
    assert (result.astype(np.float32) == rounded(np.maximum(given, 0))).all()


def test_a_tile_that_no_iteration_writes_stays_unwritten() -> None:
    program = Program()
    x, y = program.input("x", "f32", 6).tensor, program.output("y", "f32", 6).tensor
    with program.loop("i", 2) as i:
        program.insert(
            TensorCopyOp(NeuronAP(x, ((1, 2),), Affine(0, ((i, 2),))), dst=NeuronAP(y, ((1, 2),), Affine(0, ((i, 2),))))
        )
    with pytest.raises(MemoryAccessError, match=r"the output reads element \[4\] of %y: f32\[6\]"):
        program.run(x=random(6))


def test_an_iteration_that_leaves_its_tensor_is_an_error_with_the_instruction() -> None:
    program = Program()
    x = program.input("x", "f32", 6).tensor
    with program.loop("i", 3) as i:
        program.insert(TensorCopyOp(NeuronAP(x, ((1, 2),), Affine(1, ((i, 2),)))), "t")
    message = (
        r"reaches element 6 of %x: f32\[6\], which has elements 0 to 5\n  in `%t: .* = .*copy %x\[1 \+ 2\*%i \| 1:2\]`"
    )
    with pytest.raises(MemoryAccessError, match=message):
        program.run(x=random(6))


def test_a_loop_carries_state_in_memory() -> None:
    program = Program()
    x = program.input("x", "f32", 5).tensor
    total = program.output("total", "f32", 1)
    program.insert(TensorCopyOp(program.input("zero", "f32", 1), dst=NeuronAP(total.tensor)))
    with program.loop("i", 5) as i:
        item = NeuronAP(x, ((1, 1),), i)
        program.insert(TensorTensorOpGen(NeuronAP(total.tensor), item, "add", dst=NeuronAP(total.tensor)))
    values = np.array([1e8, 1, -1e8, 1, 3], np.float32)
    expected = np.float32(0)
    for value in values:
        expected += value
    assert program.run(x=values, zero=np.zeros(1, np.float32))["total"].tolist() == [expected]


@pytest.mark.parametrize("trip_count", [0, 1])
def test_a_loop_may_run_never(trip_count: int) -> None:
    program = Program()
    y = program.function.add_tensor(type(program.scratch("t", "f32", 1))("y", i32, (2,), isInput=True, isOutput=True))
    with program.loop("i", trip_count):
        program.insert(TensorCopyOp(program.argument("a", "i32", 2), dst=NeuronAP(y)))
    given = {"a": np.array([3, 4], np.int32), "y": np.array([1, 2], np.int32)}
    assert program.run(**given)["y"].tolist() == ([3, 4] if trip_count else [1, 2])
    assert isinstance(program.function.body.first, Loop)


def test_tiled_matrix_product() -> None:
    """C = A.T @ B in tiles, the products of one tile of C added up over K in f32."""
    program = Program()
    a, b = program.input("a", "bf16", 8, 6).tensor, program.input("b", "bf16", 8, 10).tensor
    c = program.output("c", "f32", 6, 10).tensor
    with program.loop("m", 2) as m, program.loop("n", 2) as n:
        first, second = (
            program.insert(
                MatMulOp(
                    NeuronAP(a, ((6, 4), (1, 3)), Affine(6 * k, ((m, 3),))),
                    NeuronAP(b, ((10, 4), (1, 5)), Affine(10 * k, ((n, 5),))),
                )
            )
            for k in (0, 4)
        )
        target = NeuronAP(c, ((10, 3), (1, 5)), Affine(0, ((m, 30), (n, 5))))
        program.insert(TensorTensorOpGen(first, second, "add", dst=target))
    left, right = random(8, 6).astype(BF16), random(8, 10, seed=1).astype(BF16)
    result = program.run(a=left, b=right)["c"]
    exact = left.astype(np.float64).T @ right.astype(np.float64)
    assert np.allclose(result, exact, rtol=1e-6, atol=1e-6)
    by_hand = np.zeros((6, 10), np.float32)
    for half in (slice(0, 4), slice(4, 8)):
        part = np.zeros((6, 10), np.float32)
        for l_row, r_row in zip(left[half].astype(np.float32), right[half].astype(np.float32), strict=True):
            part += l_row[:, None] * r_row
        by_hand += part
    assert (result == by_hand).all()


def chain(program: Program, x: Value) -> tuple[Any, Any, Value]:
    """Add `relu` to bf16, a copy back to f32, and the square of that; return all three."""
    narrow = program.insert(ActivationOp(x, "relu", dtype=bf16), "narrow")
    wide = program.insert(TensorCopyOp(narrow, dtype=f32), "wide")
    return narrow, wide, program.insert(ActivationOp(wide, "square", dtype=bf16), "square")


def test_skipping_one_rounding_skips_exactly_that_one() -> None:
    program = Program()
    narrow, wide, square = chain(program, program.argument("x", "f32", 100))
    program.returns(wide, square)
    x = random(100)
    relu = np.maximum(x, 0)
    results = program.run(x=x)
    assert (results["wide"] == rounded(relu)).all()
    assert (results["square"].astype(np.float32) == rounded(rounded(relu) ** 2)).all()
    skipped = program.run(x=x, skip={narrow})
    assert (skipped["wide"] == relu).all()
    assert (skipped["square"].astype(np.float32) == rounded(relu**2)).all()
    assert skipped["square"].dtype == BF16
    assert (program.run(x=x, skip={narrow, square})["square"] == relu**2).all()


def test_an_exact_result_has_no_rounding_to_skip() -> None:
    program = Program()
    _, wide, square = chain(program, program.argument("x", "f32", 100))
    program.returns(square)
    x = random(100)
    assert program.run(x=x, skip={wide})["square"].tobytes() == program.run(x=x)["square"].tobytes()


def test_a_copy_rounds_a_value_that_was_left_wide() -> None:
    """The copy is no part of what is skipped, and its result is bf16."""
    program = Program()
    narrow = program.insert(ActivationOp(program.argument("x", "f32", 100), "relu", dtype=bf16))
    program.returns(program.insert(TensorCopyOp(narrow), "y"))
    x = random(100)
    assert program.run(x=x, skip={narrow})["y"].tobytes() == program.run(x=x)["y"].tobytes()


def test_a_tensor_stays_wide_when_all_its_writers_skip() -> None:
    program = Program()
    x = program.input("x", "f32", 2, 50).tensor
    middle = program.scratch("middle", "bf16", 2, 50)
    writers = []
    for row in range(2):
        half = NeuronAP(x, ((1, 50),), 50 * row)
        writers.append(program.insert(ActivationOp(half, "relu", dst=NeuronAP(middle, ((1, 50),), 50 * row))))
    program.returns(program.insert(TensorCopyOp(NeuronAP(middle), dtype=f32), "y"))
    given = random(2, 50)
    relu = np.maximum(given, 0)
    assert (program.run(x=given)["y"] == rounded(relu)).all()
    assert (program.run(x=given, skip=set(writers))["y"] == relu).all()
    message = (
        r"%middle cannot stay wide: this writes it too, and rounds\n  in `%middle\[50 \| 1:50\] = activation relu %x"
    )
    with pytest.raises(InterpreterError, match=message):
        program.run(x=given, skip={writers[0]})


def test_a_tensor_whose_bits_are_read_cannot_stay_wide() -> None:
    program = Program()
    middle = program.scratch("middle", "bf16", 2)
    writer = program.insert(ActivationOp(program.input("x", "f32", 2), "relu", dst=NeuronAP(middle)))
    program.returns(program.insert(TensorCopyOp(NeuronAP(middle, reinterpret=u16)), "y"))
    assert program.run(x=np.ones(2, np.float32))["y"].tolist() == [0x3F80, 0x3F80]
    with pytest.raises(InterpreterError, match="so it has no bits as u16"):
        program.run(x=np.ones(2, np.float32), skip={writer})


def test_a_writer_under_another_dtype_cannot_skip() -> None:
    program = Program()
    bits = program.output("bits", "u16", 2)
    writer = program.insert(
        ActivationOp(program.input("x", "f32", 2), "relu", dst=NeuronAP(bits.tensor, reinterpret=bf16))
    )
    assert program.run(x=np.ones(2, np.float32))["bits"].tolist() == [0x3F80, 0x3F80]
    with pytest.raises(InterpreterError, match="%bits cannot stay wide: this writes it as bf16"):
        program.run(x=np.ones(2, np.float32), skip={writer})


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_a_tensor_that_is_wide_enough_stays_as_it_is(dtype: str) -> None:
    program = Program()
    y = program.output("y", dtype, 2)
    writer = program.insert(ActivationOp(program.input("x", "f32", 2), "relu", dst=y))
    program.returns(program.insert(TensorCopyOp(NeuronAP(y.tensor, ((1, 4),), reinterpret=u16)), "bits"))
    x = np.array([1.5, 2.5], np.float32)
    results, skipped = program.run(x=x), program.run(x=x, skip={writer})
    assert results["y"].dtype == skipped["y"].dtype
    assert {name: array.tobytes() for name, array in results.items()} == {n: a.tobytes() for n, a in skipped.items()}


def test_only_roundings_between_floats_can_be_skipped() -> None:
    program = Program()
    cast = program.insert(CastGen(program.argument("x", "f32", 2), dtype=i32))
    with pytest.raises(
        InterpreterError, match="from float to float, not from f32 to i32\n  in `%0: i32.2. = graph.cast"
    ):
        program.run(x=np.ones(2, np.float32), skip={cast})


def test_what_is_skipped_stands_in_the_function() -> None:
    program = Program()
    stray = CastGen(program.argument("x", "f32", 2), dtype=bf16)
    with pytest.raises(InterpreterError, match="skip_rounding names what is not in function @main\n  in `%0: bf16"):
        program.run(x=np.ones(2, np.float32), skip={stray})


def test_skipping_in_the_graph() -> None:
    program = Program()
    x = program.argument("x", "bf16", 8, 8)
    product = program.insert(MatMulGen(x, x))
    program.returns(program.insert(CastGen(product, dtype=f32), "y"))
    given = random(8, 8).astype(BF16)
    wide = given.astype(np.float32) @ given.astype(np.float32)
    assert (program.run(x=given)["y"] == rounded(wide)).all()
    assert (program.run(x=given, skip={product})["y"] == wide).all()


def test_the_same_program_gives_the_same_bits() -> None:
    program = Program()
    _, _, square = chain(program, program.argument("x", "f32", 1000))
    program.returns(square, program.insert(ActivationOp(square, "gelu", dtype=f32)))
    first, second = program.run(x=random(1000)), program.run(x=random(1000))
    assert [value.tobytes() for value in first.values()] == [value.tobytes() for value in second.values()]


FUNCTIONS: tuple[ActivationFunction, ...] = ("gelu", "tanh", "square", "copy", "sigmoid", "exp")


@given(st.lists(st.tuples(st.sampled_from(FUNCTIONS), st.booleans()), min_size=1, max_size=6))
def test_skipping_is_what_f32_results_in_their_place_give(steps: list[tuple[ActivationFunction, bool]]) -> None:
    """A chain of activations with some roundings skipped, against the chain in which just these results are f32."""
    skipping, plain = Program(), Program()
    skipped = set()
    value: Value = skipping.argument("x", "f32", 50)
    expected: Value = plain.argument("x", "f32", 50)
    for function, skip in steps:
        value = skipping.insert(ActivationOp(value, function, dtype=bf16))
        expected = plain.insert(ActivationOp(expected, function, dtype=f32 if skip else bf16))
        if skip:
            skipped.add(value)
    skipping.returns(value)
    plain.returns(expected)
    x = random(50, seed=len(steps))
    (result,), (wanted,) = skipping.run(x=x, skip=skipped).values(), plain.run(x=x).values()
    assert result.dtype == wanted.dtype
    assert result.tobytes() == wanted.tobytes()
