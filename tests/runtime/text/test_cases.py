"""Every case file: a text in, its canonical text or its diagnostics out. `pytest --update` rewrites what is expected.

// One sentence of intent.
target trn2 ...
// expect
canonical text, or diagnostics, or `the same`: the text above is canonical
"""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.diagnostics import DiagnosticsError
from runtime.equality import why_different
from runtime.instruction_set import standard
from runtime.text.codes import CODES
from runtime.text.parser import parse
from runtime.text.printer import print_module
from tests.case_files import CaseFile, codes_without_case, read_case_files
from tests.runtime.text.kinds import CLASSES as KINDS

CLASSES = {**standard(), **KINDS}
THE_SAME = "the same\n"
CASES = read_case_files(Path(__file__).parent / "cases")
GOOD = [case for case in CASES if "error[" not in case.expected]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path.stem)
def test_case(case: CaseFile, update: bool) -> None:
    output = run(case)
    case.check(THE_SAME if output == program_of(case) else output, update)


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case.path.stem)
def test_laws(case: CaseFile) -> None:
    module = parse(case.text, CLASSES)
    text = print_module(module)
    again = parse(text, CLASSES)
    assert print_module(again) == text
    assert why_different(module, again, names=case.expected == THE_SAME) is None
    assert why_different(module, module.clone()) is None


def test_every_code_has_a_case() -> None:
    assert not codes_without_case(CODES, CASES)


def test_there_are_at_least_as_many_cases_of_mistakes_as_of_good_texts() -> None:
    assert len(CASES) >= 2 * len(GOOD) > 0


def program_of(case: CaseFile) -> str:
    """Return the text of a case without the sentence of intent."""
    return case.input.removeprefix("\n")


def run(case: CaseFile) -> str:
    try:
        return print_module(parse(case.text, CLASSES, case.path.name))
    except DiagnosticsError as error:
        return f"{error}\n"
