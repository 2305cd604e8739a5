"""What gathers, scatters and other movement say of indices and extents that are wrong only when the program runs."""

from typing import Any

import numpy as np
import pytest

import runtime
from runtime.interpreter.errors import InterpreterError

X = np.arange(12.0, dtype=np.float32).reshape(3, 4)
U = X[:1]


def ran(line: str, result: str, **inputs: Any) -> Any:
    """Run a line on arrays of types that are not known before."""
    kinds = {"f": "f32", "i": "i64", "u": "u64"}
    types = ", ".join(
        f"%{name}: {kinds[array.dtype.kind]}[{','.join('?' * array.ndim)}]" for name, array in inputs.items()
    )
    text = f"func @main({types}) {{\n  %r: {result} = {line}\n  return %r\n}}"
    module = runtime.parse(text, "line.txt")
    assert runtime.verify(module) == []
    return runtime.run(module, inputs)[0]


@pytest.mark.parametrize(
    ("line", "inputs", "said"),
    [
        ("graph.gather %x at %i axis 1", {"i": np.array([0, 4])}, "an index along axis 1 is 4; expected -4 to 3"),
        ("graph.gather %x at %i axis 1", {"i": np.array([-5, 0])}, "an index along axis 1 is -5; expected -4 to 3"),
        ("graph.gather %x at %i axis 0", {"i": np.array([2**64 - 1], np.uint64)}, "is 18446744073709551615; expected"),
        ("graph.gather %x at %i axis 0", {"x": X[:0], "i": np.array([0])}, "axis 0 is 0; there are no elements"),
        ("graph.gather_nd %x at %i", {"i": np.array([[0, 0], [0, 4]])}, "an index along axis 1 is 4"),
        ("graph.gather_nd %x at %i {batch_dims = 1}", {"i": np.array([[0], [4], [1]])}, "an index along axis 1 is 4"),
        (
            "graph.gather_elements %x at %i axis 0",
            {"i": np.array([[3]])},
            "an index along axis 0 is 3; expected -3 to 2",
        ),
        ("graph.scatter_nd %x at %i updates %u", {"i": np.array([[3]]), "u": U}, "an index along axis 0 is 3"),
        ("graph.scatter_nd %x at %i updates %u", {"i": np.array([[0], [1]]), "u": U}, r"\[1,4\]; expected \[2,4\]"),
        (
            "graph.scatter_elements %x at %i updates %u axis 1",
            {"i": np.array([[9]]), "u": U[:, :1]},
            "an index along axis 1 is 9",
        ),
        ("graph.narrow %x axis 1 start 2 length 3", {}, "3 slices from 2 on are taken, and src has 4 along axis 1"),
        ("graph.reshape %x {new_shape = [5, ?]}", {}, r"src has 12 elements, which do not fit the shape \[5,\?\]"),
        ("graph.reshape %x {new_shape = [A, B]}", {}, r"cannot give the 12 elements of src the shape \[A,B\]"),
        ("graph.expand %x {target_shape = [2, 4]}", {}, r"\[3,4\] and \[2,4\] have no broadcast"),
        (
            "graph.dynamic_slice %x at (%i, %i) sizes [4, 4]",
            {"i": np.array(0)},
            "the window has the extent 4 along axis 0, and src 3",
        ),
        (
            "graph.scatter_add %x at %i rows 2",
            {"i": np.array([0, 1, 2])},
            "an index along axis 0 is 2; expected 0 to 1",
        ),
        (
            "graph.scatter_add %x at %i rows 2",
            {"i": np.array([0, 1, -1])},
            "an index along axis 0 is -1; expected 0 to 1",
        ),
    ],
)
def test_what_does_not_fit_ends_the_run(line: str, inputs: dict[str, Any], said: str) -> None:
    with pytest.raises(InterpreterError, match=said):
        ran(line, "f32[*]", **{"x": X, **inputs})


def test_more_elements_than_there_are_end_the_run() -> None:
    text = "func @main(%x: f32[?]) {\n  %v: f32[*], %i: i64[*] = graph.top_k %x k 5 axis 0\n  return %v\n}"
    with pytest.raises(InterpreterError, match="k is 5, and src has 4 elements along axis 0"):
        runtime.run(runtime.parse(text, "line.txt"), {"x": X[0]})


def test_extents_that_are_not_known_follow_when_the_program_runs() -> None:
    assert ran("graph.reshape %x {new_shape = [N, 6]}", "f32[*]", x=X).shape == (2, 6)
    assert ran("graph.expand %x {target_shape = [2, N, 4]}", "f32[*]", x=X).shape == (2, 3, 4)


def test_a_wider_operand_is_taken_where_a_rounding_is_skipped() -> None:
    text = """func @main(%a: f32[2], %b: bf16[2]) {
      %n: bf16[2] = graph.cast %a
      %y: bf16[4] = graph.concat (%n, %b) axis 0
      return %y
    }"""
    module = runtime.parse(text, "line.txt")
    cast, concat = list(module.insts)[:2]
    a, b = np.array([1.001, 2.002], np.float32), np.array([3, 4]).astype(runtime.dtypes.bf16.numpy)
    wide = runtime.run(module, {"a": a, "b": b}, skip_rounding={cast, concat})[0]
    assert wide.dtype == np.float32 and wide.tolist() == [*a.tolist(), 3.0, 4.0]
