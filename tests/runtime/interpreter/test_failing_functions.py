"""A wrong function that computes an instruction is named with its file and line; one that refuses is not."""

import types
from collections.abc import Callable
from pathlib import Path

import pytest

import runtime.semantics.reductions as family
from runtime.command_line import main

PROGRAM = "func @main() {\n  %c: f32[2] = graph.constant {value = dense<[1.0, 2.0]>}\n"
PROGRAM += "  %s: f32[2] = graph.softmax %c axis 0\n  return %s\n}\n"
Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the program with this body of the function, and gives what is said on standard error."""
    monkeypatch.chdir(tmp_path)
    Path("p.txt").write_text(PROGRAM)

    def run(body: str, *options: str) -> str:
        module = types.ModuleType("mine")
        source = f"import numpy\n\n\ndef softmax(inst, operands):\n    {body}\n"
        exec(compile(source, "mine.py", "exec"), vars(module))
        monkeypatch.setattr(family, "softmax", module.softmax)
        assert main(["p.txt", "--run", *options]) == 2
        return capsys.readouterr().err

    return run


@pytest.mark.parametrize(
    ("body", "column", "raised"),
    [
        ("return operands[0] + None.dtype", 26, "AttributeError"),
        ("return operands[1]", 12, "IndexError"),
        ("return operand", 12, "NameError"),
        ("return numpy.reshape(operands[0], (3, 3))", 12, "ValueError"),
        ('return operands[0] + "text"', 12, ""),
    ],
)
def test_where_a_function_is_wrong(body: str, column: int, raised: str, run: Run) -> None:
    said = run(body)
    assert said.startswith("p.txt:3:3: error[R003]: cannot be computed: ")
    assert f"note: mine.py:5:{column}: in softmax, which raised {raised}" in said
    assert "help: --traceback shows everything that was under way" in said and "Traceback" not in said


def test_a_refusal_is_about_the_program(run: Run) -> None:
    said = run('raise ValueError("no such axis")')
    assert "error[R003]: cannot be computed: no such axis" in said and "mine.py" not in said and "help" not in said


def test_all_that_was_under_way(run: Run) -> None:
    said = run("return operands[1]", "--traceback")
    assert said.startswith("Traceback (most recent call last):") and 'File "mine.py", line 5, in softmax' in said
    assert "p.txt:3:3: error[R003]" in said
