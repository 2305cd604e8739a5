"""The codes of programs, beside those of definitions: what the verifier, the readers of programs and passes report.

Their tables and the code that reports them are read as source text; nothing of it is imported. The examples stand in
brewer/program_examples/, one file a code; a test runs them. What the passes say depends on a command too, which is the
first line of their examples: such a file is run by `python -m passes FILE --run-reproducer`.

Deliberately absent: an example where no program gives the mistake (a verifier's code for what only Python can break,
files that cannot be read, or inputs beside the program).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from brewer.frozen import frozen
from brewer.project import Project
from brewer.python_sources import text_of

EXAMPLES = Path(__file__).parent / "program_examples"
EXPECT = "// expect\n"
TABLES: Mapping[str, str] = {
    "V": "runtime/verifier/codes.py",
    "T": "runtime/text/codes.py",
    "B": "runtime/bir/problems.py",
    "P": "passes/codes.py",
    "R": "runtime/run_codes.py",
}
"""Where the codes with a letter are listed. They are reported by the modules in the same folder and below it."""
_ALSO: Mapping[str, str] = {"P": "runtime"}
"""Other folders whose modules report them: files of programs are read and written for both command lines."""
_WHO = {
    "V": "the verifier, `runtime.verify`",
    "T": "the reader of programs, `runtime.parse`",
    "B": "the reader of BIR, `runtime.read_bir`",
    "P": "`python -m passes`, and from `python -m runtime` for files of programs",
    "R": "`python -m runtime`",
}
_SHOWN = 4  # places of a code


@frozen
class ProgramExample:
    program: str
    said: str


def program_codes() -> dict[str, str]:
    """Every such code with what it says."""
    return {code: said for table in TABLES.values() for code, said in _table(table).items()}


def program_example(code: str) -> ProgramExample | None:
    """A wrong program, with what is said of it."""
    file = EXAMPLES / f"{code}.case"
    if not file.is_file():
        return None
    program, _, said = file.read_text(encoding="utf-8").partition(EXPECT)
    return ProgramExample(program, said)


def places_of_code(code: str) -> tuple[str, ...]:
    """Where a code is reported, `runtime/verifier/operands.py:45`; a helper may report it for others."""
    root = Project.of_this_tool().root
    table = root / TABLES[code[0]]
    found = []
    also = [root / _ALSO[code[0]]] if code[0] in _ALSO else []
    for file in [one for folder in (table.parent, *also) for one in sorted(folder.rglob("*.py"))]:
        if file != table or code[0] == "B":
            found += [f"{file.relative_to(root).as_posix()}:{line}" for line in _lines_with(file, code)]
    return tuple(found)


def explain_program_code(code: str) -> list[str]:
    """The explanation for a terminal."""
    lines = [f"{code}: {program_codes()[code]}", "", f"It comes from {_WHO[code[0]]}."]
    if places := places_of_code(code):
        more = [f"  and {len(places) - _SHOWN} more places"] * (len(places) > _SHOWN)
        lines += ["", "reported in:", *(f"  {place}" for place in places[:_SHOWN]), *more]
    example = program_example(code)
    if example is None:
        return lines
    lines += ["", "wrong:", *(f"      {line}".rstrip() for line in example.program.splitlines())]
    return [*lines, "", "it is said:", *(f"  {line}".rstrip() for line in example.said.splitlines())]


def program_code_json(code: str) -> dict[str, Any]:
    """What the explanation says, for other programs."""
    example = program_example(code)
    return {
        "code": code,
        "summary": program_codes()[code],
        "reported_by": _WHO[code[0]],
        "places": list(places_of_code(code)),
        "wrong": example.program if example else None,
        "said": example.said if example else None,
    }


@cache
def _table(path: str) -> Mapping[str, str]:
    """The mapping `CODES` of a module."""
    tree = ast.parse(text_of(Project.of_this_tool().root / path))
    for node in tree.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id="CODES"), value=ast.Dict() as table):
                found: Mapping[str, str] = ast.literal_eval(table)
                return found
    return {}


def _lines_with(file: Path, code: str) -> list[int]:
    """The lines of code that name it, but for the line of a table."""
    text = text_of(file)
    return [text.count("\n", 0, at.start()) + 1 for at in re.finditer(rf'"{code}"(?!: )', text)]
