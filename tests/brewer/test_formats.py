"""Mistakes in the forms that programs and GitHub workflows read."""

import json
import re
import urllib.parse
from pathlib import Path

import pytest

from brewer.command_line import main
from brewer.diagnostic_formats import formatted
from runtime.diagnostics import Diagnostic, Note, Place
from tests.brewer.miniature import build

MISTAKEN = b'name: X\nbase: NeuronInst\nsummary: One.\nrhs_str: "x"\nresults: {}\nopernads: {}\nrange_safe: 5\n'
FOUND = (
    Diagnostic(
        "D010", 'the key "a" stands twice', Place("defs/x.yaml", 3, 2, 4), "", "remove one", (Note("the other"),)
    ),
    Diagnostic("D083", "50% : of, it\r\nis gone"),
    Diagnostic(
        "D024", "x", Place("a,b:c%.yaml", 1, 1), notes=(Note("here", Place("y.yaml", 2, 3)),), severity="warning"
    ),
)


@pytest.mark.parametrize("command", [[], ["--check"], ["--diff"], ["list"], ["X"]])
def test_every_run_reports_in_the_form_that_was_asked_for(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = str(build(tmp_path, {"defs/neuron/X.yaml": MISTAKEN}).root)
    monkeypatch.chdir(tmp_path)
    assert main([*command, "--root", root, "--format", "json"]) == 2
    first, second = json.loads(capsys.readouterr().err)["diagnostics"]
    assert first == {
        "code": "D011",
        "severity": "error",
        "message": 'a definition has no key "opernads"',
        "file": "defs/neuron/X.yaml",
        "line": 6,
        "column": 1,
        "length": 8,
        "help": 'did you mean "operands"?',
        "notes": [],
    }
    assert (second["code"], second["line"], second["column"], second["length"]) == ("D014", 7, 13, 1)
    assert main([*command, "--root", root, "--format", "github"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "::error file=defs/neuron/X.yaml,line=6,col=1,endColumn=9,title=D011::"
        'a definition has no key "opernads"%0Ahelp: did you mean "operands"?',
        '::error file=defs/neuron/X.yaml,line=7,col=13,title=D014::"range_safe" is true, false or a mapping from '
        "an enum attribute to values, not the number 5%0Ahelp: range_safe: {attribute: [values]}",
    ]
    assert main([*command, "--root", root]) == 2
    outcome = "" if {"--check", "--diff", "list"} & set(command) else "; nothing was written"
    assert capsys.readouterr().err.endswith(
        f"\n\n2 mistakes{outcome}; `python -m brewer explain D011 D014` says more\n"
    )


def test_json_says_all_that_a_diagnostic_holds() -> None:
    first, second, third = json.loads(formatted(FOUND, "json"))["diagnostics"]
    assert first["notes"] == [{"message": "the other", "file": None, "line": None, "column": None, "length": None}]
    assert (second["file"], second["line"], second["message"]) == (None, None, "50% : of, it\r\nis gone")
    assert third["severity"] == "warning" and third["notes"][0]["line"] == 2


def test_workflow_commands_are_read_back_as_the_runner_reads_them() -> None:
    """One line each; the runner splits at `::` and `,`, and undoes the percent signs afterwards."""
    lines = formatted(FOUND, "github").splitlines()
    read = [re.fullmatch(r"::(error|warning) (.*?)::(.*)", line) for line in lines]
    assert [match and match[1] for match in read] == ["error", "error", "warning"]
    texts = [urllib.parse.unquote(match[3]) for match in read if match]
    assert texts == [
        'the key "a" stands twice\nhelp: remove one\nnote: the other',
        "50% : of, it\r\nis gone",
        "x\nnote: y.yaml:2:3: here",
    ]
    properties = dict(pair.split("=") for pair in (read[2][2] if read[2] else "").split(","))
    assert urllib.parse.unquote(properties["file"]) == "a,b:c%.yaml"


def test_what_the_operating_system_refuses_is_a_diagnostic_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = build(tmp_path, {"generated": b"a file"}).root
    assert main(["--root", str(root), "--format", "json"]) == 2
    (found,) = json.loads(capsys.readouterr().err)["diagnostics"]
    assert found["code"] == "D101" and found["message"].startswith("cannot use ")


def test_unknown_forms_are_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit:
        main(["--format", "xml"])
    assert exit.value.code == 2 and "'json'" in capsys.readouterr().err
