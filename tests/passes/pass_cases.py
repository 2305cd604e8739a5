"""Data-driven cases of passes: one pass a case, whichever.

// A sentence of intent.
// passes: eliminate-casts
<the program, in canonical form>
// expect
// <counter>: <how much it grew>
// not rounded: <the producers whose rounding is removed>
// newly rounded: <the producers whose rounding is added>
// kept: <what it defines or writes>: <why the pass leaves it as it is>
<the program afterwards, or `// unchanged`>

Lines of which a pass has nothing to say are left out. `pytest --update` writes all that is below `// expect`.
A case is called `eliminate-casts/name_of_its_file` after its first pass: `pytest --update -k eliminate-casts/`.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from runtime.blocks import Statement
from runtime.functions import Module
from runtime.instructions import Instruction
from runtime.names import Names
from runtime.text.printer import print_module, print_statement
from tests.passes.laws import Outcome

EXPECT = "// expect\n"
PASSES = "// passes: "


@dataclass(frozen=True)
class Case:
    """One case file."""

    path: Path
    pipeline: str
    program: str
    expected: str
    malformed: str = ""  # what is wrong with the file itself, with its line; such a case fails, and no other

    @property
    def pass_name(self) -> str:
        """The pass that runs, without its options."""
        return self.pipeline.partition("{")[0].strip()

    def check(self, output: str, update: bool) -> None:
        """Compare the output with what is expected, or make it that."""
        if update:
            head, _, _ = self.path.read_text(encoding="utf-8").partition(EXPECT)
            self.path.write_text(head + EXPECT + output, encoding="utf-8")
        else:
            assert output == self.expected


def read_cases(folder: Path) -> list[Case]:
    """Return the cases of a folder and of the folders in it, by name."""
    return [read_case(path) for path in sorted(folder.rglob("*.case"))]


def shown(outcome: Outcome) -> str:
    """Return what a case expects of this outcome."""
    lines = [f"// {label}: {count}" for label, count in outcome.counted.items() if count]
    lines += _roundings("not rounded", outcome.skipped, outcome.before)
    lines += _roundings("newly rounded", outcome.added, outcome.after)
    for function in outcome.after.functions.values():
        names = Names(function)
        for statement, reason in outcome.transform.why_kept(function):
            lines.append(f"// kept: {_left_side(statement, names)}: {reason}")
    program = print_module(outcome.after) if outcome.changed else "// unchanged\n"
    return "".join(line + "\n" for line in lines) + program


def _roundings(what: str, insts: tuple[Instruction, ...], module: Module) -> list[str]:
    names = {function: Names(function) for function in module.functions.values()}
    sides = [_left_side(inst, names[function]) for inst in insts if (function := inst.parent_function) is not None]
    return [f"// {what}: {', '.join(sides)}"] if sides else []


def _left_side(statement: Statement, names: Names) -> str:
    """Return what a statement defines or writes, or all of it where that is nothing."""
    if isinstance(statement, Instruction) and statement.dst is not None:
        return statement.dst.use_str(names)
    return ", ".join(result.use_str(names) for result in statement.results) or print_statement(statement, names).strip()


def read_case(path: Path) -> Case:
    """Return the case of a file."""
    text = path.read_text(encoding="utf-8")
    head, found, expected = text.partition(EXPECT)
    intent, passes, program = (*head.split("\n", 2), "", "")[:3]
    if not re.fullmatch(r"// [A-Z`].*\.", intent):
        wrong = f"{path}:1: a case starts with a sentence of intent, `// This stays.`"
    elif not passes.startswith(PASSES):
        wrong = f"{path}:2: the second line of a case says which passes run, `{PASSES}eliminate-casts`"
    elif not found:
        wrong = (
            f"{path}:{text.count(chr(10)) + 1}: the case has no line `{EXPECT.strip()}`, behind which its output stands"
        )
    else:
        wrong = ""
    return Case(path, passes.removeprefix(PASSES), program, expected, wrong)
