"""Every case file: BIR in, diagnostics out. `pytest --update` rewrites what is expected."""

from pathlib import Path

import pytest

from runtime.bir import read_bir
from runtime.bir.problems import CODES
from runtime.diagnostics import DiagnosticsError
from runtime.instruction_set import standard
from tests.case_files import CaseFile, codes_without_case, read_case_files

CASES = read_case_files(Path(__file__).parent / "cases")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path.stem)
def test_case(case: CaseFile, update: bool) -> None:
    try:
        read_bir(case.input, standard(), name=case.path.name)
        output = "no mistakes\n"
    except DiagnosticsError as error:
        output = f"{error}\n"
    case.check(output, update)


def test_every_code_has_a_case() -> None:
    assert codes_without_case(CODES, CASES) == ["B001"]  # a file that cannot be read is no text of a case


@pytest.mark.parametrize(("content", "expected"), [(b"{\xff}", "byte 1 is 0xff"), (None, "No such file")])
def test_a_file_that_is_no_text(tmp_path: Path, content: bytes | None, expected: str) -> None:
    path = tmp_path / "program.bir"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DiagnosticsError, match=rf"(?s)error\[B001\].*{expected}"):
        read_bir(path, standard())
