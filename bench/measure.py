"""How a figure is taken: CPU time, memory, and the exponent with which a figure grows with the size of the program.

Deliberately absent: switching the garbage collector off. What a library pays for it is part of its price; each
measurement only starts with nothing left to collect.
"""

import gc
import math
import time
import tracemalloc
from collections.abc import Callable, Sequence
from statistics import median
from typing import TypeVar

PreparedT = TypeVar("PreparedT")
ResultT = TypeVar("ResultT")


def measure_cpu_time(
    prepare: Callable[[], PreparedT],
    run: Callable[[PreparedT], ResultT],
    check: Callable[[PreparedT, ResultT], None],
    repeats: int,
) -> float:
    """Median CPU time of `run`, each time on something freshly prepared, its result checked outside the time taken.

    Units: seconds of user and system time of this process.
    """
    times = []
    for _ in range(repeats):
        prepared = prepare()
        gc.collect()
        start = time.process_time()
        result = run(prepared)
        times.append(time.process_time() - start)
        check(prepared, result)
        del prepared, result
    return median(times)


def measure_memory(build: Callable[[], object]) -> int:
    """What is still allocated, by Python's allocator, once `build` has returned and its result is alive.

    Units: bytes.
    """
    build()  # caches and lazy imports are no part of what a second program costs
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        built = build()
        gc.collect()
        after = tracemalloc.get_traced_memory()[0]
        del built
    finally:
        tracemalloc.stop()
    return after - before


def growth_exponent(sizes: Sequence[int], figures: Sequence[float]) -> float:
    """The slope of the least-squares line through (log size, log figure): 1 is linear, 2 quadratic."""
    assert len(sizes) == len(figures) >= 2, "a line needs two points"
    x = [math.log(size) for size in sizes]
    y = [math.log(figure) for figure in figures]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    covariance = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return covariance / sum((a - mean_x) ** 2 for a in x)
