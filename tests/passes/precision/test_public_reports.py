"""Public reports of what converters get wrong, and their nearest twins; `public_reports/REPORTS.md` lists them all."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto
from onnx.reference import ReferenceEvaluator

import passes
import runtime
from frontends.onnx import load, to_proto
from frontends.onnx.evaluate import evaluator
from tests.case_files import CaseFile, read_case_files
from tests.passes.precision.report_case import ReportCase, listed

FOLDER = Path(__file__).parent / "public_reports"
CASES = read_case_files(FOLDER)
POLICIES = ("autocast-f16", "autocast-bf16")


@pytest.mark.parametrize("file", CASES, ids=lambda one: one.path.stem)
def test_case(file: CaseFile, update: bool) -> None:
    case = ReportCase.of(file)
    onnx.checker.check_model(case.model, full_check=True)
    low, brain = ("\n".join(listed(converted(case, policy), case.model)) for policy in POLICIES)
    is_same = low == brain.replace("bfloat16", "float16").replace("bf16", "f16")
    parts = [f"{POLICIES[0]}\n{low}", f"{POLICIES[1]}\n{'  the same' if is_same else brain}"]
    file.check("\n".join(parts) + "\n", update)


def converted(case: ReportCase, policy: str) -> ModelProto:
    """Return a converted model, which is valid, has the same ends and gives the same values as its source."""
    module, _ = passes.convert(load(case.model), policy, keep=case.keep)
    result = to_proto(module)
    onnx.checker.check_model(result, full_check=True)
    for end in ("input", "output"):
        assert list(getattr(result.graph, end)) == list(getattr(case.model.graph, end))
    again, _ = passes.convert(load(result), policy, keep=case.keep)
    assert to_proto(again).SerializeToString() == result.SerializeToString()
    if case.feeds or not case.model.graph.input:
        within = case.within * (4 if policy == "autocast-bf16" and case.within > 1e-3 else 1)
        compare(case, result, within)
    return result


def compare(case: ReportCase, result: ModelProto, within: float) -> None:
    """Hold the values of a result against those of the source, on onnxruntime and with one rounding for each result."""
    exact = with_one_rounding(case.model, case.feeds)
    want = on_onnxruntime(case.model, case.feeds)
    want = exact if want is None else want
    got = on_onnxruntime(result, case.feeds)
    if got is not None:
        assert largest_error(want, got) <= within, "onnxruntime"
    if got is None or largest_error(want, exact) < 1e-4:
        assert largest_error(want, with_one_rounding(result, case.feeds)) <= within, "one rounding for each result"


def on_onnxruntime(model: ModelProto, feeds: Any) -> Any:
    """Return what onnxruntime gives, None where it has no kernel."""
    import onnxruntime  # type: ignore[import-untyped]

    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    except Exception as error:
        assert re.search(r"not.implemented", str(error), re.IGNORECASE), error
        return None
    return session.run(None, dict(feeds))


def with_one_rounding(model: ModelProto, feeds: Any) -> Any:
    """Return what onnx's own evaluator gives, or the interpreter where that cannot."""
    try:
        return ReferenceEvaluator(model).run(None, dict(feeds))
    except (NotImplementedError, TypeError, ValueError, RuntimeError, KeyError, AttributeError):
        module = load(model)
        return [*runtime.run(module, dict(feeds), evaluator=evaluator(module)).values()]


def largest_error(want: Any, got: Any) -> float:
    """Return the largest error, of the largest result or 1; infinite where a shape or what is finite differs."""
    if isinstance(want, (list, tuple)):
        return max((largest_error(*pair) for pair in zip(want, got, strict=True)), default=0.0)
    if want is None:
        return 0.0 if got is None else float("inf")
    if np.asarray(want).dtype.kind in "OUS":
        return 0.0 if np.array_equal(want, got) else float("inf")
    x, y = np.asarray(want, np.float64), np.asarray(got, np.float64)
    finite = np.isfinite(x)
    if x.shape != y.shape or np.asarray(want).dtype != np.asarray(got).dtype or (finite != np.isfinite(y)).any():
        return float("inf")
    if not finite.any():
        return 0.0
    return float(abs(x[finite] - y[finite]).max() / max(1.0, abs(x[finite]).max()))


def test_the_table_shows_every_report_with_its_cases() -> None:
    cells = [line.split(" | ") for line in (FOLDER / "REPORTS.md").read_text().splitlines() if line.startswith("| ")]
    table = {first.removeprefix("| "): re.findall(r"`([\w.]+)`", last) for first, *_, last in cells[1:]}
    shown = {(report, name) for report, names in table.items() for name in names if not name.endswith(".py")}
    said = {(report, file.path.stem) for file in CASES for report in ReportCase.of(file).reports}
    assert shown == said and {report for report, _ in said} == table.keys()
    beside = {name for names in table.values() for name in names if name.endswith(".py")}
    assert all((FOLDER.parent / name).is_file() for name in beside)
