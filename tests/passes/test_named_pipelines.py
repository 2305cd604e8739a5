"""Pipelines by name: what they run, which options they hand on, and what is said about mistakes."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from passes.build import build_pipeline
from passes.command_line import main
from passes.framework.dot_transform import DotTransform
from passes.framework.options import option
from passes.framework.pass_manager import Fixpoint, passes_of
from passes.framework.pipeline import FIXPOINT
from passes.pipelines import PIPELINES, Pipeline
from passes.registry import PASSES
from runtime.diagnostics import DiagnosticsError


@dataclass(frozen=True)
class InsertOptions:
    mode: Literal["none", "matmult", "all"] = option("none", "what is cast")
    type: Literal["bf16", "fp16"] = option("bf16", "to what")


@dataclass(frozen=True)
class RemoveOptions:
    type: Literal["bf16", "fp16", "f32"] = option("f32", "from what")
    deep: bool = option(False, "how")


class Insert(DotTransform):
    """Insert."""

    pass_name = "insert"
    Options = InsertOptions


class Remove(DotTransform):
    """Remove."""

    pass_name = "remove"
    Options = RemoveOptions


OWN = {
    "all-of-it": Pipeline("chain{type=fp16},remove", "a pipeline of a pipeline"),
    "chain": Pipeline("insert{mode=matmult}, fixpoint(remove{deep=true})", "insert and remove"),
}


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    for cls in (Insert, Remove):
        monkeypatch.setitem(PASSES, cls.pass_name, (__name__, cls.__name__))
    for name, pipeline in OWN.items():
        monkeypatch.setitem(PIPELINES, name, pipeline)


def texts(pipeline: str) -> list[str]:
    return [step.pipeline_text for step in build_pipeline(pipeline)]


@pytest.mark.parametrize(
    ("pipeline", "expected"),
    [
        ("chain", ["insert{mode=matmult}", "fixpoint{rounds=100}(remove{deep=true})"]),
        ("chain{mode=all}", ["insert{mode=all}", "fixpoint{rounds=100}(remove{deep=true})"]),
        ("chain{type=bf16}", ["insert{mode=matmult type=bf16}", "fixpoint{rounds=100}(remove{deep=true type=bf16})"]),
        (
            "chain{mode=all deep=false},insert",
            ["insert{mode=all}", "fixpoint{rounds=100}(remove{deep=false})", "insert"],
        ),
        (
            "all-of-it{mode=none}",
            ["insert{mode=none type=fp16}", "fixpoint{rounds=100}(remove{deep=true type=fp16})", "remove"],
        ),
        (
            "all-of-it{type=bf16}",
            [
                "insert{mode=matmult type=bf16}",
                "fixpoint{rounds=100}(remove{deep=true type=bf16})",
                "remove{type=bf16}",
            ],
        ),
    ],
)
def test_what_a_pipeline_runs(pipeline: str, expected: list[str]) -> None:
    assert texts(pipeline) == expected


def test_a_pipeline_may_be_repeated() -> None:
    (step,) = build_pipeline("fixpoint(chain{mode=all})")
    assert isinstance(step, Fixpoint) and len(step.steps) == 2


@pytest.mark.parametrize(
    ("pipeline", "expected"),
    [
        ("chian", 'P002 1-5 there is no pass "chian" | did you mean "chain"?'),
        ("chain{mod=all}", 'P003 7-3 chain: there is no option "mod" | did you mean "mode"?'),
        ("chain{x=1}", 'P003 7-1 chain: there is no option "x" | chain has "deep", "mode" and "type"'),
        ("chain{mode=all,mode=none}", 'P004 16-4 option "mode" is given twice'),
        ("chain{mode=al}", 'P005 12-2 option "mode" takes none|matmult|all, not "al" | did you mean "all"?'),
        ("insert,chain(remove)", 'P001 13-1 found "(", expected "," or the end of the pipeline'),
    ],
)
def test_mistakes(pipeline: str, expected: str) -> None:
    with pytest.raises(DiagnosticsError) as error:
        build_pipeline(pipeline)
    (found,) = error.value.diagnostics
    assert found.place is not None
    help = f" | {found.help}" if found.help else ""
    assert f"{found.code} {found.place.column}-{found.place.length} {found.message}{help}" == expected


def test_a_value_that_one_pass_takes_and_another_does_not() -> None:
    with pytest.raises(DiagnosticsError, match=r'error\[P005\]: option "type" takes bf16\|fp16, not "f32"'):
        build_pipeline("chain{type=f32}")


def test_they_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    out = capsys.readouterr().out
    assert "\nchain\n    insert and remove\n    = insert{mode=matmult}, fixpoint(remove{deep=true})\n" in out


def test_the_table_is_in_order_and_every_pipeline_can_be_built() -> None:
    table = {name: pipeline for name, pipeline in PIPELINES.items() if name not in OWN}
    assert list(table) == sorted(table) and not {*PASSES, FIXPOINT} & {*table}
    for name, pipeline in table.items():
        assert build_pipeline(name) and pipeline.help and re.fullmatch(r"[a-z0-9-]+", name)


def marks(pipeline: str) -> list[tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]]]:
    steps = passes_of(build_pipeline(pipeline))
    return [(each.pass_name, each.pipelines, each.begins, each.ends) for each in steps]


def test_passes_know_the_pipelines_that_they_are_part_of() -> None:
    both, inner, outer = ("chain", "all-of-it"), ("chain",), ("all-of-it",)
    assert marks("all-of-it, insert") == [
        ("insert", both, both, ()),
        ("remove", both, (), inner),
        ("remove", outer, (), outer),
        ("insert", (), (), ()),
    ]
    assert marks("fixpoint(chain)") == [("insert", inner, inner, ()), ("remove", inner, (), inner)]


PROGRAM = "func @main(%x: f32[4,8]) {\n  return %x\n}\n"


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("--print-ir-before=chain", ["// before insert, chain"]),
        ("--print-ir-after=chain", ["// after remove, chain"]),
        ("--print-ir-after=all-of-it", ["// after remove, all-of-it"]),
        ("--print-ir-before=all-of-it,chain", ["// before insert, chain, all-of-it"]),
        ("--print-ir-after=insert,chain", ["// after insert", "// after remove, chain"]),
        ("--print-ir-after-change=chain", ["// after insert: no change", "// after remove: no change"]),
        ("--print-ir-after", ["// after insert", "// after remove", "// after remove"]),
    ],
)
def test_a_pipeline_is_looked_at_by_its_name(
    option: str, expected: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "p.txt").write_text(PROGRAM)
    assert main([str(tmp_path / "p.txt"), "--passes", "all-of-it", option]) == 0
    assert [line for line in capsys.readouterr().err.splitlines() if line.startswith("//")] == expected


def test_a_pipeline_that_does_not_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.txt").write_text(PROGRAM)
    assert main([str(tmp_path / "p.txt"), "--passes", "chain", "--print-ir-after=all-of-it,chian"]) == 2
    first, second = capsys.readouterr().err.split("\n\n")
    assert first.startswith('error[P015]: --print-ir-after: the pipeline does not run "all-of-it"')
    assert second.startswith('error[P015]: --print-ir-after: there is no pass "chian"') and '"chain"' in second
