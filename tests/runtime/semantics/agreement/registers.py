"""Registers beside the integers of C, and fences beside the same program without them."""

import ctypes
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.runtime.semantics.check import Check, Pairs, outputs
from tests.runtime.semantics.written import moved

C: dict[str, Any] = {"i32": ctypes.c_int32, "u32": ctypes.c_uint32, "u64": ctypes.c_uint64}
NUMPY: dict[str, Any] = {"i32": np.int32, "u32": np.uint32, "u64": np.uint64}
WORDS = (0, 1, 2, 7, 512, 2**16 + 1, 2**31 - 1, -1, -(2**31), 123456789)
ON_ALL: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "mult": operator.mul,
    "max": max,
    "min": min,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
}


def _as_c(value: int, dtype: str) -> Any:
    return NUMPY[dtype](C[dtype](value).value)


def _one(line: str, dtype: str, **registers: tuple[str, int]) -> Any:
    """Return what one line makes of registers."""
    arguments = ", ".join(f"%{name}: {kind}[]" for name, (kind, _) in registers.items())
    text = f"func @main({arguments}) {{\n  %y: {dtype}[] = {line}\n  return %y\n}}"
    return outputs(text, **{name: np.array(_as_c(value, kind)) for name, (kind, value) in registers.items()})[0]


def alloc() -> Pairs:
    for dtype in C:
        for value in (*WORDS, 2**32 - 1):
            yield _one(f"register_alloc {value}", dtype), _as_c(value, dtype)


def move() -> Pairs:
    for there in ("i32", "u32"):
        for value in WORDS:
            yield _one(f"register_move imm {value}", there), _as_c(value, there)
            for here in ("i32", "u32"):
                yield _one("register_move src %a", there, a=(here, value)), _as_c(value, there)
    yield _one("register_move imm 1099511627776", "u64"), np.uint64(2**40)


def alu() -> Pairs:
    for dtype in C:
        words = [C[dtype](value).value for value in WORDS]
        for a in words:
            for b in words[::2]:
                for name, function in ON_ALL.items():
                    found = _one(f"register_alu {name} %a rhs %b", dtype, a=(dtype, a), b=(dtype, b))
                    yield found, _as_c(function(a, b), dtype)
            for name, function in (("divide", operator.floordiv), ("mod", operator.mod)):
                if a >= 0:
                    yield _one(f"register_alu {name} %a imm 48", dtype, a=(dtype, a)), _as_c(function(a, 48), dtype)
            unsigned = a % 2 ** (ctypes.sizeof(C[dtype]) * 8)
            for by in (0, 1, 5, 31):
                left = _one(f"register_alu logical_shift_left %a imm {by}", dtype, a=(dtype, a))
                yield left, _as_c(a << by, dtype)
                right = _one(f"register_alu logical_shift_right %a imm {by}", dtype, a=(dtype, a))
                yield right, _as_c(unsigned >> by, dtype)


def an_address() -> Pairs:
    """The address of an element: partitions of 256 KiB, so many elements in each, as a study of the compiler has it."""
    for offset in (0, 5, 511, 512, 1030):
        text = """func @main(%offset: u32[]) {
  %p: u32[] = register_alu divide %offset imm 512
  %rows: u32[] = register_alu mult %p imm 262144
  %within: u32[] = register_alu mod %offset imm 512
  %bytes: u32[] = register_alu mult %within imm 2
  %y: u32[] = register_alu add %rows rhs %bytes
  return %y
}"""
        expected = math.floor(offset / 512) * 0x40000 + math.fmod(offset, 512) * 2
        yield outputs(text, offset=np.array(offset, np.uint32))[0], np.array(expected)


def load() -> Pairs:
    x = np.array([[4, 2**32 - 1, 7]], np.uint32)
    text = """func @main() {{
  tensor %x: u32[1,3] {} input
  %y: u32[] = register_load %x[{} | 3:1, 1:1]
  return %y
}}"""
    for memory in ("dram", "sbuf"):
        for at in range(3):
            yield outputs(text.format(memory, at), x=x)[0], x[0, at]


def store() -> Pairs:
    for value in WORDS:
        line = f"%r: i32[] = register_alloc {value}\n  %y = register_store %r"
        yield moved(line, "i32[1,1] sbuf"), np.full((1, 1), value, np.int32)
        yield moved(line, "i32[1] dram"), np.full(1, value, np.int32)


def fence(line: str) -> Callable[[], Pairs]:
    def pairs() -> Pairs:
        x = np.arange(6, dtype=np.float32)
        text = """func @main(%x: f32[6]) {{
  %h: bf16[6] = activation exp %x
{}  %y: f32[6] = tensor_copy %h
  return %y
}}"""
        yield outputs(text.format(f"  {line}\n"), x=x)[0], outputs(text.format(""), x=x)[0]

    return pairs


CHECKS = (
    Check("register_alloc", "the integers of C", alloc, 0.0),
    Check("register_move", "the integers of C", move, 0.0),
    Check("register_alu", "the integers of C", alu, 0.0),
    Check("register_alu", "the formula of an address", an_address, 0.0),
    Check("register_load", "numpy", load, 0.0),
    Check("register_store", "numpy", store, 0.0),
    Check("opt_barrier", "the same program without it", fence("opt_barrier"), 0.0),
    Check("all_engine_barrier", "the same program without it", fence("all_engine_barrier"), 0.0),
)
