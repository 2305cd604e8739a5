"""What accesses read and write, element by element, and that nothing unwritten is read."""

from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.access import NeuronAP
from runtime.dtypes import DTYPES, DType, bf16, dtype_of, f4e2m1, f32, i4, i8, i32, u4, u8, u16, u32
from runtime.interpreter import MemoryAccessError
from runtime.interpreter.memory import TensorMemory, positions_of
from runtime.tensors import NeuronSBTensor

Pairs = tuple[tuple[int, int], ...]


def memory_of(array: Any, dtype: str, *reinterpreted: str) -> TensorMemory:
    """Return a filled tensor with accesses of other dtypes."""
    return TensorMemory(tensor_of(array.shape, dtype, *reinterpreted), array.astype(dtype_of(dtype).numpy))


def tensor_of(shape: tuple[int, ...], dtype: str, *reinterpreted: str) -> NeuronSBTensor:
    tensor = NeuronSBTensor("t", dtype_of(dtype), shape)
    for name in reinterpreted:
        tensor.add_access(NeuronAP(tensor, reinterpret=dtype_of(name)))
    return tensor


@st.composite
def walks(draw: st.DrawFn, size: int) -> tuple[int, Pairs]:
    """Draw a start and pairs that stay within `size` elements."""
    pairs = []
    low = high = 0
    for _ in range(draw(st.integers(0, 3))):
        num = draw(st.integers(0, 4))
        room = (size - 1 - (high - low)) // max(num - 1, 1)
        step = draw(st.integers(-room, room))
        low, high = low + min(0, step * (num - 1)), high + max(0, step * (num - 1))
        pairs.append((step, num))
    return draw(st.integers(-low, size - 1 - high)), tuple(pairs)


def visited(start: int, pairs: Pairs) -> list[int]:
    """Return the elements of a walk, by counting."""
    places = product(*(range(num) for _, num in pairs))
    return [start + sum(step * at for (step, _), at in zip(pairs, place, strict=True)) for place in places]


@given(walks(24))
def test_read_walks_the_pattern(walk: tuple[int, Pairs]) -> None:
    memory = memory_of(np.arange(24).reshape(4, 6), "i32")
    result = memory.read(*walk, i32)
    assert result.shape == tuple(num for _, num in walk[1])
    assert result.reshape(-1).tolist() == visited(*walk)
    assert memory.read_at(positions_of(*walk), i32).reshape(-1).tolist() == visited(*walk)


@given(walks(24))
def test_write_changes_those_elements_and_no_others_and_the_last_one_wins(walk: tuple[int, Pairs]) -> None:
    expected = list(range(24))
    for value, position in enumerate(visited(*walk), 100):
        expected[position] = value
    values = np.arange(100, 100 + len(visited(*walk)), dtype=np.int32).reshape(tuple(num for _, num in walk[1]))
    memory = memory_of(np.arange(24), "i32")
    memory.write(*walk, i32, values)
    assert memory.array.tolist() == expected


@given(walks(24), walks(24))
def test_what_nothing_has_written_cannot_be_read(written: tuple[int, Pairs], read: tuple[int, Pairs]) -> None:
    memory = TensorMemory(tensor_of((24,), "i32"))
    memory.write(*written, i32, np.zeros(tuple(num for _, num in written[1]), np.int32))
    missing = [position for position in visited(*read) if position not in visited(*written)]
    if not missing:
        assert not memory.read(*read, i32).any()
        return
    with pytest.raises(MemoryAccessError, match=rf"reads element \[{missing[0]}\] of %t: i32\[24\], which nothing has"):
        memory.read(*read, i32)
    with pytest.raises(MemoryAccessError, match="which nothing has written"):
        memory.read_at(positions_of(*read), i32)


def test_an_unwritten_element_is_named_by_its_place_in_the_tensor() -> None:
    memory = TensorMemory(tensor_of((3, 4, 2), "f32"))
    memory.write(0, ((1, 14),), f32, np.zeros(14, np.float32))
    with pytest.raises(MemoryAccessError, match=r"element \[1, 3, 0\] of %t: f32\[3,4,2\]"):
        memory.read(8, ((2, 8),), f32)


@pytest.mark.parametrize(("start", "pairs", "reached"), [(-1, ((1, 2),), -1), (20, ((2, 3),), 24), (3, ((-2, 3),), -1)])
def test_an_access_beyond_its_tensor_is_refused(start: int, pairs: Pairs, reached: int) -> None:
    memory = memory_of(np.arange(24), "i32")
    message = rf"reaches element {reached} of %t: i32\[24\], which has elements 0 to 23"
    with pytest.raises(MemoryAccessError, match=message):
        memory.read(start, pairs, i32)
    with pytest.raises(MemoryAccessError, match=message):
        memory.write(start, pairs, i32, np.zeros(tuple(num for _, num in pairs), np.int32))
    with pytest.raises(MemoryAccessError, match="reaches element"):
        memory.read_at(positions_of(start, pairs), i32)


def test_reinterpreting_reads_the_same_bits() -> None:
    memory = memory_of(np.array([1.0, -2.0]), "f32", "u32", "bf16", "u8")
    assert memory.read(0, ((1, 2),), u32).tolist() == [0x3F800000, 0xC0000000]
    assert memory.read(0, ((1, 4),), bf16).astype(float).tolist() == [0, 1, 0, -2]  # the low half comes first
    assert memory.read(4, ((1, 4),), u8).tolist() == [0, 0, 0, 0xC0]
    with pytest.raises(MemoryAccessError, match="element 4 of bf16 of %t: f32.2., which has elements 0 to 3 of bf16"):
        memory.read(3, ((1, 2),), bf16)


def test_reinterpreting_writes_the_same_bits() -> None:
    memory = memory_of(np.array([1.0, 1.0]), "f32", "u16")
    memory.write(1, ((2, 2),), u16, np.array([0x4000, 0xC000], np.uint16))
    assert memory.array.tolist() == [2.0, -2.0]


def test_half_an_element_written_is_not_an_element_written() -> None:
    memory = TensorMemory(tensor_of((2,), "f32", "bf16"))
    memory.write(1, ((1, 3),), bf16, np.array([1, 0, 2], ml_dtypes.bfloat16))
    assert memory.read(1, ((1, 1),), f32).tolist() == [2.0]
    with pytest.raises(MemoryAccessError, match=r"reads element \[0\] of %t"):
        memory.read(0, ((1, 2),), f32)
    with pytest.raises(MemoryAccessError, match="reads element 0 of bf16 of %t"):
        memory.read(0, ((1, 4),), bf16)


def test_four_bit_elements_stand_two_in_a_byte_the_first_one_low() -> None:
    memory = memory_of(np.array([0x21, 0xF8]), "u8", "u4", "i4")
    assert memory.read(0, ((1, 4),), u4).astype(int).tolist() == [1, 2, 8, 15]
    assert memory.read(0, ((1, 4),), i4).astype(int).tolist() == [1, 2, -8, -1]
    memory.write(1, ((2, 2),), i4, np.array([-1, 7], ml_dtypes.int4))
    assert memory.array.tolist() == [0xF1, 0x78]


def test_four_bit_tensor_under_other_dtypes() -> None:
    memory = memory_of(np.array([1, -1, 7]), "i4", "f4e2m1", "i8")
    assert memory.read(0, ((1, 3),), f4e2m1).astype(float).tolist() == [0.5, -6, 6]
    assert memory.read(0, ((1, 1),), i8).tolist() == [-15]  # 0xF1; the last element is no whole byte
    memory.write(2, ((1, 1),), f4e2m1, np.array([-0.5], ml_dtypes.float4_e2m1fn))
    assert memory.array.astype(int).tolist() == [1, -1, -7]
    with pytest.raises(MemoryAccessError, match="which has elements 0 to 0 of i8"):
        memory.read(1, ((1, 1),), i8)


def test_a_wide_tensor_has_no_bits_under_another_dtype() -> None:
    memory = TensorMemory(tensor_of((2,), "bf16", "u16"), wide=True)
    memory.write(0, ((1, 2),), bf16, np.array([1.001, 2], np.float32))
    assert memory.array.tolist() == np.array([1.001, 2], np.float32).tolist()
    with pytest.raises(MemoryAccessError, match="%t is kept in f32 instead of bf16, so it has no bits as u16"):
        memory.read(0, ((1, 2),), u16)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_elements_of_every_dtype_are_written_and_read(dtype: DType) -> None:
    memory = TensorMemory(tensor_of((4, 6), dtype.name))
    ones = np.ones((4, 3), dtype.numpy)
    memory.write(1, ((6, 4), (2, 3)), dtype, ones)
    found = memory.read(1, ((6, 4), (2, 3)), dtype)
    assert found.dtype == dtype.numpy
    assert found.tobytes() == ones.tobytes()
