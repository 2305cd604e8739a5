"""What becomes of run-time indices that lead out of their tensor: an error, left out, or the nearest one in range."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from generated.neuron.TensorCopyDynamicSrcGen import TensorCopyDynamicSrcGen
from runtime.access import NeuronAP
from runtime.interpreter import InputError, InterpreterError
from runtime.wrappers.TensorCopyDynamicDst import TensorCopyDynamicDst
from runtime.wrappers.TensorCopyOp import TensorCopyOp
from tests.runtime.interpreter.programs import Program

X = np.arange(24, dtype=np.float32).reshape(4, 6)
ROW = (0, ((6, 1), (1, 6)))
TWO_ROWS = (0, ((6, 2), (1, 6)))
OLD = np.full((3, 6), -1, np.float32)


def gathered(window: Any, indices: list[int], out_of_bounds: str, old: NDArray[Any], dtype: str = "i32") -> Any:
    """Return what `old`, a tensor, becomes when rows of X are gathered into it."""
    program = Program()
    source = program.input("x", "f32", 4, 6).tensor
    index = program.argument("i", dtype, len(indices))
    dst = program.output("y", "f32", *old.shape)
    program.insert(TensorCopyOp(program.input("old", "f32", *old.shape), dst=NeuronAP(dst.tensor)))
    program.insert(TensorCopyDynamicSrcGen(NeuronAP(source, window[1], window[0]), 0, 6, index, dst=dst))
    given = {"x": X, "old": old, "i": np.array(indices, {"i32": np.int32, "u64": np.uint64}[dtype])}
    return program.run(out_of_bounds=out_of_bounds, **given)["y"].tolist()


def scattered(window: Any, indices: list[int], out_of_bounds: str, src: NDArray[Any]) -> Any:
    """Return what X becomes when `src` is scattered into it."""
    program = Program()
    index = program.argument("i", "i32", len(indices))
    dst = program.output("y", "f32", 4, 6)
    program.insert(TensorCopyOp(program.input("x", "f32", 4, 6), dst=NeuronAP(dst.tensor)))
    value = program.argument("s", "f32", *src.shape)
    program.insert(TensorCopyDynamicDst(value, 0, 6, index, dst=NeuronAP(dst.tensor, window[1], window[0])))
    return program.run(out_of_bounds=out_of_bounds, x=X, s=src, i=np.array(indices, np.int32))["y"].tolist()


def test_what_a_gather_skips_keeps_what_the_destination_holds() -> None:
    assert gathered(ROW, [3, 4, 0], "skip", OLD) == [X[3].tolist(), [-1] * 6, X[0].tolist()]
    assert gathered(ROW, [-1, 9, 4], "skip", OLD) == OLD.tolist()
    assert gathered(TWO_ROWS, [3], "skip", OLD[:2]) == OLD[:2].tolist()
    assert gathered(TWO_ROWS, [2], "skip", OLD[:2]) == X[2:].tolist()


def test_what_a_scatter_skips_changes_nothing() -> None:
    rows = np.array([[10.0] * 6, [20.0] * 6, [30.0] * 6], np.float32)
    expected = X.copy()
    expected[1] = 30
    assert scattered(ROW, [4, -1, 1], "skip", rows) == expected.tolist()
    assert scattered(TWO_ROWS, [3], "skip", rows[:2]) == X.tolist()


def test_clamping_moves_the_whole_window_into_the_tensor() -> None:
    """As `dynamic_slice` of StableHLO does: the start is clamped to 0 and the extent less that of the window."""
    assert gathered(ROW, [3, 4, -7], "clamp", OLD) == [X[3].tolist(), X[3].tolist(), X[0].tolist()]
    assert gathered(TWO_ROWS, [3], "clamp", OLD[:2]) == X[2:].tolist()
    assert gathered(TWO_ROWS, [-1], "clamp", OLD[:2]) == X[:2].tolist()
    expected = X.copy()
    expected[2:] = 5
    assert scattered(TWO_ROWS, [9], "clamp", np.full((2, 6), 5, np.float32)) == expected.tolist()


def test_an_index_of_64_bits_is_not_taken_for_a_negative_one_that_is_in_range() -> None:
    assert gathered(ROW, [2**64 - 1, 2**63, 1], "skip", OLD, "u64")[:2] == OLD[:2].tolist()


@pytest.mark.parametrize("indices", [[4], [-1], [0, 1, 7]])
def test_the_default_is_an_error(indices: list[int]) -> None:
    old = OLD[: len(indices)]
    with pytest.raises(InterpreterError, match=r"index (4|-1|7) is out of range: the window may be moved by 0 to 3"):
        gathered(ROW, indices, "error", old)


def test_a_value_has_no_contents_for_what_is_skipped() -> None:
    program = Program()
    index = program.argument("i", "i32", 2)
    src = NeuronAP(program.input("x", "f32", 4, 6).tensor, ROW[1], ROW[0])
    program.returns(program.insert(TensorCopyDynamicSrcGen(src, 0, 6, index), "y"))
    with pytest.raises(InterpreterError, match="where it is skipped a value has no contents: give it a dst"):
        program.run(out_of_bounds="skip", x=X, i=np.array([0, 4], np.int32))
    assert program.run(out_of_bounds="skip", x=X, i=np.array([0, 3], np.int32))["y"].tolist() == X[[0, 3]].tolist()


def test_another_word_is_refused() -> None:
    with pytest.raises(InputError, match="out_of_bounds is one of error, skip, clamp, not 'wrap'"):
        gathered(ROW, [0, 1, 2], "wrap", OLD)
