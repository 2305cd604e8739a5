"""`python -m bench.mixed_precision`: seconds to convert a model to f16, beside onnxruntime.transformers.float16.

Three models: a chain of nodes of a kind that runs low and of one that is kept in f32 (`mixed`), a chain where nothing
is kept (`low`), and one value that 10,000 nodes read (`hub`). Growth is that of our pass alone, on `mixed` as a graph.

Reading and writing models is no part of it. Deliberately absent: the quality of the result, which tests compare.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from onnx import TensorProto, helper

from passes.auto_mixed_precision import AutoMixedPrecision
from runtime import parse

KINDS = {"mixed": ("Relu", "Softmax"), "low": ("Relu", "Neg"), "hub": ("Relu", "Softmax")}
NODES = 10_000


def model(name: str, nodes: int) -> Any:
    """Return a model of so many nodes; those of the hub read one value, and their results are added up in pairs."""
    ops, made, last = KINDS[name], [], "x"
    for at in range(nodes):
        source = "x" if name == "hub" else last
        last = f"v{at}"
        made.append(helper.make_node(ops[at % 2], [source], [last], name=f"n{at}"))
    if name == "hub":
        made.append(helper.make_node("Sum", [f"v{at}" for at in range(nodes)], ["y"], name="sum"))
    else:
        made.append(helper.make_node("Identity", [last], ["y"], name="end"))
    x, y = (helper.make_tensor_value_info(each, TensorProto.FLOAT, [4, 8]) for each in "xy")
    graph = helper.make_graph(made, "g", [x], [y])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def ours(source: Any) -> Callable[[], object]:
    from frontends.onnx import load

    module = load(source)
    return lambda: AutoMixedPrecision().runOnModule(module)


def theirs(source: Any, kept: list[str]) -> Callable[[], object]:
    from onnxruntime.transformers.float16 import convert_float_to_float16  # type: ignore[import-untyped]

    copy = deepcopy(source)
    return lambda: convert_float_to_float16(copy, keep_io_types=True, op_block_list=kept, disable_shape_infer=True)


def seconds(make: Callable[[], Callable[[], object]], times: int) -> float:
    """Return the least CPU time of some runs, each on a fresh program."""
    found = []
    for _ in range(times):
        work = make()
        started = time.process_time()
        work()
        found.append(time.process_time() - started)
    return min(found)


def graph(nodes: int) -> str:
    """Return a chain of the graph dialect in which two kinds alternate."""
    lines = ["func @main(%0: f32[4,8]) {"]
    for at in range(nodes):
        text = f"graph.activation relu %{at}" if at % 2 else f"graph.softmax %{at} axis 1"
        lines.append(f"  %{at + 1}: f32[4,8] = {text}")
    return "\n".join([*lines, f"  return %{nodes}", "}"])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.mixed_precision", description=__doc__.partition("\n")[0])
    parser.add_argument("--largest", type=int, default=1_000_000, help="nodes of the largest graph")
    parser.add_argument("--only-growth", action="store_true", help="leave out the peer")
    given = parser.parse_args()
    for name in () if given.only_growth else KINDS:
        source = model(name, NODES)
        kept = [] if name == "low" else ["Softmax"]
        own = seconds(lambda source=source: ours(source), 3)  # type: ignore[misc]
        peer = seconds(lambda source=source, kept=kept: theirs(source, kept), 1)  # type: ignore[misc]
        print(
            f"{name:<6} {NODES:,} nodes: {own:7.3f} s, onnxruntime {peer:7.3f} s, {peer / own:5.1f} times", flush=True
        )
    sizes = [given.largest // 100, given.largest // 10, given.largest]
    times = [seconds(lambda size=size: _of_graph(size), 1) for size in sizes]  # type: ignore[misc]
    for size, one in zip(sizes, times, strict=True):
        print(f"graph  {size:>9,} nodes: {one:7.3f} s, {one / size * 1e6:5.1f} microseconds a node", flush=True)
    print(f"growth exponent {math.log(times[-1] / times[0]) / math.log(sizes[-1] / sizes[0]):.2f}")
    return 0


def _of_graph(nodes: int) -> Callable[[], object]:
    module = parse(graph(nodes))
    return lambda: AutoMixedPrecision().runOnModule(module)


if __name__ == "__main__":
    raise SystemExit(main())
