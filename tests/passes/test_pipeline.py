"""Pipelines as text, the passes they give, and what is said about mistakes in them."""

import re

import pytest

from passes.build import build_pipeline
from passes.eliminate_casts import NeuronEliminateCasts
from passes.framework.options import describe_options
from passes.framework.pass_manager import Fixpoint
from passes.pipelines import PIPELINES
from passes.registry import PASSES, load_all
from runtime.diagnostics import DiagnosticsError
from runtime.statistics import statistics_of
from runtime.targets import trn2


def test_steps_with_options_and_fixpoints() -> None:
    first, repeated = build_pipeline(
        " eliminate-casts { allow_excess_precision = true } ,fixpoint(eliminate-casts,fixpoint(eliminate-casts{}))",
        trn2,
    )
    assert isinstance(first, NeuronEliminateCasts)
    assert first.options.allow_excess_precision and first.target is trn2
    assert isinstance(repeated, Fixpoint)
    inner, again = repeated.steps
    assert isinstance(inner, NeuronEliminateCasts) and not inner.options.allow_excess_precision
    assert isinstance(again, Fixpoint) and len(again.steps) == 1


def test_names_may_be_written_with_underscores() -> None:
    (chain,) = build_pipeline("fixpoint(eliminate_casts, clean_casts)")
    (same,) = build_pipeline("fixpoint(eliminate-casts, clean-casts)")
    assert chain.pipeline_text == same.pipeline_text and "_casts" not in chain.pipeline_text


@pytest.mark.parametrize("options", ["allow-excess-precision=true", "allow_excess_precision = true"])
def test_options_have_hyphens_or_underscores(options: str) -> None:
    (step,) = build_pipeline(f"eliminate-casts{{{options}}}")
    assert isinstance(step, NeuronEliminateCasts) and step.options.allow_excess_precision
    assert step.pipeline_text == "eliminate-casts{allow_excess_precision=true}"


def test_rounds_of_a_fixpoint() -> None:
    (step,) = build_pipeline("fixpoint{rounds=7}(eliminate-casts,eliminate-casts{})")
    assert isinstance(step, Fixpoint) and step.rounds == 7 and len(step.steps) == 2
    assert step.pipeline_text == "fixpoint{rounds=7}(eliminate-casts, eliminate-casts)"


def test_an_empty_pipeline_has_no_steps() -> None:
    assert build_pipeline("") == build_pipeline("  ") == ()


@pytest.mark.parametrize(
    ("pipeline", "expected"),
    [
        ("eliminate-cast", 'P002 1-14 there is no pass "eliminate-cast" | did you mean "eliminate-casts"?'),
        ("xyz", 'P002 1-3 there is no pass "xyz" | there are "eliminate-casts" and "fuse-loads"'),
        ("fixpont(eliminate-casts)", 'P001 8-1 found "(", expected "," or the end of the pipeline'),
        (
            "fixpoint",
            'P001 9-0 found the end of the pipeline, expected the steps to repeat, such as "fixpoint(eliminate-casts)"',
        ),
        ("fixpoint(eliminate-casts", 'P001 25-0 found the end of the pipeline, expected "," or ")"'),
        (
            "eliminate-casts eliminate-casts",
            'P001 17-15 found "eliminate-casts", expected "," or the end of the pipeline',
        ),
        ("eliminate-casts,", "P001 17-0 found the end of the pipeline, expected the name of a pass"),
        (",", 'P001 1-1 found ",", expected the name of a pass'),
        ("eliminate-casts{x", 'P001 18-0 found the end of the pipeline, expected "=" and the value of "x"'),
        ("eliminate-casts{x=}", 'P001 19-1 found "}", expected the value of "x"'),
        ("eliminate-casts{a=1,}", 'P001 21-1 found "}", expected the name of an option'),
        ("eliminate-casts{,}", 'P001 17-1 found ",", expected the name of an option, or "}"'),
        ("eliminate-casts{a=1 b}", 'P001 22-1 found "}", expected "=" and the value of "b"'),
        (
            "fixpoint{rounds=3}",
            "P001 19-0 found the end of the pipeline, expected the steps to repeat, such as"
            ' "fixpoint(eliminate-casts)"',
        ),
        ("fixpoint{rounds=0}(eliminate-casts)", 'P005 17-1 option "rounds" takes a whole number from 1 on, not "0"'),
        ("fixpoint{rounds=x}(eliminate-casts)", 'P005 17-1 option "rounds" takes a whole number from 1 on, not "x"'),
        (
            "fixpoint{round=2}(eliminate-casts)",
            'P003 10-5 fixpoint: there is no option "round" | did you mean "rounds"?',
        ),
        (
            "eliminate-casts{allow-exces-precision=true}",
            'P003 17-21 eliminate-casts: there is no option "allow-exces-precision"'
            ' | did you mean "allow_excess_precision"?',
        ),
        (
            "eliminate-casts{allow-excess-precision=true allow_excess_precision=true}",
            'P004 45-22 option "allow_excess_precision" is given twice',
        ),
        (
            "eliminate-casts{allow_exces_precision=true}",
            'P003 17-21 eliminate-casts: there is no option "allow_exces_precision"'
            ' | did you mean "allow_excess_precision"?',
        ),
        (
            "eliminate-casts{q=true}",
            'P003 17-1 eliminate-casts: there is no option "q" | eliminate-casts has "allow_excess_precision"',
        ),
        (
            "eliminate-casts{allow_excess_precision=true, allow_excess_precision=true}",
            'P004 46-22 option "allow_excess_precision" is given twice',
        ),
        (
            "eliminate-casts{allow_excess_precision=tru}",
            'P005 40-3 option "allow_excess_precision" takes true or false, not "tru" | did you mean "true"?',
        ),
        (
            "eliminate-casts{allow_excess_precision=allow_excess_precision}",
            'P005 40-22 option "allow_excess_precision" takes true or false, not "allow_excess_precision"',
        ),
    ],
)
def test_mistakes(pipeline: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("passes.build.PASSES", {"eliminate-casts": (), "fuse-loads": ()})  # whatever else there is
    monkeypatch.setattr("passes.build.PIPELINES", {})
    with pytest.raises(DiagnosticsError) as error:
        build_pipeline(pipeline)
    (found,) = error.value.diagnostics
    assert found.place is not None and found.source_line == pipeline
    help = f" | {found.help}" if found.help else ""
    assert f"{found.code} {found.place.column}-{found.place.length} {found.message}{help}" == expected


def test_the_names_that_there_are_come_from_the_table() -> None:
    with pytest.raises(DiagnosticsError) as error:
        build_pipeline("0")
    assert re.findall(r'"(\S+)"', error.value.diagnostics[0].help) == [*PASSES, *PIPELINES]


def test_all_mistakes_in_names_are_said_at_once() -> None:
    with pytest.raises(DiagnosticsError) as error:
        build_pipeline("a1, fixpoint(b2, eliminate-casts{c=1, d=2}), e3", file="--passes")
    shown = str(error.value)
    assert re.findall(r"--passes:1:(\d+): error\[(P\d+)\]", shown) == [
        ("1", "P002"),
        ("14", "P002"),
        ("34", "P003"),
        ("39", "P003"),
        ("46", "P002"),
    ]


def test_every_pass_is_documented_and_its_counters_have_labels() -> None:
    assert list(PASSES) == sorted(PASSES)
    for cls in load_all():
        assert (cls.__doc__ or "").strip(), f"{cls.pass_name} has no help"
        assert all(
            option.help for option in describe_options(cls.Options)
        ), f"{cls.pass_name} has an option without help"
        statistics_of([cls])
