"""`graph.while` and `graph.scan` beside the loops that they are, written in numpy."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import runtime
from generated.graph.ScanGen import ScanGen
from generated.graph.WhileGen import WhileGen
from runtime.dtypes import f32
from runtime.interpreter import InterpreterError
from runtime.ports import add_arguments
from runtime.types import Type

GCD = """
func @main(%a: i32[], %b: i32[]) {
  %x: i32[], %y: i32[] = graph.while (%a, %b) condition(%s: i32[], %t: i32[]) {
    %0: bool[] = graph.cast %t
    yield %0
  } body(%s: i32[], %t: i32[]) {
    %q: i32[] = graph.binary div %s, %t
    %p: i32[] = graph.binary mul %q, %t
    %r: i32[] = graph.binary sub %s, %p
    yield %t, %r
  }
  return %x, %y
}
"""
SCAN = """
func @main(%s: f32[3], %x: f32[SHAPE], %w: f32[SHAPE]) {
  %t: f32[3], %y: f32[OUT] = graph.scan (%s) over (%x, %w) {axis = AXIS} body(%a: f32[3], %b: f32[3], %c: f32[3]) {
    %0: f32[3] = graph.binary mul %b, %c
    %1: f32[3] = graph.binary add %a, %0
    %2: f32[3] = graph.binary max %1, %b
    yield %1, %2
  }
  return %t, %y
}
"""


@pytest.mark.parametrize(("a", "b"), [(12, 18), (7, 13), (5, 0), (0, 5), (1071, 462)])
def test_while_runs_as_long_as_the_condition_says_so(a: int, b: int) -> None:
    found = runtime.run(runtime.parse(GCD), {"a": np.array(a, np.int32), "b": np.array(b, np.int32)})
    assert (int(found[0]), int(found[1])) == (int(np.gcd(a, b)), 0)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("rounds", [0, 1, 5])
def test_scan_is_the_loop_over_the_items(axis: int, rounds: int) -> None:
    shape = (3, rounds) if axis else (rounds, 3)
    words = {"SHAPE": ",".join(map(str, shape)), "OUT": ",".join(map(str, shape)), "AXIS": str(axis)}
    text = SCAN
    for word, value in words.items():
        text = text.replace(word, value)
    module = runtime.parse(text)
    assert runtime.verify(module) == []
    random = np.random.default_rng(3)
    s, x, w = (random.standard_normal(size).astype(np.float32) for size in ((3,), shape, shape))
    found = runtime.run(module, {"s": s, "x": x, "w": w})
    state, kept = s, np.zeros(shape, np.float32)
    for at in range(rounds):
        place: tuple[Any, ...] = (slice(None), at) if axis else (at,)
        state = state + x[place] * w[place]
        kept[place] = np.maximum(state, x[place])
    assert found[0].tolist() == state.tolist() and found[1].tolist() == kept.tolist()


def scan_of(items: NDArray[Any] | None, rounds: int | None, second: NDArray[Any] | None = None) -> Any:
    """Run a scan that counts its rounds."""
    module = runtime.Module()
    function = module.add_function(runtime.Function("main"))
    given = {name: array for name, array in (("x", items), ("y", second)) if array is not None}
    values = [function.body.add_argument(Type.tensor(f32, (None,)), name) for name in given]
    zero, one = (function.body.add_argument(Type.tensor(f32, ()), name) for name in ("zero", "one"))
    build = runtime.Builder(function)
    scan = build.insert(ScanGen([zero], values, rounds=rounds, result_types=[zero.type]))
    state = add_arguments(scan, scan.body)[0]
    inner = runtime.parse("func @f(%a: f32[], %b: f32[]) {\n%c: f32[] = graph.binary add %a, %b\n}").functions["f"]
    add = next(iter(inner.insts))
    add.parent.remove(add)  # type: ignore[union-attr]
    add.replaceUseOfWith(inner.args[0], state)
    add.replaceUseOfWith(inner.args[1], one)
    scan.body.append(add)
    scan.body.append(runtime.builtin.Yield([add]))
    build.insert(runtime.builtin.Return([scan]))
    return runtime.run(module, {**given, "zero": np.zeros((), np.float32), "one": np.ones((), np.float32)})[0]


def test_rounds_are_those_of_the_items_or_stated() -> None:
    assert scan_of(np.zeros(4, np.float32), None) == 4
    assert scan_of(None, 3) == 3
    assert scan_of(np.zeros(4, np.float32), 4) == 4
    with pytest.raises(InterpreterError, match="3 and 4 rounds are said to be run"):
        scan_of(np.zeros(4, np.float32), 3)
    with pytest.raises(InterpreterError, match="2 and 4 rounds are said to be run"):
        scan_of(np.zeros(4, np.float32), None, np.zeros(2, np.float32))
    with pytest.raises(InterpreterError, match="no number of rounds are said to be run"):
        scan_of(None, None)


def test_a_condition_of_several_elements_chooses_nothing() -> None:
    text = "func @main(%c: bool[2]) {\ngraph.while () condition {\nyield %c\n} body {\nyield\n}\n}"
    with pytest.raises(InterpreterError, match="the condition has 2 elements, not one"):
        runtime.run(runtime.parse(text), {"c": np.array([True, False])})


def test_regions_that_repeat_have_no_known_number_of_runs() -> None:
    module = runtime.parse(GCD)
    loop = next(inst for inst in module.insts if isinstance(inst, WhileGen))
    assert loop.may_repeat_regions and [block for block in loop.blocks] == [loop.condition, loop.body]
    assert next(iter(loop.body.walk())).num_dynamic_instances is None
    assert [value.name for value in loop.results] == ["x", "y"]


NOTHING = """
func @main(%s: f32[], %x: f32[N]) {
  %t: f32[], %y: RESULT = graph.scan (%s) over (%x) {axis = AXIS} body(%a: f32[], %b: f32[]) {
    %0: ITEM = graph.constant {value = dense<1.0>}
    yield %a, %0
  }
  return %y
}
"""


def scan_nothing(result: str, item: str, axis: int) -> NDArray[Any]:
    text = NOTHING.replace("RESULT", result).replace("ITEM", item).replace("AXIS", str(axis))
    module = runtime.parse(text)
    found: NDArray[Any] = runtime.run(module, {"s": np.float32(1), "x": np.zeros(0, np.float32)})[0]
    return found


@pytest.mark.parametrize("result", ["f32[*]", "f32[?,?]", "?[*]", "unknown", "f32[0,2]", "f32[N,2]"])
def test_no_rounds_collect_nothing_of_the_shape_of_an_item(result: str) -> None:
    found = scan_nothing(result, "f32[2]", 0)
    assert found.shape == (0, 2) and found.dtype == np.float32


def test_no_rounds_collect_nothing_along_the_axis() -> None:
    assert scan_nothing("f32[*]", "f32[]", -1).shape == (0,)


@pytest.mark.parametrize(
    ("result", "axis", "said"),
    [
        ("f32[3,2]", 0, r"gives the shape \[0,2\], which is not that of f32\[3,2\]"),  # no zeros are made up
        ("f32[?,?]", -3, "axis -3 is out of bounds"),
    ],
)
def test_no_rounds_collect_nothing_else(result: str, axis: int, said: str) -> None:
    with pytest.raises(InterpreterError, match=said):
        scan_nothing(result, "f32[2]", axis)
