"""Each case: what a pass makes of a program, and all laws."""

from pathlib import Path

import pytest

from tests.passes.laws import run_under_laws
from tests.passes.pass_cases import Case, read_cases, shown

CASES = read_cases(Path(__file__).parent / "cases")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path.stem)
def test_case(case: Case, update: bool) -> None:
    case.check(shown(run_under_laws(case.program, case.pipeline)), update)


@pytest.mark.parametrize("name", sorted({case.pass_name for case in CASES}))
def test_every_case_that_fires_has_a_twin_that_must_not(name: str) -> None:
    cases = [case for case in CASES if case.pass_name == name]
    fires = [case for case in cases if not case.expected.endswith("// unchanged\n")]
    assert 0 < len(fires) <= len(cases) - len(fires), "at least as many cases must not fire"
