"""Copies, casts and run-time-addressed copies, against numpy by hand."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from generated.neuron.DMACopyOpGen import DMACopyOpGen
from generated.neuron.SBAtomLoadGen import SBAtomLoadGen
from generated.neuron.SBAtomStoreGen import SBAtomStoreGen
from generated.neuron.TensorCopyDynamicSrcGen import TensorCopyDynamicSrcGen
from runtime.access import NeuronAP
from runtime.dtypes import dtype_of
from runtime.engines import NeuronEngine
from runtime.interpreter import InterpreterError
from runtime.values import Operand
from runtime.wrappers.TensorCopyDynamicDst import TensorCopyDynamicDst
from runtime.wrappers.TensorCopyOp import TensorCopyOp
from tests.runtime.interpreter.programs import Program

X = np.arange(24, dtype=np.float32).reshape(4, 6)


def copied(array: NDArray[Any], source: str, target: str) -> NDArray[Any]:
    program = Program()
    argument = program.argument("x", source, *array.shape)
    program.returns(program.insert(TensorCopyOp(argument, dtype=dtype_of(target)), "y"))
    result: NDArray[Any] = program.run(x=array.astype(dtype_of(source).numpy))["y"]
    return result


def test_a_copy_of_one_dtype_moves_bits() -> None:
    bits = np.arange(1 << 16, dtype=np.uint16)
    for dtype in ("bf16", "f16"):
        assert (copied(bits.view(dtype_of(dtype).numpy), dtype, dtype).view(np.uint16) == bits).all()
    wide = np.array([2**31 - 1, -(2**31), 2**24 + 1], np.int32)
    assert copied(wide, "i32", "i32").tolist() == wide.tolist()
    signalling = np.array([0x7F800001, 0xFFC01234], np.uint32)
    assert copied(signalling.view(np.float32), "f32", "f32").view(np.uint32).tolist() == signalling.tolist()


def test_the_scalar_engine_copies_through_f32() -> None:
    program = Program()
    argument = program.argument("x", "i32", 1, 3)
    program.returns(program.insert(TensorCopyOp(argument, engine=NeuronEngine.SCALAR), "y"))
    wide = np.array([[2**24 + 1, 2**31 - 1, -5]], np.int32)
    assert program.run(x=wide)["y"].tolist() == [[2**24, 2**31 - 1, -5]]


def test_a_cast_rounds_once() -> None:
    array = np.array([1 + 2**-8, 1 + 3 * 2**-8, -(1 + 2**-8 + 2**-20), 3.4e38, np.inf])
    expected = [1.0, 1 + 2**-6, -(1 + 2**-7), np.inf, np.inf]
    assert copied(array, "f32", "bf16").astype(float).tolist() == expected


def test_a_cast_of_an_integer_goes_through_f32() -> None:
    """2**24 + 1 is a tie of f32; going straight to bf16, 2**24 + 2**16 + 1 would round up."""
    assert copied(np.array([2**24 + 1, 2**24 + 3]), "i32", "f32").tolist() == [2**24, 2**24 + 4]
    assert copied(np.array([2**24 + 2**16 + 1]), "i32", "bf16").astype(float).tolist() == [2**24]
    assert copied(np.array([2**24 + 1]), "i32", "u32").tolist() == [2**24]


def test_a_cast_to_an_integer_rounds_to_even_and_clamps() -> None:
    assert copied(np.array([0.5, 1.5, 2.5, -0.5, 300.0, -1.0]), "f32", "u8").tolist() == [0, 2, 2, 0, 255, 0]


def test_a_copy_may_change_the_shape_in_row_major_order() -> None:
    program = Program()
    program.insert(DMACopyOpGen(program.input("x", "f32", 4, 6), dst=program.output("y", "bf16", 3, 8)))
    assert program.run(x=X)["y"].astype(float).tolist() == X.reshape(3, 8).tolist()
    program.insert(DMACopyOpGen(program.input("z", "f32", 4, 5), dst=program.output("v", "f32", 3, 8)))
    with pytest.raises(InterpreterError, match="copies 20 elements to 24\n  in `%v = dma_copy %z` in @main"):
        program.run(x=X, z=np.zeros((4, 5), np.float32))


def test_a_load_may_spread_one_partition_over_all() -> None:
    program = Program()
    row = program.input("x", "f32", 1, 6, memory="dram")
    program.insert(SBAtomLoadGen(row, has_partition_broadcast=True, dst=program.output("y", "bf16", 4, 6)))
    assert program.run(x=X[:1])["y"].astype(float).tolist() == [X[0].tolist()] * 4


@pytest.mark.parametrize(
    ("dtype", "held", "added", "expected"),
    [
        ("f32", [1, 6], [0.5, 1e8], [1.5, 1e8 + 8]),
        ("bf16", [256, 1], [1, 0.5], [256, 1.5]),  # 257 is a tie, the sum is rounded once
        ("i32", [2**24, 5], [1, -7], [2**24, -2]),  # in f32, as DMA adds
    ],
)
def test_a_store_may_add_to_what_is_there(
    dtype: str, held: list[float], added: list[float], expected: list[float]
) -> None:
    program = Program()
    dst = program.output("y", dtype, 2, memory="dram")
    program.insert(DMACopyOpGen(program.input("held", dtype, 2), dst=dst))
    program.insert(SBAtomStoreGen(program.input("added", dtype, 2), rmw_op="add", dst=NeuronAP(dst.tensor)))
    given = {name: np.array(value).astype(dtype_of(dtype).numpy) for name, value in (("held", held), ("added", added))}
    assert program.run(**given)["y"].astype(float).tolist() == expected


def test_adding_to_what_nothing_has_written_is_an_error() -> None:
    program = Program()
    dst = program.output("y", "f32", 4, 6, memory="dram")
    program.insert(SBAtomStoreGen(program.input("x", "f32", 4, 6), rmw_op="add", dst=dst))
    with pytest.raises(InterpreterError, match=r"reads element \[0, 0\] of %y.*\n  in `%y = sb_atom_store %x rmw add`"):
        program.run(x=X)


def gathered(
    window: Any, dim: int, scale: int, indices: Any, index_dtype: str = "i32", x: NDArray[Any] = X
) -> NDArray[Any]:
    """Return what a gather from `x`, an f32 tensor, gives for a window: an offset and pairs, or None for all of it."""
    program = Program()
    tensor = program.input("x", "f32", *x.shape).tensor
    src = NeuronAP(tensor) if window is None else NeuronAP(tensor, window[1], window[0])
    addrs: Operand | None = None
    given = {"x": x}
    if indices is not None:
        given["i"] = np.array(indices, dtype_of(index_dtype).numpy)
        addrs = program.argument("i", index_dtype, *given["i"].shape)
    program.returns(program.insert(TensorCopyDynamicSrcGen(src, dim, scale, addrs), "y"))
    result: NDArray[Any] = program.run(**given)["y"]
    return result


def scattered(
    window: Any, dim: int, scale: int, indices: Any, src: NDArray[Any], dst_dtype: str = "f32"
) -> NDArray[Any]:
    """Return what X, in a tensor of `dst_dtype`, becomes when `src` is scattered into it."""
    program = Program()
    src_value = program.argument("s", "f32", *src.shape)
    addrs: Operand | None = None
    given = {"x": X, "s": src.astype(np.float32)}
    if indices is not None:
        given["i"] = np.array(indices, np.int32)
        addrs = program.argument("i", "i32", *given["i"].shape)
    dst = program.output("y", dst_dtype, 4, 6)
    program.insert(TensorCopyOp(program.input("x", "f32", 4, 6), dst=dst))
    target = NeuronAP(dst.tensor) if window is None else NeuronAP(dst.tensor, window[1], window[0])
    program.insert(TensorCopyDynamicDst(src_value, dim, scale, addrs, dst=target))
    result: NDArray[Any] = program.run(**given)["y"]
    return result


ROWS = (0, ((6, 2), (1, 6)))  # two rows of X
ROW = (0, ((6, 1), (1, 6)))
COLUMNS = (6, ((6, 2), (1, 3)))  # three columns of the rows 1 and 2
COLUMN = (2, ((6, 4), (1, 1)))  # column 2


def test_gather_without_indices_is_a_static_copy() -> None:
    assert gathered(COLUMNS, 1, 1, None).tolist() == X[1:3, 0:3].tolist()
    assert gathered(None, 0, 6, None).tolist() == X.tolist()


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
@pytest.mark.parametrize("index", [0, 1, 2])
def test_gather_with_one_index_moves_the_window(index: int, shape: tuple[int, ...]) -> None:
    where = np.full(shape, index)
    assert gathered(ROWS, 0, 6, where).tolist() == X[index : index + 2].tolist()
    assert gathered(COLUMNS, 1, 1, where, "u32").tolist() == X[1:3, index : index + 3].tolist()


def test_gather_with_many_indices_takes_the_window_at_each() -> None:
    assert gathered(ROW, 0, 6, [3, 0, 3, 1, 1]).tolist() == X[[3, 0, 3, 1, 1]].tolist()
    assert gathered(COLUMN, 1, 1, [[3], [0]]).tolist() == X[:, [5, 2]].tolist()  # counted from the window on
    assert gathered(ROW, 0, 6, np.zeros(0)).shape == (0, 6)


def test_gather_of_three_dimensions_along_the_middle_one() -> None:
    x = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    assert gathered((0, ((20, 3), (5, 1), (1, 5))), 1, 5, [2, 0, 2], x=x).tolist() == x[:, [2, 0, 2]].tolist()
    assert gathered((20, ((20, 2), (5, 2), (2, 2))), 1, 5, [1], x=x).tolist() == x[1:3, 1:3, 0:4:2].tolist()


def test_gather_from_a_value() -> None:
    program = Program()
    row = program.argument("x", "f32", 4, 1, 6)
    indices = program.argument("i", "i32", 2)
    program.returns(program.insert(TensorCopyDynamicSrcGen(row, 1, 6, indices), "y"))
    with pytest.raises(InterpreterError, match="index 1 is out of range: the window may be moved by 0 to 0"):
        program.run(x=X.reshape(4, 1, 6), i=np.array([0, 1], np.int32))
    result = program.run(x=X.reshape(4, 1, 6), i=np.zeros(2, np.int32))["y"]
    assert result.tolist() == [[row, row] for row in X.tolist()]


@pytest.mark.parametrize(("index", "last"), [(3, 2), (-1, 2), (1 << 30, 2)])
def test_an_index_out_of_range_is_named_with_the_range(index: int, last: int) -> None:
    message = f"index {index} is out of range: the window may be moved by 0 to {last}\n  in `%y: .* = dynamic_copy_src"
    with pytest.raises(InterpreterError, match=message):
        gathered(ROWS, 0, 6, [index])
    with pytest.raises(InterpreterError, match=f"index {index} is out of range"):
        scattered(ROWS, 0, 6, [index], X[:2])


def test_a_window_may_not_be_moved_into_the_next_row() -> None:
    with pytest.raises(InterpreterError, match="index 4 is out of range: the window may be moved by 0 to 3"):
        gathered(COLUMNS, 1, 1, [4])


def test_many_indices_need_a_window_of_one() -> None:
    message = r"2 indices need a window with extent 1 along dimension 0 of 2, not \[2,6\]"
    with pytest.raises(InterpreterError, match=message):
        gathered(ROWS, 0, 6, [0, 1])


def test_gather_reads_only_what_it_moves_to() -> None:
    program = Program()
    scratch = program.scratch("t", "f32", 4, 6)
    program.insert(TensorCopyOp(program.input("x", "f32", 2, 6), dst=NeuronAP(scratch, ((6, 2), (1, 6)), 12)))
    window = NeuronAP(scratch, ((6, 1), (1, 6)))
    program.returns(program.insert(TensorCopyDynamicSrcGen(window, 0, 6, program.argument("i", "i32", 1)), "y"))
    assert program.run(x=X[:2], i=np.array([3], np.int32))["y"].tolist() == X[1:2].tolist()
    with pytest.raises(InterpreterError, match=r"reads element \[1, 0\] of %t: f32\[4,6\], which nothing has written"):
        program.run(x=X[:2], i=np.array([1], np.int32))


def test_scatter_without_indices_writes_the_window_as_it_stands() -> None:
    expected = X.copy()
    expected[1:3, 0:3] = -1
    assert scattered(COLUMNS, 1, 1, None, np.full((2, 3), -1)).tolist() == expected.tolist()


@pytest.mark.parametrize("index", [0, 1, 2])
def test_scatter_with_one_index_moves_the_window(index: int) -> None:
    src = np.arange(100, 112).reshape(2, 6)
    expected = X.copy()
    expected[index : index + 2] = src
    assert scattered(ROWS, 0, 6, [index], src).tolist() == expected.tolist()


def test_scatter_with_many_indices_and_the_last_one_wins() -> None:
    src = np.arange(100, 130).reshape(5, 6)
    expected = X.copy()
    for index, row in zip([3, 0, 3, 1, 1], src, strict=True):
        expected[index] = row
    assert scattered(ROW, 0, 6, [3, 0, 3, 1, 1], src).tolist() == expected.tolist()
    columns = np.arange(100, 112).reshape(4, 3)
    expected = X.copy()
    for index, column in zip([3, 0, 3], columns.T, strict=True):
        expected[:, 2 + index] = column
    assert scattered(COLUMN, 1, 1, [3, 0, 3], columns).tolist() == expected.tolist()


def test_scatter_rounds_what_it_writes_and_nothing_else() -> None:
    result = scattered(ROW, 0, 6, [2], np.full((1, 6), 1.001), "bf16")
    expected = X.copy()
    expected[2] = 1.0
    assert result.dtype == ml_dtypes.bfloat16
    assert result.astype(np.float32).tolist() == expected.tolist()


def test_scatter_leaves_unwritten_elements_unwritten() -> None:
    program = Program()
    src = program.argument("s", "f32", 1, 6)
    dst = NeuronAP(program.output("y", "f32", 2, 6).tensor, ((6, 1), (1, 6)))
    program.insert(TensorCopyDynamicDst(src, 0, 6, program.argument("i", "u32", 1), dst=dst))
    message = r"at the end, the output reads element \[0, 0\] of %y: f32\[2,6\], which nothing has written"
    with pytest.raises(InterpreterError, match=message):
        program.run(s=X[:1], i=np.array([1], np.uint32))


def test_scatter_needs_a_destination() -> None:
    program = Program()
    program.insert(TensorCopyDynamicDst(program.argument("s", "f32", 1, 6), 0, 6))
    with pytest.raises(InterpreterError, match="needs a dst to write to"):
        program.run(s=X[:1])


@given(st.lists(st.integers(0, 3), min_size=2, max_size=6))
def test_gather_after_scatter_with_the_same_indices(indices: list[int]) -> None:
    """What each index reads back is what the last equal index wrote."""
    src = np.random.default_rng(len(indices)).standard_normal((len(indices), 6)).astype(np.float32)
    scattered_x = scattered(ROW, 0, 6, indices, src)
    last = {index: row for index, row in zip(indices, src.tolist(), strict=True)}
    assert gathered(ROW, 0, 6, indices, x=scattered_x).tolist() == [last[index] for index in indices]
