"""Codes of programs are explained, and what is said of the examples is true. `pytest --update` rewrites that part."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

import passes.codes
import runtime.bir.problems
import runtime.run_codes
import runtime.text.codes
import runtime.verifier.codes
from brewer.command_line import main
from brewer.program_codes import (
    EXAMPLES,
    EXPECT,
    TABLES,
    ProgramExample,
    places_of_code,
    program_codes,
    program_example,
)
from passes.__main__ import main as run_passes
from passes.debugging.reproducer import arguments_in
from runtime.bir import read_bir
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.instruction_set import standard
from runtime.text.parser import parse_with_places
from runtime.verifier import verify
from tests.passes.tiny_passes import register
from tests.runtime.verifier.test_broken_programs import CODES_OF_BROKEN_PROGRAMS
from tests.tree import ROOT

IMPORTED: Mapping[str, Mapping[str, str]] = {
    "V": runtime.verifier.codes.CODES,
    "T": runtime.text.codes.CODES,
    "B": runtime.bir.problems.CODES,
    "P": passes.codes.CODES,
    "R": runtime.run_codes.CODES,
}
# No program shows these: a file that cannot be read, one that is nested a thousand deep, what a definition may ask of
# results, which none of ours does, and a library that is not installed.
WITHOUT_EXAMPLE = {"B001", "B004", "V057", "V058", "V059", "P010", "P012", "P068"}
WITH_EXAMPLE = sorted(path.stem for path in EXAMPLES.glob("*"))


def found_in(family: str, program: str) -> tuple[Diagnostic, ...]:
    """What the reader or verifier whose codes these are says of a program."""
    try:
        if family == "B":
            read_bir(program, standard(), name="program.bir")
            return ()
        parsed = parse_with_places(program, standard(), "program.txt")
    except DiagnosticsError as error:
        return error.diagnostics
    return tuple(verify(parsed.module, places=parsed.places))


def test_the_tables_are_read_as_python_reads_them() -> None:
    assert program_codes() == {code: said for table in IMPORTED.values() for code, said in table.items()}
    assert IMPORTED.keys() == TABLES.keys()
    assert all(code[0] == family for family, table in IMPORTED.items() for code in table)


@pytest.mark.parametrize("code", [code for code in WITH_EXAMPLE if code[0] != "P"])
def test_the_example_gives_that_code_alone(code: str, update: bool) -> None:
    example = program_example(code)
    assert example is not None
    found = found_in(code[0], example.program)
    assert {each.code for each in found} == {code}
    check_said(code, example, "\n\n".join(each.render() for each in found) + "\n", update)


@pytest.mark.parametrize("code", [code for code in WITH_EXAMPLE if code[0] == "P"])
def test_the_command_in_the_example_gives_that_code_alone(
    code: str, update: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    register(monkeypatch)  # some are about passes that are wrong
    monkeypatch.chdir(tmp_path)
    example = program_example(code)
    assert example is not None
    Path("program.txt").write_text(example.program, encoding="utf-8")
    words = ["program.txt", "--run-reproducer"] if code == "P018" else arguments_in("program.txt")
    assert run_passes(words) in (1, 2)
    out, said = capsys.readouterr()
    assert out == "" and set(re.findall(r"error\[(\w+)\]", said)) == {code}
    check_said(code, example, said, update)


def check_said(code: str, example: ProgramExample, said: str, update: bool) -> None:
    if update:
        (EXAMPLES / f"{code}.case").write_text(f"{example.program}{EXPECT}{said}", encoding="utf-8")
    else:
        assert said == example.said


def test_every_code_that_a_program_can_have_has_an_example() -> None:
    of_programs = {code for code in program_codes() if code[0] != "R"}
    assert of_programs - set(WITH_EXAMPLE) <= CODES_OF_BROKEN_PROGRAMS | WITHOUT_EXAMPLE
    assert set(WITH_EXAMPLE) <= of_programs


@pytest.mark.parametrize("code", sorted(program_codes()))
def test_the_places_report_that_code(code: str) -> None:
    places = places_of_code(code)
    assert places
    for place in places:
        file, _, line = place.partition(":")
        assert f'"{code}"' in (ROOT / file).read_text(encoding="utf-8").splitlines()[int(line) - 1]


def test_no_code_of_passes_is_missing_in_their_table() -> None:
    paths = [path for folder in ("passes", "runtime") for path in (ROOT / folder).rglob("*.py")]
    texts = [path.read_text(encoding="utf-8") for path in paths if path.name != "codes.py"]
    assert {code for text in texts for code in re.findall(r'"(P\d{3})"', text)} == set(IMPORTED["P"])


def test_the_command_explains_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "v031", "P002", "D010"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("V031: an operand of the wrong element type\n\nIt comes from the verifier")
    assert "reported in:\n  runtime/verifier/operands.py:" in said
    assert "wrong:\n      func @main(" in said and "it is said:\n  program.txt:2:41: error[V031]" in said
    assert "\n\n\nP002: no pass has this name\n" in said
    assert (
        "wrong:\n      // run: python -m passes %s --passes eliminate-cast\n      func @main(" in said
        and "\n\n\nD010: a key stands twice\n" in said
    )


@pytest.mark.parametrize(("code", "help"), [("V0310", '"V031"'), ("X999", "`explain` lists all codes")])
def test_unknown_codes_get_near_ones(code: str, help: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", code]) == 2
    said = capsys.readouterr().err
    assert f'error[D100]: no code is called "{code}"\nhelp: ' in said and help in said
