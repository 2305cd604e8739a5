"""How the processor time of the numeric passes grows with the program: `python -m bench.pass_growth [--largest N]`.

Two programs: a kernel of loads, products, activations, casts and sums, each with its own tensors and values; and a
hub, one value that every product reads. The exponent is that of the least squares of log(time) on log(statements).

Deliberately absent: peers, and a page of results. The figures of a run are printed.
"""

import argparse
import math
import time
from collections.abc import Callable

from generated.neuron.SBAtomLoadGen import SBAtomLoadGen
from generated.neuron.TensorReduceOpGen import TensorReduceOpGen
from passes.build import build_pipeline
from passes.framework.dot_transform import DotTransform
from runtime.access import NeuronAP
from runtime.builder import Builder
from runtime.builtin import Return
from runtime.dtypes import bf16, f32
from runtime.functions import Function, Module
from runtime.garbage import paused_gc
from runtime.targets import trn2
from runtime.types import Type
from runtime.wrappers.ActivationOp import ActivationOp
from runtime.wrappers.MatMulOp import MatMulOp
from runtime.wrappers.TensorCopyOp import TensorCopyOp

SHAPE = (128, 128)
PASSES = (
    "auto-cast-fp32{mode=matmult}",
    "auto-cast-fp32{mode=all}",
    "auto-cast-fp32{mode=all, inline=false}",
    "auto-cast-inputs",
    "enforce-alu-dt-acc",
    "dtype-mutator",
    "eliminate-dead-code",
    "share-casts",
    "fold-casts",
)
"""`enforce-alu-dt-acc` and `dtype-mutator` find what they do in the kernel as it stands."""


def kernel(statements: int) -> Module:
    """Return a program of groups of ten statements."""
    module, function = _module()
    build = Builder(function)
    source = build.tensor("x", f32, SHAPE, "dram", isInput=True)
    psum = build.tensor("p", f32, SHAPE, "psum")
    for number in range(statements // 10):
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
    build.insert(Return())
    return module


def hub(statements: int) -> Module:
    """Return a program in which one value, and one tensor, have a user in every statement."""
    module, function = _module()
    build = Builder(function)
    value = build.insert(ActivationOp(function.body.add_argument(Type.tensor(f32, SHAPE), "x"), "exp", dtype=f32))
    tensor = build.tensor("t", f32, SHAPE, "sbuf")
    build.insert(TensorCopyOp(value, dst=NeuronAP(tensor)))
    for number in range(statements):
        if number % 3:
            build.insert(MatMulOp(value, NeuronAP(tensor)))
        else:
            build.insert(TensorCopyOp(value, dtype=bf16))
    build.insert(Return())
    return module


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


def exponent(sizes: list[int], times: list[float]) -> float:
    """Return the slope of log(time) over log(size) by least squares."""
    xs, ys = [math.log(size) for size in sizes], [math.log(each) for each in times]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    above = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    return above / sum((x - mean_x) ** 2 for x in xs)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.pass_growth", description=__doc__.partition("\n")[0])
    parser.add_argument("--largest", type=int, default=1_000_000, help="statements of the largest program")
    largest: int = parser.parse_args().largest
    sizes = [max(size, 10) for size in (largest // 100, largest // 10, largest)]
    for make in (kernel, hub):
        for pipeline in PASSES:
            times = [seconds(make, size, pipeline, 1 if size > 200_000 else 2) for size in sizes]
            shown = ", ".join(f"{each * 1e6 / size:.2f}" for each, size in zip(times, sizes, strict=True))
            growth = exponent(sizes, times)
            print(
                f"{make.__name__:7} {pipeline:40} exponent {growth:.3f}, microseconds a statement {shown}", flush=True
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
