"""`python -m bench precision`: seconds to convert a model to f16, beside onnxruntime.transformers.float16.

The peer is called as its users call it: with its defaults, so that it infers shapes, and with the kind that is kept in
`op_block_list`. Ours is taken twice: from a loaded proto to a proto, as the peer works, and the pass alone. Both leave
the ends of the model f32, and both keep the same kind: for ours an override of the policy says so.

The models are a transformer with a kind of few or of many nodes kept or none, chains of two kinds of which one is kept,
and one value that 10,000 nodes read. Where nothing is kept the policy is `always-f16`, and both narrow every node; one
more row has `autocast-f16` as it is, which keeps reductions. Growth is that of the pass alone, on a chain of the graph
dialect.

Reading and writing files is no part of it. Deliberately absent: the quality of the result, which tests compare.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import date
from importlib.metadata import version
from os import cpu_count, getloadavg
from typing import Any

from onnx import TensorProto, helper

from bench.measure import growth_exponent
from bench.transformer_model import transformer
from passes.auto_mixed_precision import AutoMixedPrecision
from passes.precision.policy import Override, Precision, PrecisionPolicy, policy_named
from runtime import parse
from runtime.functions import Module

NODES, SMOKE_NODES = 10_000, 60
SIZES, SMOKE_SIZES = (10_000, 100_000, 1_000_000), (50, 100)
REPEATS = 2
PATIENCE = 10
"""Seconds beyond which the peer runs once."""
PEER = "onnxruntime.transformers.float16"
ALWAYS = "always-f16"
"""The policy under which all becomes f16, as the peer has it."""


@dataclass(frozen=True)
class Case:
    """A model, the policy, and the kind that is kept in f32 by an override and by the peer, if one is."""

    label: str
    make: Callable[[int], Any]
    kept: str | None
    policy: str = "autocast-f16"

    @property
    def stays_f32(self) -> str:
        """What is kept in f32, for the table."""
        return self.kept or ("nothing" if self.policy == ALWAYS else "reductions, by us alone")


@dataclass(frozen=True)
class Figures:
    """Seconds of one conversion."""

    nodes: int
    whole: float  # ours, from proto to proto
    alone: float  # our pass
    peer: float


def chain(nodes: int) -> Any:
    """Return a model of a chain in which activations and softmaxes alternate."""
    made, last = [], "x"
    for at in range(nodes):
        made.append(helper.make_node(("Relu", "Softmax")[at % 2], [last], [f"v{at}"], name=f"n{at}"))
        last = f"v{at}"
    made.append(helper.make_node("Identity", [last], ["y"], name="end"))
    x, y = (helper.make_tensor_value_info(each, TensorProto.FLOAT, [4, 8]) for each in "xy")
    graph = helper.make_graph(made, "g", [x], [y])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


CASES = (
    Case("transformer", transformer, "Softmax"),
    Case("transformer", transformer, "LayerNormalization"),
    Case("transformer", transformer, "Mul"),
    Case("transformer", transformer, None, ALWAYS),
    Case("transformer", transformer, None),
    Case("chain of two kinds", chain, "Softmax"),
    Case("one value with as many readers", lambda nodes: transformer(nodes, hub=True), "Softmax"),
    Case("one value with as many readers", lambda nodes: transformer(nodes, hub=True), None, ALWAYS),
    Case("one value with as many readers", lambda nodes: transformer(nodes, hub=True), None),
)


def policy_of(case: Case) -> PrecisionPolicy:
    """Return the policy of a case, with an override by which operations of a kind stay f32."""
    policy = policy_named(case.policy)
    return policy if case.kept is None else replace(policy, overrides=(Override(Precision.F32, case.kept),))


def convert(source: Any, policy: PrecisionPolicy) -> tuple[Any, float]:
    """Return a model in f16, and how much of the time was the pass."""
    from frontends.onnx import load, to_proto

    module = load(source)
    started = time.process_time()
    AutoMixedPrecision.of(policy).runOnModule(module)
    alone = time.process_time() - started
    return to_proto(module), alone


def convert_by_peer(source: Any, kept: str | None) -> Any:
    """Return a model in f16 by the peer, which changes the model that it is given."""
    from onnxruntime.transformers.float16 import convert_float_to_float16  # type: ignore[import-untyped]

    return convert_float_to_float16(source, keep_io_types=True, op_block_list=[] if kept is None else [kept])


def measure(case: Case, nodes: int, repeats: int = REPEATS) -> Figures:
    """Return the least CPU times of some conversions, each of a fresh model; the two take turns."""
    source = case.make(nodes)
    wholes: list[float] = []
    alones: list[float] = []
    peers: list[float] = []
    for _ in range(repeats):
        copy = deepcopy(source)
        gc.collect()
        started = time.process_time()
        _, alone = convert(copy, policy_of(case))
        wholes.append(time.process_time() - started)
        alones.append(alone)
        if peers and peers[-1] > PATIENCE:
            continue
        copy = deepcopy(source)
        gc.collect()
        started = time.process_time()
        convert_by_peer(copy, case.kept)
        peers.append(time.process_time() - started)
    return Figures(len(source.graph.node), min(wholes), min(alones), min(peers))


def graph(nodes: int) -> Module:
    """Return a chain of the graph dialect in which two kinds alternate."""
    lines = ["func @main(%0: f32[4,8]) {"]
    for at in range(nodes):
        text = f"graph.activation relu %{at}" if at % 2 else f"graph.softmax %{at} axis 1"
        lines.append(f"  %{at + 1}: f32[4,8] = {text}")
    return parse("\n".join([*lines, f"  return %{nodes}", "}"]))


def measure_growth(sizes: Sequence[int]) -> list[float]:
    """Return the CPU time of the pass at each size."""
    times = []
    for size in sizes:
        module = graph(size)
        gc.collect()
        started = time.process_time()
        AutoMixedPrecision().runOnModule(module)
        times.append(time.process_time() - started)
        print(f"precision: {size:,} nodes in {times[-1]:.3f} s", file=sys.stderr, flush=True)
    return times


def write_section(nodes: int = NODES, sizes: Sequence[int] = SIZES) -> list[str]:
    """The figures as a section of RESULTS.md."""
    rows, load = [], getloadavg()[0]
    for case in CASES:
        rows.append((case, measure(case, nodes)))
        print(_row(*rows[-1]), file=sys.stderr, flush=True)
    times = measure_growth(sizes)
    return [
        "## Mixed precision",
        "",
        f"`python -m bench precision` of {date.today().isoformat()}: a model converted to f16, beside",
        f"`{PEER}` {version('onnxruntime')} at its defaults, but for `op_block_list` and `keep_io_types`.",
        f"Least CPU times of {REPEATS} runs, which take turns, of one of the peer where it takes over {PATIENCE} s.",
        "`whole` is from a loaded proto to a proto, as the peer works; `pass` is the pass alone, on a loaded module.",
        f"Load average {load:.1f} before and {getloadavg()[0]:.1f} after, on {cpu_count()} cores: where it is larger,",
        "the CPU times of both are larger than on an idle machine, and vary.",
        "",
        "| model | nodes | kept in f32 | whole ms | pass ms | peer ms | peer beside whole | peer beside pass |",
        "|---|---:|---|---:|---:|---:|---:|---:|",
        *[_row(case, figures) for case, figures in rows],
        "",
        "The peer searches the list of all values for each operand and result of a node that is kept, so its time goes",
        "with how many are kept times all; ours with the casts alone. Nothing is kept under `always-f16`. Under",
        "`autocast-f16` reductions are, and each Softmax gets casts; the peer knows no such rule, and narrows them.",
        "",
        "Growth of the pass alone, on a chain of two kinds of the graph dialect in memory, one run a size:",
        "",
        "| nodes | " + " | ".join(f"{size:,}" for size in sizes) + " | exponent |",
        "|---|" + "---:|" * (len(sizes) + 1),
        "| seconds | " + " | ".join(f"{one:.3f}" for one in times) + f" | {growth_exponent(sizes, times):.2f} |",
    ]


def _row(case: Case, found: Figures) -> str:
    cells = [case.label, f"{found.nodes:,}", case.stays_f32]
    cells += [f"{one * 1e3:,.0f}" for one in (found.whole, found.alone, found.peer)]
    cells += [f"{found.peer / one:.2f}x" for one in (found.whole, found.alone)]
    return "| " + " | ".join(cells) + " |"
