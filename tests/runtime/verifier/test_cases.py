"""Every case file: IR text in, what the verifier says out. `pytest --update` rewrites what is expected."""

from pathlib import Path

import pytest

from runtime.instruction_set import standard
from runtime.text.parser import parse_with_places
from runtime.verifier import verify
from runtime.verifier.codes import CODES
from tests.case_files import CaseFile, codes_without_case, read_case_files
from tests.runtime.verifier.test_broken_programs import CODES_OF_BROKEN_PROGRAMS

# Of what no definition here says: tests/brewer/test_several_results.py has its own.
CODES_OF_OTHER_DEFINITIONS = {"V057", "V058", "V059"}
CASES = read_case_files(Path(__file__).parent / "cases")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path.stem)
def test_case(case: CaseFile, update: bool) -> None:
    parsed = parse_with_places(case.input, standard(), case.path.name)
    found = verify(parsed.module, places=parsed.places)
    case.check("\n\n".join(map(str, found)) + "\n" if found else "no mistakes\n", update)


def test_every_code_has_a_case() -> None:
    missing = set(codes_without_case(CODES, CASES))
    assert missing <= CODES_OF_BROKEN_PROGRAMS | CODES_OF_OTHER_DEFINITIONS
