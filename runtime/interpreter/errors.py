"""What may go wrong when a program runs. Each message says what was found, what was expected, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.instructions import Instruction
from runtime.names import Names

if TYPE_CHECKING:
    from runtime.tracing.trace import Trace


class InterpreterError(Exception):
    """The program, or what it was given, cannot be run as it stands."""

    def __init__(self, message: str, inst: Instruction | None = None) -> None:
        self.message = message
        self.inst = inst  # the instruction at fault, where there is one
        self.trace: Trace | None = None  # what was seen until then, where somebody was looking
        super().__init__(message if inst is None else f"{message}\n  in {shown(inst)}")

    def at(self, inst: Instruction) -> InterpreterError:
        """Return this error with the instruction at fault, unless it names one already."""
        return self if self.inst is not None else type(self)(self.message, inst)


class InputError(InterpreterError):
    """An input is missing, is not one, or has another shape or dtype than the program says."""


class MissingSemanticsError(InterpreterError):
    """Nobody says what an instruction computes."""


class MemoryAccessError(InterpreterError):
    """An access leaves its tensor, or reads an element that nothing has written."""


def shown(inst: Instruction) -> str:
    """Return one line of text for an instruction, with the function and the source place where they are known."""
    function = inst.parent_function
    place = (f" in @{function.name}" if function else "") + (f" at {inst.loc}" if inst.loc else "")
    return f"`{line_of(inst, Names(function))}`{place}"


def line_of(inst: Instruction, names: Names) -> str:
    """Return one line of text for an instruction; `names` are those of its function."""
    if inst.dst is not None:
        left = f"{inst.dst.use_str(names)} = "
    else:
        left = ", ".join(f"{result.use_str(names)}: {result.type}" for result in inst.results)
        left += " = " if left else ""
    return f"{left}{inst.rhs_str(names)}"


def label_of(inst: Instruction) -> str:
    """Return what an instruction is called: its mnemonic, and the label of an opaque one."""
    label = getattr(inst, "label", None)
    return f'{inst.INFO.mnemonic} "{label}"' if label is not None else str(inst.INFO.mnemonic)
