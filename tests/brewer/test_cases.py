"""Every case file: definitions in, diagnostics or rendered text out. `pytest --update` rewrites what is expected."""

from pathlib import Path

import pytest

from brewer.brewing import brew
from brewer.codes import CODES
from brewer.find_project import find_project
from brewer.load import load
from brewer.problems import Problems
from brewer.rendering import Renderer
from runtime.diagnostics import DiagnosticsError
from tests.brewer.case_files import Case, read_cases
from tests.brewer.miniature import build
from tests.case_files import codes_without_case, read_case_files

CASES = read_cases(Path(__file__).parent / "cases")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.file.path.stem)
def test_case(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, update: bool) -> None:
    case.file.check(run(case, tmp_path, monkeypatch), update)


def test_every_code_has_a_case() -> None:
    of_commands = read_case_files(Path(__file__).parent / "commands", "#")
    assert not codes_without_case(CODES, [*(case.file for case in CASES), *of_commands])


def test_there_are_at_least_as_many_cases_of_mistakes_as_of_good_definitions() -> None:
    good = [case for case in CASES if case.show]
    assert good and len(CASES) >= 2 * len(good)


def run(case: Case, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    build(folder, case.files, case.removed)
    monkeypatch.chdir(folder)
    try:
        project = find_project(folder, folder)
        if case.show:
            files = Renderer(project, load(project), Problems()).render_all()
            return next(file.text for file in files if file.path == case.show)
        brew(project, case.names)
    except DiagnosticsError as error:
        return f"{error}\n"
    return "no mistakes\n"
