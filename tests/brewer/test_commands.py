"""Sub-commands on the miniature, one case a file: what is printed, and the exit code.

# A sentence of intent.
## before: defs/neuron/X.yaml      a file as it was committed; without any, there is no repository
## file: defs/neuron/X.yaml        a file as it is now
## brew                            brings generated/ up to date first
## edit: generated/x.py            a file that somebody changes after that
## run: show X                     the arguments
# expect
...
"""

import re
from pathlib import Path
from typing import Any

import jinja2
import pytest

from brewer.command_line import main
from tests.brewer.miniature import build
from tests.brewer.repositories import any_repository, write
from tests.case_files import CaseFile, read_case_files

CASES = read_case_files(Path(__file__).parent / "commands", "#")
COMPILED: dict[object, Any] = {}


@pytest.fixture(autouse=True)
def templates_are_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every case has a project of its own with the same templates, and compiling them takes most of its time."""
    compiled = jinja2.Environment.compile

    def compile_once(self: jinja2.Environment, source: str, name: str | None = None, *rest: Any) -> Any:
        key = (source, name, *self.extensions)
        if key not in COMPILED:
            COMPILED[key] = compiled(self, source, name, *rest)
        return COMPILED[key]

    monkeypatch.setattr(jinja2.Environment, "compile", compile_once)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path.stem)
def test_case(
    case: CaseFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], update: bool
) -> None:
    before: dict[str, str] = {}
    now: dict[str, str] = {}
    edited: dict[str, str] = {}
    arguments: list[str] = []
    brews = False
    for section in case.input.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        kind, _, value = title.partition(": ")
        brews |= kind == "brew"
        if kind == "run":
            arguments = value.split()
        elif kind in ("before", "file", "edit"):
            {"before": before, "file": now, "edit": edited}[kind][value] = body.rstrip("\n") + "\n"
    root = tmp_path / "project"
    root.mkdir()
    build(root, {name: text.encode() for name, text in before.items()})
    if before:
        any_repository(root, monkeypatch).commit()
    write(root, now)
    monkeypatch.chdir(root)
    if brews:
        assert main(["--root", "."]) == 0
        capsys.readouterr()
    write(root, edited)
    code = main([*arguments, "--root", "."])
    printed = capsys.readouterr()
    said = re.sub(r"\([0-9a-f]{9}\)", "(commit)", printed.out + printed.err)
    case.check(f"{said}exit {code}\n", update)
