"""Runs benchmarks: each contender's side of each in a process of its own, all in one run on one machine.

A process of its own, since the collector walks over every living object: one library's modules and programs must not
weigh on another's figures.
"""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

from bench.benchmarks import BENCHMARKS, AnyContender, Benchmark
from bench.contender import load_contender
from bench.measure import measure_cpu_time, measure_memory

GROWTH_SIZES = (1_000, 10_000, 100_000, 1_000_000)
SMOKE_SIZES = (100, 300)
REPEATS = {1_000: 7, 10_000: 7}
LARGE_REPEATS = 3


@dataclass(frozen=True)
class Plan:
    """How thoroughly a run measures."""

    sizes: tuple[int, ...] = GROWTH_SIZES
    seconds_a_figure: float = 60.0
    """A figure that is predicted, from the size before it, to take longer than this with its preparation is measured
    once in place of three times, and left out where that takes longer too."""

    def size_of(self, benchmark: Benchmark) -> int:
        """The size, in instructions, of a benchmark's main figure."""
        return benchmark.size if benchmark.size in self.sizes else self.sizes[-1]

    def sizes_of(self, benchmark: Benchmark) -> tuple[int, ...]:
        return (self.size_of(benchmark),) if benchmark.of_memory else self.sizes

    def repeats_at(self, size: int) -> int:
        """Measurements that a median is taken of: fewer at sizes whose figures spread less."""
        return REPEATS.get(size, LARGE_REPEATS) if self.sizes == GROWTH_SIZES else 1


@dataclass(frozen=True)
class Row:
    """One contender's figures in one benchmark, done in one way."""

    benchmark: str
    contender: str
    way: str
    figures: tuple[tuple[int, float], ...]
    """(size in instructions, seconds or bytes in all); ends early where the next size would have taken too long."""

    @property
    def label(self) -> str:
        return f"{self.contender} ({self.way})" if self.way else self.contender


def run_benchmarks(names: Sequence[str], contenders: Sequence[str], plan: Plan) -> Iterator[Row]:
    """Measures each named benchmark with each contender, and gives the rows as they come."""
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        for name in names:
            for contender in contenders:
                yield from pool.submit(measure_rows, name, contender, plan).result()


def measure_rows(name: str, contender_name: str, plan: Plan) -> list[Row]:
    """Measures one benchmark with one contender, in all of its ways, in this process."""
    benchmark, contender = BENCHMARKS[name], load_contender(contender_name)
    return [
        Row(name, contender_name, way, tuple(_measure_sizes(benchmark, contender, way, plan)))
        for way in benchmark.ways(contender)
    ]


def _measure_sizes(benchmark: Benchmark, contender: AnyContender, way: str, plan: Plan) -> Iterator[tuple[int, float]]:
    measured, seconds = 0, 0.0
    for size in plan.sizes_of(benchmark):
        repeats = plan.repeats_at(size)
        predicted = seconds * size / measured if measured else 0.0
        if predicted * repeats > plan.seconds_a_figure:
            repeats = 1
        if predicted > plan.seconds_a_figure:
            return
        start = time.perf_counter()
        yield size, _measure(benchmark, contender, way, size, repeats)
        measured, seconds = size, (time.perf_counter() - start) / repeats


def _measure(benchmark: Benchmark, contender: AnyContender, way: str, size: int, repeats: int) -> float:
    if benchmark.of_memory:
        prepared = benchmark.prepare(contender, size)
        return measure_memory(lambda: benchmark.run(contender, way, prepared))
    return measure_cpu_time(
        prepare=lambda: benchmark.prepare(contender, size),
        run=lambda prepared: benchmark.run(contender, way, prepared),
        check=lambda prepared, result: benchmark.check(contender, size, prepared, result),
        repeats=repeats,
    )
