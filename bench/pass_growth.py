"""How the processor time of the passes grows with the program: `python -m bench passes`, or this module by itself.

    python -m bench.pass_growth [--largest N] [PASS ...]        printed, up to N statements

The programs: a kernel of loads, products, activations, casts and sums, each with its own tensors and values; a hub,
values that every statement reads; copies and conversions in device memory (`bench/offloaded_programs.py`); an ONNX
model, for the precision policies.
Each pass of `passes/registry.py` runs on those that it is for. The exponent is that of the least squares of log(time)
on log(statements).

`mlir-opt -canonicalize` runs on the kernel's round trips as text of MLIR, where it is installed. It parses and prints
as well, so its figure is an upper bound of what its rewriting takes.
"""

import argparse
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from bench import offloaded_programs
from bench.measure import growth_exponent
from bench.peer_mlir import canonicalized
from frontends.onnx import SIGNATURES
from generated.neuron.SBAtomLoadGen import SBAtomLoadGen
from generated.neuron.TensorReduceOpGen import TensorReduceOpGen
from passes.build import build_pipeline
from passes.framework.dot_transform import DotTransform
from passes.registry import PASSES
from runtime.access import NeuronAP
from runtime.builder import Builder
from runtime.builtin import Return
from runtime.dtypes import bf16, f32
from runtime.functions import Function, Module
from runtime.garbage import paused_gc
from runtime.generic import ONNX_DOMAIN, OnnxNode
from runtime.targets import trn2
from runtime.types import Type
from runtime.values import Value
from runtime.wrappers.ActivationOp import ActivationOp
from runtime.wrappers.MatMulOp import MatMulOp
from runtime.wrappers.TensorCopyOp import TensorCopyOp

HEAD = "## Passes"
SHAPE = (128, 128)
SIZES = (10_000, 100_000, 1_000_000)
SMOKE_SIZES = (100, 200)
WITH_OPTIONS = (
    "auto-cast-fp32{mode=matmult}",
    "auto-cast-fp32{mode=all}",
    "auto-cast-fp32{mode=all, inline=false}",
    "auto-mixed-precision{policy=autocast-bf16}",
)
"""What does nothing by default; every other pass runs without options."""
PROGRAMS_OF = {
    "auto-mixed-precision": ("model",),
    "cast-op-elimination": tuple(offloaded_programs.PROGRAMS),
    "eliminate-copies": tuple(offloaded_programs.PROGRAMS),
}
"""The programs of passes that are not about compute engines; all others run on the kernel and the hub."""


def kernel(statements: int) -> Module:
    """Return a program of groups of fifteen statements."""
    module, function = _module()
    build = Builder(function)
    source = build.tensor("x", f32, SHAPE, "dram", isInput=True)
    psum = build.tensor("p", f32, SHAPE, "psum")
    for number in range(statements // 15):
        tensor = build.tensor(f"t{number}", f32, SHAPE, "sbuf")
        build.insert(SBAtomLoadGen(NeuronAP(source), dst=NeuronAP(tensor)))
        build.insert(MatMulOp(NeuronAP(tensor), NeuronAP(tensor), dst=NeuronAP(psum)))
        wide = build.insert(ActivationOp(NeuronAP(psum), "gelu", dtype=f32))
        cast = build.insert(TensorCopyOp(wide, dtype=bf16))
        build.insert(MatMulOp(cast, cast, dst=NeuronAP(psum)))
        loaded = build.insert(SBAtomLoadGen(NeuronAP(source), dtype=f32))
        build.insert(TensorCopyOp(loaded, dtype=bf16))
        narrow = build.insert(ActivationOp(cast, "exp", dtype=bf16))
        moved = build.insert(TensorCopyOp(narrow, dtype=bf16))
        build.insert(TensorReduceOpGen(moved, "add", [1], dtype=f32))
        rounded = build.insert(ActivationOp(NeuronAP(psum), "relu", dtype=bf16))
        build.insert(ActivationOp(build.insert(TensorCopyOp(rounded, dtype=f32)), "tanh", dtype=f32))
        build.insert(TensorCopyOp(build.insert(TensorCopyOp(rounded, dtype=f32)), dtype=bf16))
    build.insert(Return())
    return module


def hub(statements: int) -> Module:
    """Return a program in which two values, or one and a tensor, have all statements as users."""
    module, function = _module()
    build = Builder(function)
    argument = function.body.add_argument(Type.tensor(f32, SHAPE), "x")
    value = build.insert(ActivationOp(argument, "exp", dtype=f32))
    narrow = build.insert(ActivationOp(argument, "relu", dtype=bf16))
    tensor = build.tensor("t", f32, SHAPE, "sbuf")
    build.insert(TensorCopyOp(value, dst=NeuronAP(tensor)))
    for number in range(statements):
        if number % 3 == 0:
            build.insert(TensorCopyOp(value, dtype=bf16))
        elif number % 3 == 1:
            build.insert(MatMulOp(value, NeuronAP(tensor)))
        else:
            build.insert(TensorCopyOp(narrow, dtype=f32))
    build.insert(Return())
    return module


def model(statements: int) -> Module:
    """Return an ONNX model in groups of four nodes, each on what the one before gives, and one weight."""
    module, function = Module(), Function("main")
    module.add_function(function)
    module.signatures = SIGNATURES
    function.operator_sets[ONNX_DOMAIN] = 20
    build, type = Builder(function), Type.tensor(f32, SHAPE)
    value: Value = function.body.add_argument(type, "x")
    weight = function.body.add_argument(type, "w")
    for _ in range(statements // 4):
        product = build.insert(OnnxNode("MatMul", [value, weight], result_types=[type]))
        total = build.insert(OnnxNode("Add", [product, value], result_types=[type]))
        shares = build.insert(OnnxNode("Softmax", [total], {"axis": 1}, result_types=[type]))
        value = build.insert(OnnxNode("Gelu", [shares], result_types=[type]))
    build.insert(Return([value]))
    return module


PROGRAMS: dict[str, Callable[[int], Module]] = {
    "kernel": kernel,
    "hub": hub,
    "model": model,
    **offloaded_programs.PROGRAMS,
}


def pipelines(names: Sequence[str] = ()) -> list[str]:
    """Return what is measured: each pass of the table, or those of these names, with the options that it needs."""
    found = []
    for name in names or PASSES:
        found += [each for each in WITH_OPTIONS if each.startswith(f"{name}{{")] or [name]
    return found


def programs_for(pipeline: str) -> tuple[str, ...]:
    """Return which programs a pass is for."""
    return PROGRAMS_OF.get(pipeline.partition("{")[0], ("kernel", "hub"))


def _module() -> tuple[Module, Function]:
    module = Module(target=trn2.name)
    return module, module.add_function(Function("main"))


def seconds(make: Callable[[int], Module], statements: int, pipeline: str, repeats: int) -> float:
    """Return the least time of a pass on a fresh program."""
    best = math.inf
    for _ in range(repeats):
        with paused_gc():
            module = make(statements)
        (transform,) = build_pipeline(pipeline, trn2)
        assert isinstance(transform, DotTransform)
        start = time.process_time()
        transform.runOnModule(module)
        best = min(best, time.process_time() - start)
    return best


@dataclass(frozen=True)
class Growth:
    """The times of one pass on one program. Units: CPU seconds."""

    program: str
    pipeline: str
    sizes: Sequence[int]
    times: Sequence[float]

    @property
    def exponent(self) -> float:
        """How the time grows with the size."""
        return growth_exponent(self.sizes, self.times)

    @property
    def cells(self) -> list[str]:
        """Return the row of a table."""
        each = [f"{time * 1e6 / size:.2f}" for time, size in zip(self.times, self.sizes, strict=True)]
        return [self.pipeline, self.program, *each, f"{self.exponent:.3f}"]


def measured(names: Sequence[str], sizes: Sequence[int]) -> Iterator[Growth]:
    """Yield the growth of each pass on each program that it is for."""
    for pipeline in pipelines(names):
        for program in programs_for(pipeline):
            make = PROGRAMS[program]
            times = [seconds(make, size, pipeline, 3 if size <= 10_000 else 1) for size in sizes]
            yield Growth(program, pipeline, sizes, times)


def write_section(sizes: Sequence[int] = SIZES) -> list[str]:
    """Measures, and gives the section of RESULTS.md."""
    rows = list(measured((), sizes))
    peer = canonicalized(sizes)
    lines = [
        HEAD,
        "",
        "CPU microseconds a statement of passes on programs of so many statements (`bench/pass_growth.py`), and the",
        "exponent of the growth of the whole time by least squares on logarithms: the least of three runs, beyond",
        f"10,000 of one. Measured by `python -m bench passes` on {date.today().isoformat()}.",
        "" if peer else "\nNot installed on this machine, and so not measured beside eliminate-casts: mlir-opt.\n",
        f"| pass | program | {' | '.join(f'{size:,}' for size in sizes)} | exponent |",
        f"|---|---|{'---:|' * (len(sizes) + 1)}",
    ]
    cells = [*(row.cells for row in rows), *(row.cells for row in peer)]
    return lines + [f"| {' | '.join(row)} |" for row in cells]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.pass_growth", description=__doc__.partition("\n")[0])
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="statements of the largest program")
    parser.add_argument("passes", nargs="*", metavar="PASS", help="passes to measure; default: all of the table")
    given = parser.parse_args()
    if unknown := [name for name in given.passes if name not in PASSES]:
        parser.error(f"no pass is called {', '.join(unknown)}; there are {', '.join(PASSES)}")
    sizes = [max(size, 100) for size in (given.largest // 100, given.largest // 10, given.largest)]
    for row in measured(given.passes, sizes):
        print("  ".join(f"{cell:<42}" if at == 0 else f"{cell:>8}" for at, cell in enumerate(row.cells)), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
