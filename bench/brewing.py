"""Brewing, as whole processes: what Python itself takes, and other ways to get classes from the same definitions.

Deliberately absent: warming up. Each figure is of a process that starts, does its work and ends, as on a command line;
files are in the system's cache for all of them.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from bench.brewing_project import ROOT, edit, write_project
from bench.measure import growth_exponent
from bench.peer_definitions import read_definitions, write_schemas, write_xdsl_module
from bench.report import BREWING_HEAD

SIZES = (400, 1_000, 5_000)
SMOKE_SIZES = (14, 28)
MAIN_SIZE = 1_000
LARGE = 5_000
BARE, COLD = "bare Python (-I -S -E -c pass)", "brewer: cold, no outputs"
NAIVE = "naive pipeline (PyYAML, Jinja, black): cold"
_ASIDE = ".cache_aside"
_BARE_COMMAND = (sys.executable, "-I", "-S", "-E", "-c", "pass")


@dataclass(frozen=True)
class Sample:
    """One process. Units: seconds; CPU is user and system time, with that of processes of its own."""

    cpu: float
    wall: float


@dataclass
class Samples:
    """All processes of one kind, by the number of definitions."""

    label: str
    by_size: dict[int, list[Sample]] = field(default_factory=dict)

    def cpu(self, size: int) -> float | None:
        found = self.by_size.get(size)
        return median(sample.cpu for sample in found) if found else None

    def wall(self, size: int) -> float | None:
        found = self.by_size.get(size)
        return median(sample.wall for sample in found) if found else None


@dataclass(frozen=True)
class Work:
    """One kind of process: what is done before it, the command, and what it must say."""

    label: str
    prepare: Callable[[Path, int], None]
    command: Callable[[Path], Sequence[str | Path]]
    expected: str
    repeats: int
    repeats_of_large: int


def run_process(command: Sequence[str | Path], expected: str) -> Sample:
    """Runs a command and measures it.

    Raises: AssertionError where it fails, or does not say what is expected.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout:
        said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0 and expected in said, f"{command}: {process.returncode}, {said[-500:]}"
    return Sample(usage.ru_utime + usage.ru_stime, wall)


@dataclass(frozen=True)
class Lines:
    """How long things are on average, in lines."""

    definition: float
    module: float
    of_class: float
    naive_class: float


def count_lines(size: int = 70) -> Lines:
    """Counts them in a project of ten definitions of each family."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        write_project(root, size)
        run_process(_brewer(root), "wrote generated/")
        run_process((sys.executable, "-m", "bench.naive_brewing", root), "")
        definitions, modules, naive = (
            [path.read_text(encoding="utf-8") for path in root.glob(pattern)]
            for pattern in ("defs/graph/*.yaml", "generated/graph/*Gen.py", "naive/*Gen.py")
        )
    of_class, naive_class = ([text[text.index("\nclass ") + 1 :] for text in texts] for texts in (modules, naive))
    figures = (
        sum(text.count("\n") for text in texts) / size for texts in (definitions, modules, of_class, naive_class)
    )
    return Lines(*figures)


def measure_brewing(sizes: Sequence[int]) -> Iterator[Samples]:
    """Measures all kinds of processes at all sizes. Rounds go through the kinds, so that all see the same machine."""
    kinds = {work.label: Samples(work.label) for work in _works()}
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "project"
            write_project(root, size)
            for work in _works():
                kinds[work.label].by_size[size] = []
            rounds = max(_repeats(work, size) for work in _works())
            for at in range(rounds):
                for work in _works():
                    if at < _repeats(work, size):
                        work.prepare(root, at)
                        kinds[work.label].by_size[size].append(run_process(work.command(root), work.expected))
        print(f"brewing: {size:,} definitions measured", file=sys.stderr, flush=True)
    yield from kinds.values()


def _repeats(work: Work, size: int) -> int:
    return work.repeats_of_large if size >= LARGE else work.repeats


def _works() -> list[Work]:
    works = [
        Work(BARE, _nothing, lambda _: _BARE_COMMAND, "", 15, 15),
        Work(NAIVE, _nothing, lambda root: (sys.executable, "-m", "bench.naive_brewing", root), "", 1, 0),
        Work(COLD, _remove_outputs, _brewer, "wrote generated/", 3, 1),
        Work("brewer: nothing changed", _bring_back_cache, _brewer, "is up to date", 9, 9),
        Work("brewer: one definition edited", _edit_one, _brewer, "overwrote generated/graph/", 9, 5),
        Work("brewer: --check without a cache", _take_cache_away, _check, "is up to date", 5, 3),
    ]
    if find_spec("xdsl"):
        works.append(Work("xDSL, defining them at run time", _write_xdsl, _xdsl, "", 3, 1))
    if find_spec("datamodel_code_generator"):
        works.append(Work("datamodel-code-generator, from JSON Schema", _write_schemas, _datamodel, "", 1, 0))
    return works


def _nothing(root: Path, at: int) -> None:
    """Nothing is done before."""


def _remove_outputs(root: Path, at: int) -> None:
    for name in ("generated", ".brewer_cache", _ASIDE):
        shutil.rmtree(root / name, ignore_errors=True)


def _take_cache_away(root: Path, at: int) -> None:
    (root / ".brewer_cache").rename(root / _ASIDE)


def _bring_back_cache(root: Path, at: int) -> None:
    if (root / _ASIDE).exists():
        (root / _ASIDE).rename(root / ".brewer_cache")


def _edit_one(root: Path, at: int) -> None:
    edit(root, index=5 + at, count=at)


def _brewer(root: Path) -> Sequence[str | Path]:
    return (sys.executable, "-m", "brewer", "--root", root)


def _check(root: Path) -> Sequence[str | Path]:
    return (*_brewer(root), "--check")


def _write_xdsl(root: Path, at: int) -> None:
    write_xdsl_module(read_definitions(root), root / "xdsl_module.py")


def _xdsl(root: Path) -> Sequence[str | Path]:
    return (sys.executable, root / "xdsl_module.py")


def _write_schemas(root: Path, at: int) -> None:
    shutil.rmtree(root / "schemas", ignore_errors=True)
    write_schemas(read_definitions(root), root / "schemas")


def _datamodel(root: Path) -> Sequence[str | Path]:
    options = (
        "--input-file-type",
        "jsonschema",
        "--output-model-type",
        "dataclasses.dataclass",
        "--formatters",
        "black",
    )
    command = (
        sys.executable,
        "-m",
        "datamodel_code_generator",
        "--input",
        root / "schemas",
        "--output",
        root / "models",
    )
    return (*command, *options)


def write_section(sizes: Sequence[int]) -> list[str]:
    """Measures, and gives the section of RESULTS.md."""
    lines = count_lines()
    rows = list(measure_brewing(sizes))
    missing = peers_that_are_missing()
    return [
        BREWING_HEAD,
        "",
        "CPU seconds (user and system, with processes of its own) of whole processes that start, work and end, for",
        f"{', '.join(f'{size:,}' for size in sizes)} definitions (`bench/brewing_project.py`): medians of one run that",
        "goes round the kinds; the exponent of the growth over these sizes. The naive pipeline is",
        f"`bench/naive_brewing.py`. On average, a definition has {lines.definition:.0f} lines, its module"
        f" {lines.module:.0f}, the class in it",
        f"{lines.of_class:.0f}, and the class of the naive pipeline {lines.naive_class:.0f}.",
        f"Measured by `python -m bench brewing` on {date.today().isoformat()}. A dash: not measured.",
        "Wall times count waiting for other work on the machine, too.",
        *([f"Not installed on this machine, and so not measured: {', '.join(missing)}."] if missing else []),
        "",
        *write_brewing_table(rows, sizes),
        "",
        *_beside_naive(rows, sizes),
    ]


def _beside_naive(rows: Sequence[Samples], sizes: Sequence[int]) -> list[str]:
    """What a cold brew takes of the time of the naive pipeline, at each size where both were measured."""
    cold, naive = (next(row for row in rows if row.label == label) for label in (COLD, NAIVE))
    parts = []
    for size in sizes:
        cpu, wall, of_cpu, of_wall = cold.cpu(size), cold.wall(size), naive.cpu(size), naive.wall(size)
        if cpu and wall and of_cpu and of_wall:
            parts.append(f"{cpu / of_cpu:.2f}x of its CPU time and {wall / of_wall:.2f}x of its wall time at {size:,}")
    return [f"A cold brew takes, beside the naive pipeline: {'; '.join(parts)}."]


def write_brewing_table(rows: Sequence[Samples], sizes: Sequence[int]) -> list[str]:
    """CPU seconds by size with the exponent of their growth, and at the main size beside bare Python and in ms each."""
    main = MAIN_SIZE if MAIN_SIZE in sizes else sizes[-1]
    head = ["process", *[f"{size:,}" for size in sizes], "exponent", f"beside bare, at {main:,}", "ms a definition"]
    lines = [_line([*head, "wall"]), _line(["---", *["---:"] * (len(head))])]
    bare = next(row.cpu(main) for row in rows if row.label == BARE)
    for row in rows:
        cpu = {size: figure for size in sizes if (figure := row.cpu(size)) is not None}
        cells = [f"{cpu[size]:.3f}" if size in cpu else "-" for size in sizes]
        exponent = f"{growth_exponent(tuple(cpu), tuple(cpu.values())):.2f}" if len(cpu) > 1 else "-"
        figure, wall = row.cpu(main), row.wall(main)
        beside = f"{figure / bare:.1f}x" if figure and bare else "-"
        each = f"{figure / main * 1e3:.2f}" if figure else "-"
        lines.append(_line([row.label, *cells, exponent, beside, each, f"{wall:.2f} s" if wall else "-"]))
    return lines


def peers_that_are_missing() -> list[str]:
    """Those that could take part and are not installed here."""
    missing = [name for name in ("xdsl", "datamodel_code_generator") if not find_spec(name)]
    return missing + (["mlir-tblgen"] if shutil.which("mlir-tblgen") is None else [])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
