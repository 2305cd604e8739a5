"""Data-driven cases of passes.

// A sentence of intent.
// passes: eliminate-casts
<the program, in canonical form>
// expect
// <counter>: <how much it grew>
// not rounded: <the producers whose rounding is removed>
// kept: <a cast>: <why>
<the program afterwards, or `// unchanged`>
"""

import re
from dataclasses import dataclass
from pathlib import Path

from runtime.instructions import Instruction
from runtime.names import Names
from runtime.text.printer import print_module
from runtime.wrappers.TensorCopyOp import TensorCopyOp
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

    def check(self, output: str, update: bool) -> None:
        """Compare the output with what is expected, or make it that."""
        if update:
            head, _, _ = self.path.read_text(encoding="utf-8").partition(EXPECT)
            self.path.write_text(head + EXPECT + output, encoding="utf-8")
        else:
            assert output == self.expected


def read_cases(folder: Path) -> list[Case]:
    """Return the cases of a folder, by name."""
    return [_read_case(path) for path in sorted(folder.glob("*.case"))]


def shown(outcome: Outcome) -> str:
    """Return what a case expects of this outcome."""
    lines = [f"// {label}: {count}" for label, count in outcome.counted.items() if count]
    if outcome.skipped:
        names = Names(outcome.before.root_function)
        lines.append(f"// not rounded: {', '.join(_left_side(inst, names) for inst in outcome.skipped)}")
    names = Names(outcome.after.root_function)
    for inst in outcome.after.insts:
        if isinstance(inst, TensorCopyOp) and not inst.dst and inst.type.dtype is not inst.src.type.dtype:
            lines.append(f"// kept: {names.of(inst)}: {outcome.transform.why_not_eliminate(inst)}")
    program = print_module(outcome.after) if outcome.changed else "// unchanged\n"
    return "".join(line + "\n" for line in lines) + program


def _left_side(inst: Instruction, names: Names) -> str:
    return f"%{names.of(inst)}" if inst.dst is None else inst.dst.use_str(names)


def _read_case(path: Path) -> Case:
    head, found, expected = path.read_text(encoding="utf-8").partition(EXPECT)
    intent, passes, program = head.split("\n", 2)
    assert found, f"{path.name} has no line `// expect`"
    assert re.fullmatch(r"// [A-Z`].*\.", intent), f"{path.name} must start with a sentence of intent"
    assert passes.startswith(PASSES), f"the second line of {path.name} says which passes run"
    return Case(path, passes.removeprefix(PASSES), program, expected)
