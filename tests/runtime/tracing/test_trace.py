"""What a trace shows of each value: its range, by instruction or by iteration, in tensors too."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import runtime
from runtime.interpreter import InterpreterError
from runtime.tracing import Range, range_of

LOOP = """\
func @main() {
  tensor %x: f32[1,4] sbuf input
  tensor %y: f16[1,4] sbuf output
  for %i = 0 step 1 times 4 {
    %e: f32[1,1] = activation exp %x[0 + 1*%i | 4:1, 1:1]
    %y[0 + 1*%i | 4:1, 1:1] = activation copy %e scale 2.0
  }
}
"""
X = np.array([[0, np.log(40000), -np.inf, np.nan]], np.float32)


def loop() -> runtime.Module:
    return runtime.parse(LOOP)


@pytest.mark.parametrize(
    ("values", "dtype", "expected"),
    [
        ([1, -2, 0], np.float32, Range(3, -2, 1)),
        ([1, np.inf, -np.inf, np.nan, 1e-40], np.float32, Range(5, float(np.float32(1e-40)), 1, 1, 2, 1)),
        ([np.nan, np.nan], np.float64, Range(2, None, None, 2)),
        ([2.0**-14, 2.0**-15, 0, -(2.0**-24)], np.float16, Range(4, -(2.0**-24), 2.0**-14, 0, 0, 2)),
        ([2.0**-126, 2.0**-127], ml_dtypes.bfloat16, Range(2, 2.0**-127, 2.0**-126, 0, 0, 1)),
        ([448, 2.0**-9], ml_dtypes.float8_e4m3fn, Range(2, 2.0**-9, 448, 0, 0, 1)),
        ([2**62 + 1, -(2**63)], np.int64, Range(2, -(2**63), 2**62 + 1)),
        ([-8, 7], ml_dtypes.int4, Range(2, -8, 7)),
        ([True, False], np.bool_, Range(2, 0, 1)),
        ([], np.float32, Range()),
        (["a"], np.str_, Range(1)),
    ],
)
def test_ranges(values: list[Any], dtype: Any, expected: Range) -> None:
    assert range_of(np.array(values).astype(dtype)) == expected


def test_the_range_of_sequences_and_of_nothing() -> None:
    assert range_of([np.array([1], np.float32), [np.array([3, 2], np.float32)]]) == Range(3, 1, 3)
    assert range_of(None) == Range()


def test_loops_are_one_record_for_each_instruction() -> None:
    """2 * 40000 is more than the largest f16, 65504."""
    trace = runtime.trace(loop(), {"x": X})
    assert [(one.line.split(" =")[0], one.runs, one.range.elements) for one in trace.records] == [
        ("tensor %x: f32[1,4]", 1, 4),
        ("%e: f32[1,1]", 4, 4),
        ("%y[0 + 1*%i | 4:1, 1:1]", 4, 4),
    ]
    exp, product = trace.records[1].range, trace.records[2].range
    assert (exp.low, exp.nan, exp.infinite) == (0, 1, 0) and exp.high == pytest.approx(40000, rel=1e-5)
    assert (product.low, product.high, product.nan, product.infinite) == (0, 2, 1, 1)
    assert np.isinf(trace.outputs["y"][0, 1])


def test_each_iteration_by_itself() -> None:
    trace = runtime.trace(loop(), {"x": X}, per_iteration=True)
    products = [one for one in trace.records if one.line.startswith("%y")]
    assert [one.iteration for one in products] == [(("i", at),) for at in range(4)]
    assert [one.range.infinite for one in products] == [0, 1, 0, 0]
    assert "// %i = 3" in str(trace)


def test_records_come_in_program_order_whichever_branch_runs_first() -> None:
    text = """\
func @main(%x: f32[1]) {
  tensor %c: i32[1,2] sbuf const = dense<[[0, 1]]>
  %c0: i32[1,1] = tensor_copy %c[0 | 2:1, 1:1]
  %y: f32[1] = graph.activation relu %x
  %z: f32[1] = graph.activation tanh %y
  return %z
}
"""
    trace = runtime.trace(runtime.parse(text), {"x": np.array([1], np.float32)})
    assert [one.line.partition(":")[0] for one in trace.records] == ["argument %x", "%c0", "%y", "%z"]


def test_a_run_that_fails_has_its_trace_until_then() -> None:
    module = runtime.parse(LOOP.replace("times 4", "times 5"))
    with pytest.raises(InterpreterError, match="the access reaches element 4 of %x") as error:
        runtime.trace(module, {"x": X})
    assert error.value.trace is not None and [one.runs for one in error.value.trace.records] == [1, 4, 4]


def test_the_text_is_a_table() -> None:
    lines = str(runtime.trace(loop(), {"x": np.array([[0, 1, 2, 3]], np.float32)})).splitlines()
    assert lines[:2] == ["@main", "runs  elements  low   high  nan  inf  subnormal  value"]
    assert (
        lines[3]
        == "   4         4    1  20.09    -    -          -  %e: f32[1,1] = activation exp %x[0 + 1*%i | 4:1, 1:1]"
    )


def test_data_is_what_json_has() -> None:
    record = runtime.trace(loop(), {"x": X}).as_data()[2]
    assert record["range"] == {"elements": 4, "low": 0.0, "high": 2.0, "nan": 1, "infinite": 1, "subnormal": 0}
    assert record["runs"] == 4 and record["function"] == "main"
