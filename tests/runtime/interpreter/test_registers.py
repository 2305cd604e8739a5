"""What ends a run of register operations: whatever nobody has published a result of."""

import numpy as np
import pytest

import runtime
from runtime.interpreter import InterpreterError, MissingSemanticsError


def run(line: str, value: int, dtype: str = "i32") -> object:
    """Return what one line makes of the register `%a`."""
    module = runtime.parse(f"func @main(%a: {dtype}[]) {{\n  {line}\n  return %y\n}}", "registers.txt")
    numpy_type = {"i32": np.int32, "u32": np.uint32, "u64": np.uint64}[dtype]
    return runtime.run(module, {"a": np.array(value, numpy_type)})[0]


@pytest.mark.parametrize(
    ("line", "value", "reason"),
    [
        ("%y: i32[] = register_alu divide %a imm 0", 4, "divide of 4 and 0"),
        ("%y: i32[] = register_alu mod %a imm 0", 4, "mod of 4 and 0"),
        ("%y: i32[] = register_alu divide %a imm 2", -4, "only what is not negative is divided"),
        ("%y: i32[] = register_alu mod %a imm -2", 4, "only what is not negative is divided"),
        ("%y: i32[] = register_alu logical_shift_left %a imm 32", 1, "logical_shift_left by 32; expected 0 to 31"),
        ("%y: i32[] = register_alu logical_shift_right %a imm -1", 1, "logical_shift_right by -1; expected 0 to 31"),
    ],
)
def test_what_has_no_published_result(line: str, value: int, reason: str) -> None:
    with pytest.raises(InterpreterError, match=reason):
        run(line, value)


def test_a_large_unsigned_word_is_not_negative() -> None:
    assert run("%y: u32[] = register_alu divide %a imm 2", 2**32 - 2, "u32") == 2**31 - 1


def test_a_pair_is_unsigned() -> None:
    assert run("%y: u64[] = register_alu max %a imm 4294967296", 7, "u64") == 2**32
    assert run("%y: u64[] = register_alu min %a imm 1", 2**64 - 1, "u64") == 1
    assert run("%y: u64[] = register_alu divide %a imm 2", 2**64 - 2, "u64") == 2**63 - 1


def test_several_elements_are_no_register() -> None:
    module = runtime.parse(
        "func @main() {\n  tensor %x: i32[2] dram input\n  %y: i32[] = register_load %x\n  return %y\n}", "two.txt"
    )
    with pytest.raises(InterpreterError, match="a register holds one element, not 2"):
        runtime.run(module, {"x": np.zeros(2, np.int32)})


@pytest.mark.parametrize(
    "line",
    [
        "core_barrier %x cores [0, 1]",
        "event_semaphore update 4",
        "%a: i64[] = read_var_addr %x",
        "%z = offloaded_rng",
    ],
)
def test_what_has_no_semantics_is_refused_by_name(line: str) -> None:
    module = runtime.parse(
        f"func @main() {{\n  tensor %x: f32[2] dram input\n  tensor %z: u32[2] sbuf output\n  {line}\n}}", "none.txt"
    )
    name = line.split(" = ")[-1].split()[0]
    with pytest.raises(MissingSemanticsError, match=f"these instructions have no semantics:\\n  {name}: 1"):
        runtime.run(module, {"x": np.zeros(2, np.float32)})
