"""Each case: what a pass makes of a program, and all laws."""

from pathlib import Path

import pytest

from tests.passes.laws import run_under_laws
from tests.passes.pass_cases import Case, read_case, read_cases, shown

CASES = read_cases(Path(__file__).parent / "cases")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.pass_name or case.path.parent.name}/{case.path.stem}")
def test_case(case: Case, update: bool) -> None:
    if case.malformed:
        pytest.fail(case.malformed, pytrace=False)
    case.check(shown(run_under_laws(case.program, case.pipeline)), update)


@pytest.mark.parametrize("name", sorted({case.pass_name for case in CASES if not case.malformed}))
def test_every_case_that_fires_has_a_twin_that_must_not(name: str) -> None:
    cases = [read_case(case.path) for case in CASES if case.pass_name == name and not case.malformed]  # as updated
    fires = [case for case in cases if not case.expected.endswith("// unchanged\n")]
    assert 0 < len(fires) <= len(cases) - len(fires), "at least as many cases must not fire"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (
            "// It stays.\n// passes: eliminate-casts\nfunc @main() {\n  return\n}\n",
            "6: the case has no line `// expect`",
        ),
        ("func @main() {\n  return\n}\n// expect\n", "1: a case starts with a sentence of intent"),
        (
            "// It stays.\nfunc @main() {\n  return\n}\n// expect\n",
            "2: the second line of a case says which passes run",
        ),
        ("", "1: a case starts with a sentence of intent"),
    ],
)
def test_a_malformed_case_is_read_and_fails_alone(tmp_path: Path, text: str, wrong: str) -> None:
    (tmp_path / "one.case").write_text(text)
    (tmp_path / "two.case").write_text(
        "// It stays.\n// passes: eliminate-casts\nfunc @main() {\n  return\n}\n// expect\n"
    )
    first, second = read_cases(tmp_path)
    assert first.malformed.startswith(f"{tmp_path / 'one.case'}:{wrong}") and not second.malformed
