"""Running a model of the shape of ResNet-50 on the interpreter, beside `onnx.reference`, on whose operators it stands.

Both sides compute the same bits, which is checked. A first run includes what each side makes of the model before it
computes: the reference its evaluator, which holds the weights; the interpreter its evaluator of nodes, while the model
has been imported already, as it has been where it was converted.

Deliberately absent: onnxruntime. It is a tool for running models, not for saying exactly what they compute.
"""

import gc
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

import frontends.onnx
import runtime
from bench.resnet import STAGES, build_resnet
from frontends.onnx.evaluate import Evaluator, evaluator

SIZES = (64, 128, 224)
SMOKE_SIZES = (16,)
SMOKE_STAGES = ((8, 1), (16, 1))
REPEATS = 5

Runs = dict[str, Callable[[], Any]]


@dataclass(frozen=True)
class Row:
    """One way to run one model. Units: CPU and wall seconds (medians), bytes at the peak beyond those before."""

    size: int
    label: str
    cpu: float
    wall: float
    peak: int


def measure_interpreter(sizes: Sequence[int], stages: tuple[tuple[int, int], ...] = STAGES) -> Iterator[Row]:
    """Measures each size; rounds go through the ways to run it, so that all see the same machine."""
    for size in sizes:
        runs = _runs(size, stages)
        samples: dict[str, list[tuple[float, float]]] = {label: [] for label in runs}
        results = {label: run() for label, run in runs.items()}
        first = next(iter(results.values()))
        assert all(np.array_equal(first, result) for result in results.values()), "the two sides compute the same"
        for _ in range(REPEATS if stages == STAGES else 1):
            for label, run in runs.items():
                samples[label].append(_timed(run))
        for label, taken in samples.items():
            cpu, wall = (median(column) for column in zip(*taken, strict=True))
            yield Row(size, label, cpu, wall, _peak(runs[label]))
        print(f"interpreter: {size} x {size} measured", file=sys.stderr, flush=True)


def _runs(size: int, stages: tuple[tuple[int, int], ...]) -> Runs:
    model = build_resnet(size, stages)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        onnx.save(model, path)
        module = frontends.onnx.load(path)
    image = {"image": np.random.default_rng(1).standard_normal((1, 3, size, size)).astype(np.float32)}
    reference, ours = ReferenceEvaluator(model), evaluator(module)

    def run_reference(by: ReferenceEvaluator) -> Any:
        (result,) = by.run(None, image)
        return result

    def run_ours(by: Evaluator) -> Any:
        (result,) = runtime.run(module, image, evaluator=by).values()
        return result

    return {
        "onnx.reference, first run": lambda: run_reference(ReferenceEvaluator(model)),
        "brewer, first run": lambda: run_ours(evaluator(module)),
        "onnx.reference, again": lambda: run_reference(reference),
        "brewer, again": lambda: run_ours(ours),
    }


def _timed(run: Callable[[], Any]) -> tuple[float, float]:
    gc.collect()
    cpu, wall = time.process_time(), time.perf_counter()
    run()
    return time.process_time() - cpu, time.perf_counter() - wall


def _peak(run: Callable[[], Any]) -> int:
    """What a run allocates at its peak, by numpy's count. Units: bytes."""
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        run()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def write_section(sizes: Sequence[int], stages: tuple[tuple[int, int], ...] = STAGES) -> list[str]:
    """Measures, and gives the section of RESULTS.md."""
    rows = list(measure_interpreter(sizes, stages))
    blocks = sum(count for _, count in stages)
    return [
        "## Interpreter",
        "",
        f"A model of the shape of ResNet-50 ({blocks} blocks, random weights, batch 1, f32) on `runtime.run` and on",
        f"`onnx.reference`, bit for bit the same result: medians of {REPEATS} runs that take turns, all threads of the",
        "matrix product counted, and the memory that a run allocates at its peak.",
        "",
        *write_table(rows),
    ]


def write_table(rows: Sequence[Row]) -> list[str]:
    """A row for each way at each size; the last column compares it with the reference's way of the same kind."""
    lines = ["| image | way | CPU s | wall s | peak MB | CPU beside onnx.reference |", "|---|---|---:|---:|---:|---:|"]
    for row in rows:
        kind = row.label.partition(", ")[2]
        peer = next(one for one in rows if one.size == row.size and one.label == f"onnx.reference, {kind}")
        cells = f"{row.cpu:.2f} | {row.wall:.2f} | {row.peak / 1e6:.0f} | {row.cpu / peer.cpu:.2f}x"
        lines.append(f"| {row.size} x {row.size} | {row.label} | {cells} |")
    return lines
