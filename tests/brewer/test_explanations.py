"""Every code is explained, and brewer says of the examples what is claimed. `pytest --update` rewrites that part."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from brewer.codes import CODES
from brewer.command_line import main
from brewer.explanations import FOLDER, Example, Explanation, read_explanation
from brewer.program_codes import program_codes
from tests.brewer.miniature import build

ONLY_WHEN_BREWED = {"D080", "D081", "D082", "D101"}  # every other mistake is found by loading, which is quicker


@pytest.mark.parametrize("code", sorted(CODES))
def test_the_wrong_example_gives_that_code(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], update: bool
) -> None:
    explanation = read_explanation(code)
    monkeypatch.chdir(tmp_path)
    files = {name: (text * explanation.repeat).encode(explanation.encoding) for name, text in explanation.bad.files}
    prepare(tmp_path, explanation, files, tuple(explanation.removed.split()))
    said = what_is_said(explanation.bad, code, tmp_path, capsys)
    assert set(re.findall(r"error\[(\w+)\]", said)) == {code}
    if update:
        rewrite(code, said)
    else:
        assert said == explanation.said


@pytest.mark.parametrize("code", sorted(CODES))
def test_the_right_example_gives_none(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    explanation = read_explanation(code)
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path, explanation, {name: text.encode() for name, text in explanation.good.files})
    assert what_is_said(explanation.good, code, tmp_path, capsys) == ""


def test_every_explanation_is_of_a_code_and_says_the_rule_in_a_few_sentences() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*")) == sorted(CODES)
    rules = {code: " ".join(read_explanation(code).rule.split()) for code in CODES}
    assert [code for code, rule in rules.items() if not re.fullmatch(r"[A-Z`].{20,400}\.", rule)] == []


def test_the_command_prints_an_explanation_or_all_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "d010"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("D010: a key stands twice\n\nYAML readers take the last one")
    assert all(
        part in said for part in ("\nwrong:\n  defs/graph/Negate.yaml\n      name:", "\nbrewer says:\n", "\nright:\n")
    )
    assert 'error[D010]: the key "operands" stands twice' in said
    assert main(["explain"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == sorted({**CODES, **program_codes()})


def test_what_cannot_be_seen_is_shown_as_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "D002", "D003", "D004"]) == 0
    said = capsys.readouterr().out
    assert all(text in said for text in ("\\ufeffname: Negate", "base: GraphInst\\r", "\\tsrc: {}"))


@pytest.mark.parametrize(("code", "help"), [("D01", 'did you mean "D001", "D010"'), ("nothing", "`explain` lists all")])
def test_unknown_codes_get_near_ones(code: str, help: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", code]) == 2
    assert f'error[D100]: no code is called "{code.upper()}"\nhelp: {help}' in capsys.readouterr().err


def prepare(folder: Path, explanation: Explanation, files: dict[str, bytes], removed: tuple[str, ...] = ()) -> None:
    """A project with the files, on top of what was brewed and committed where the code compares with that."""
    if not explanation.before.files:
        needs_templates = explanation.code in ONLY_WHEN_BREWED or bool(explanation.bad.run)
        build(folder, files, removed, templates=needs_templates)
        return
    build(folder, {name: text.encode() for name, text in explanation.before.files})
    assert main(["--root", str(folder)]) == 0
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "before"]):
        who = ["-c", "user.name=x", "-c", "user.email=x@example.com"]
        subprocess.run(["git", *who, *command], cwd=folder, check=True, capture_output=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def what_is_said(example: Example, code: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """All that a run says of mistakes, without the closing line."""
    command = example.run or ("--check" if code in ONLY_WHEN_BREWED else "list")
    main([*command.split(), "--root", str(folder)])
    said = capsys.readouterr().err.rpartition("\n\n")[0]
    said = re.sub(r"HEAD \(\w+\)", "HEAD (0123456789)", said)  # a commit
    return f"{said}\n" if said else ""


def rewrite(code: str, said: str) -> None:
    """Puts what is said into the file of the explanation."""
    path = FOLDER / f"{code}.yaml"
    whole = path.read_text(encoding="utf-8")
    before, after = re.split(r'^said: (?:\|\n(?:  .*\n|\n)*|".*"\n)', whole, flags=re.MULTILINE)
    lines = "".join(f"  {line}\n" if line else "\n" for line in said.removesuffix("\n").split("\n"))
    text = f"|\n{lines}" if said.replace("\n", "").isprintable() else f"{json.dumps(said)}\n"
    path.write_text(f"{before}said: {text}{after}", encoding="utf-8")


def test_json_says_what_the_text_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--json", "d010", "V031", "V010"]) == 0
    of_definitions, of_programs, without_example = json.loads(capsys.readouterr().out)
    assert main(["explain", "D010", "V031"]) == 0
    text = capsys.readouterr().out
    assert of_definitions["summary"] == CODES["D010"] and f"D010: {CODES['D010']}" in text
    assert all(line.strip() in text for line in of_definitions["said"].splitlines())
    assert all(line.strip() in text for file in of_definitions["wrong"]["files"].values() for line in file.splitlines())
    assert all(line.strip() in text for line in [*of_programs["wrong"].splitlines(), *of_programs["said"].splitlines()])
    assert (without_example["wrong"], without_example["said"]) == (None, None)
    assert main(["explain", "--json"]) == 0
    assert {each["code"] for each in json.loads(capsys.readouterr().out)} == {*CODES, *program_codes()}
