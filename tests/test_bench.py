"""The benchmarks' own arithmetic; that they run at all is seen by `python -m bench --smoke` in .ci/run."""

import gc
import shutil

import pytest

from bench import pass_growth
from bench.benchmarks import BENCHMARKS
from bench.measure import growth_exponent, measure_cpu_time, measure_memory
from bench.peer_mlir import round_trips
from bench.report import with_section, write_growth_table, write_main_table
from bench.run import Plan, Row
from passes.build import build_pipeline
from passes.framework.dot_transform import DotTransform
from passes.registry import PASSES
from runtime.targets import trn2
from runtime.verifier import verify

SIZES = (1_000, 10_000, 100_000)


@pytest.mark.parametrize("exponent", [0.0, 1.0, 1.5, 2.0])
def test_the_exponent_of_a_power_is_found(exponent: float) -> None:
    assert growth_exponent(SIZES, [3e-6 * size**exponent for size in SIZES]) == pytest.approx(exponent)


def test_memory_counts_what_stays_alive() -> None:
    figure = measure_memory(lambda: [bytes(1_000) for _ in range(100)])
    assert figure == pytest.approx(100 * (1_000 + b"".__sizeof__() + 8), rel=0.02)


def test_each_measurement_is_prepared_and_checked_and_leaves_the_collector_alone() -> None:
    prepared: list[int] = []
    checked: list[int] = []

    def prepare() -> int:
        prepared.append(len(prepared))
        return prepared[-1]

    def run(number: int) -> bool:
        return gc.isenabled()

    def check(number: int, result: bool) -> None:
        assert result
        checked.append(number)

    assert measure_cpu_time(prepare, run, check, repeats=3) >= 0
    assert prepared == checked == [0, 1, 2]


def test_a_wrong_result_is_no_figure() -> None:
    def check(prepared: int, result: int) -> None:
        assert result == prepared + 1

    with pytest.raises(AssertionError):
        measure_cpu_time(lambda: 1, lambda prepared: prepared, check, repeats=1)


def test_the_tables_show_figures_an_instruction_and_the_growth() -> None:
    plan = Plan(sizes=SIZES)
    rows = [
        Row("build", "ours", "", ((1_000, 0.005), (10_000, 0.01), (100_000, 0.1))),
        Row("build", "peer", "fast", ((1_000, 0.004), (10_000, 0.04), (100_000, 0.4))),
        Row("build", "peer", "slow", ((1_000, 0.004), (10_000, 0.4))),
    ]
    summary = BENCHMARKS["build"].summary
    assert write_main_table(rows, plan)[2:] == [
        f"| build: {summary} | 100,000 | ours | 1.00 CPU µs an instruction | 1.00x |",
        f"| build: {summary} | 100,000 | peer (fast) | 4.00 CPU µs an instruction | 4.00x |",
        f"| build: {summary} | 100,000 | peer (slow) | - CPU µs an instruction | - |",
    ]
    assert write_growth_table(rows, plan)[2:] == [
        "| build | ours | 0.005 | 0.01 | 0.1 | 1.00 |",
        "| build | peer (fast) | 0.004 | 0.04 | 0.4 | 1.00 |",
        "| build | peer (slow) | 0.004 | 0.4 | - | - |",
    ]


def test_the_section_about_brewing_is_replaced_and_nothing_else() -> None:
    page = "# Results\n\na\n\n## Growth\n\nb\n\n## Layouts\n\nc\n"
    first = with_section(page, ["## Brewing", "", "x"])
    assert first == "# Results\n\na\n\n## Growth\n\nb\n\n## Brewing\n\nx\n\n## Layouts\n\nc\n"
    assert with_section(first, ["## Brewing", "", "y"]) == first.replace("x", "y")


@pytest.mark.parametrize("name", pass_growth.PROGRAMS)
def test_what_passes_are_measured_on_is_a_program(name: str) -> None:
    module = pass_growth.PROGRAMS[name](60)
    assert not verify(module)
    assert 45 <= sum(1 for _ in module.insts) <= 70


def test_every_pass_is_measured() -> None:
    measured = {pipeline.partition("{")[0] for pipeline in pass_growth.pipelines()}
    assert measured == set(PASSES)


@pytest.mark.parametrize("pipeline", pass_growth.pipelines())
def test_a_pass_is_measured_on_something_that_it_changes(pipeline: str) -> None:
    changed = []
    for name in pass_growth.programs_for(pipeline):
        (transform,) = build_pipeline(pipeline, trn2)
        assert isinstance(transform, DotTransform)
        changed.append(transform.runOnModule(pass_growth.PROGRAMS[name](60)))
    assert any(changed)


def test_the_section_of_passes() -> None:
    section = pass_growth.write_section(pass_growth.SMOKE_SIZES)
    rows = [line for line in section if line.startswith("| ")]
    assert section[0] == "## Passes" and len(rows) > len(PASSES)
    assert ("mlir-opt -canonicalize" in "".join(rows)) == (shutil.which("mlir-opt") is not None)


def test_the_text_for_mlir_has_so_many_statements() -> None:
    lines = round_trips(30).splitlines()
    assert len(lines) == 30 + 3 and lines[-2] == "  return %v10 : tensor<128x128xf32>"
