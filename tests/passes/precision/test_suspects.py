"""Guards look closely at suspects only: looking at every node must come to the same decisions."""

from __future__ import annotations

import pytest

import passes
import passes.precision.guards
from frontends.onnx import load, to_proto
from tests.case_files import CaseFile
from tests.passes.precision.report_case import ReportCase
from tests.passes.precision.test_public_reports import CASES, POLICIES


@pytest.mark.parametrize("policy", POLICIES)
def test_no_reason_is_missed(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [decisions(file, policy) for file in CASES]
    monkeypatch.setattr(passes.precision.guards, "suspects", lambda survey, *_: survey.nodes.values())
    assert len(found) > 100
    for file, before in zip(CASES, found, strict=True):
        assert decisions(file, policy) == before, file.path.stem


def decisions(file: CaseFile, policy: str) -> tuple[str, bytes]:
    """Return the report and the model of a conversion."""
    case = ReportCase.of(file)
    module, report = passes.convert(load(case.model), policy, keep=case.keep)
    return str(report), to_proto(module).SerializeToString()
