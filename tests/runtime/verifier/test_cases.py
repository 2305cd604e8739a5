"""Every case file: IR text in, what the verifier says out. `pytest --update` rewrites what is expected."""

from pathlib import Path

import pytest

from runtime.instruction_set import standard
from runtime.text.parser import parse_with_places
from runtime.verifier import verify
from runtime.verifier.codes import CODES
from tests.case_files import CaseFile, codes_without_case, read_case_files
from tests.runtime.verifier.test_broken_programs import CODES_OF_BROKEN_PROGRAMS

CASES = read_case_files(Path(__file__).parent / "cases")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path.stem)
def test_case(case: CaseFile, update: bool) -> None:
    parsed = parse_with_places(case.input, standard(), case.path.name)
    found = verify(parsed.module, places=parsed.places)
    case.check("\n\n".join(map(str, found)) + "\n" if found else "no mistakes\n", update)


def test_every_code_has_a_case() -> None:
    assert set(codes_without_case(CODES, CASES)) <= CODES_OF_BROKEN_PROGRAMS
