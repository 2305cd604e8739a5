"""What ends a transfer by DMA whose addresses are known only at run time: indices out of range, broken promises."""

from typing import Any

import numpy as np
import pytest

import runtime
from runtime.interpreter import InterpreterError
from runtime.semantics import OutOfBounds

TABLE = np.arange(60, dtype=np.float32).reshape(12, 5)
SKIP = "a gather that skips a row, or adds, needs a dst"
TWICE = "index 3 comes twice, and unique_indices promises that none does"


def run(line: str, indices: list[int], out_of_bounds: OutOfBounds = "error") -> Any:
    """Return what `%y` holds after a line, which has a table, rows and indices, or what it returns as `%v`."""
    text = f"""func @main() {{
  tensor %t: f32[12,5] dram input
  tensor %x: f32[{len(indices)},5] sbuf input
  tensor %i: i32[{len(indices)},1] sbuf input
  tensor %y: f32[12,5] dram output
  %y = dma_copy %t
  {line}
}}"""
    rows = np.full((len(indices), 5), -1, np.float32)
    given = {"t": TABLE, "x": rows, "i": np.array(indices, np.int32).reshape(-1, 1)}
    return runtime.run(runtime.parse(text, "indirect.txt"), given, out_of_bounds=out_of_bounds)["y"]


LOAD = "%v: f32[2,5] = indirect_load %t[0 | 0:2, 1:5] indices %i"
SAVE = "%y[0 | 0:2, 1:5] = indirect_save %x indices %i"
ADD = "%y[0 | 0:2, 1:5] = indirect_save_accumulate add %x indices %i"


@pytest.mark.parametrize("line", [LOAD, SAVE, ADD])
@pytest.mark.parametrize(("indices", "wrong"), [([0, 12], 12), ([-1, 3], -1), ([2**31 - 1, 0], 2**31 - 1)])
def test_an_index_out_of_range_is_an_error_by_default(line: str, indices: list[int], wrong: int) -> None:
    with pytest.raises(InterpreterError, match=f"index {wrong} is out of range: the window may be moved by 0 to 11"):
        run(line, indices)


@pytest.mark.parametrize("line", [LOAD, SAVE, ADD])
def test_fewer_rows_may_be_chosen_than_there_are(line: str) -> None:
    with pytest.raises(InterpreterError, match="index 7 is out of range: the window may be moved by 0 to 3"):
        run(f"{line} {{max_index = 4}}", [3, 7])


def test_where_the_access_starts_counts() -> None:
    with pytest.raises(InterpreterError, match="index 10 is out of range: the window may be moved by 0 to 9"):
        run("%v: f32[2,3] = indirect_load %t[11 | 0:2, 1:3] indices %i", [9, 10])


@pytest.mark.parametrize("line", [LOAD, SAVE, ADD])
def test_a_promise_of_unique_indices_is_kept(line: str) -> None:
    with pytest.raises(InterpreterError, match=TWICE):
        run(f"{line} {{unique_indices = true}}", [3, 3])


@pytest.mark.parametrize("rule", ["skip", "clamp"])
def test_an_instruction_that_skips_does_so_whatever_the_run_asks_for(rule: OutOfBounds) -> None:
    expected = TABLE.copy()
    expected[1] = -1
    assert run(f"{SAVE} {{oob_mode = skip}}", [1, 12], rule).tolist() == expected.tolist()


def test_without_a_word_of_the_instruction_the_rule_of_the_run_counts() -> None:
    expected = TABLE.copy()
    expected[1] = -1
    assert run(SAVE, [1, 12], "skip").tolist() == expected.tolist()
    expected[11] = -1
    assert run(SAVE, [1, 12], "clamp").tolist() == expected.tolist()


def test_a_value_has_no_contents_for_what_is_skipped() -> None:
    with pytest.raises(InterpreterError, match=SKIP):
        run(f"{LOAD} {{oob_mode = skip}}", [0, 12])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("%y[0 | 5:2, 1:5] = dma_copy %x[0 | 5:2, 1:5] dst_offset %i[0 | 1:1, 1:1]", "index 11 is out of range"),
        ("%v: f32[2,5] = dma_copy %t[0 | 5:2, 1:5] src_offset %i[0 | 1:1, 1:1]", "needs a dst"),
        ("%y[0 | 5:2, 1:5] = dma_copy %x dst_offset %i", "2 offsets along dimension 0 of 2; one is expected"),
    ],
)
def test_a_copy_that_cannot_be_moved(line: str, reason: str) -> None:
    with pytest.raises(InterpreterError, match=reason):
        run(line, [11, 0])


def test_the_bits_of_a_value_that_is_kept_wide_are_not_known() -> None:
    module = runtime.parse(
        "func @main(%x: f32[2]) {\n"
        "  tensor %y: u16[2] dram output\n"
        "  %h: bf16[2] = tensor_copy %x\n"
        "  %y = offloaded_bitcast %h\n"
        "}",
        "bits.txt",
    )
    narrowing = next(iter(module.functions["main"].insts))
    with pytest.raises(InterpreterError, match="src is kept in float32 instead of bf16, so it has no bits as u16"):
        runtime.run(module, {"x": np.ones(2, np.float32)}, skip_rounding={narrowing})
