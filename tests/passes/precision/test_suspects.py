"""Guards look closely at suspects only: looking at every node must come to the same decisions."""

from __future__ import annotations

import pytest

import passes
import passes.precision.guards
from frontends.onnx import load, to_proto
from tests.case_files import CaseFile
from tests.passes.precision import (
    test_cancellations,
    test_moved_constants,
    test_scale_ranges,
    test_sums_and_differences,
)
from tests.passes.precision.lossy_models import Lossy
from tests.passes.precision.models import read
from tests.passes.precision.report_case import ReportCase
from tests.passes.precision.test_public_reports import CASES, POLICIES

LOSSY = [*test_cancellations.FIRES.values(), *test_cancellations.TWINS.values(), *test_moved_constants.FACTORS.values()]
LOSSY += test_scale_ranges.FIRES.values()


@pytest.mark.parametrize("policy", POLICIES)
def test_no_reason_is_missed(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [decisions(file, policy) for file in CASES]
    monkeypatch.setattr(passes.precision.guards, "suspects", lambda survey, *_: survey.nodes.values())
    assert len(found) > 100
    for file, before in zip(CASES, found, strict=True):
        assert decisions(file, policy) == before, file.path.stem


@pytest.mark.parametrize("policy", POLICIES)
def test_none_is_missed_of_what_cancels(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [decided(case, policy) for case in LOSSY]
    monkeypatch.setattr(passes.precision.guards, "suspects", lambda survey, *_: survey.nodes.values())
    assert len(found) > 70 and [decided(case, policy) for case in LOSSY] == found


@pytest.mark.parametrize("policy", POLICIES)
def test_none_is_missed_of_sums_and_differences(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [read(one.text, one.opset, **one.weights) for one in test_sums_and_differences.PROBES.values()]
    found = [str(passes.convert(load(source), policy)[1]) for source in sources]
    monkeypatch.setattr(passes.precision.guards, "suspects", lambda survey, *_: survey.nodes.values())
    assert len(found) > 20 and [str(passes.convert(load(source), policy)[1]) for source in sources] == found


def decided(case: Lossy, policy: str) -> str:
    """Return the report of a conversion."""
    return str(passes.convert(load(case.model), policy, opset=case.opset)[1])


def decisions(file: CaseFile, policy: str) -> tuple[str, bytes]:
    """Return the report and the model of a conversion."""
    case = ReportCase.of(file)
    module, report = passes.convert(load(case.model), policy, keep=case.keep)
    return str(report), to_proto(module).SerializeToString()
