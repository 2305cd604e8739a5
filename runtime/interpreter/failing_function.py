"""Where the function that computes an instruction went wrong, for whoever has written it.

A run stops where a function refuses what it got, and where the function itself is wrong. The first is the program's
fault, and its message says all; of the second, the place in the function is what its author needs.

Deliberately absent: the message, which is that of the exception.
"""

from __future__ import annotations

from collections.abc import Iterator
from dis import opname
from itertools import islice
from types import TracebackType
from typing import Final

from runtime.diagnostics import Note, Place
from runtime.instructions import Instruction
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import find

_RAISE: Final = "RAISE_VARARGS"


def notes_of(error: InterpreterError) -> tuple[Note, ...]:
    """Return where the function of an instruction is that an exception came out of, unless it raised it on purpose."""
    cause, inst = error.__cause__, error.inst
    if cause is None or inst is None:
        return ()
    module = _module_of(inst)
    frames = list(_frames(cause.__traceback__))
    own = [frame for frame in frames if frame.tb_frame.f_globals.get("__name__") == module]
    if not own or (frames[-1] is own[-1] and _is_at_raise(own[-1])):
        return ()
    name = own[-1].tb_frame.f_code.co_qualname
    return (Note(f"in {name}, which raised {type(cause).__name__}", _place_in(own[-1])),)


def _module_of(inst: Instruction) -> str | None:
    """Return the module of the function that computes an instruction."""
    name = inst.INFO.semantics
    return None if name is None else str(getattr(find(name), "__module__", None))


def _frames(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _is_at_raise(frame: TracebackType) -> bool:
    """Whether what a call has come to is a `raise`, and not something that failed."""
    return opname[frame.tb_frame.f_code.co_code[frame.tb_lasti]] == _RAISE


def _place_in(frame: TracebackType) -> Place:
    """Return the place that a call has come to."""
    code = frame.tb_frame.f_code
    positions = next(islice(code.co_positions(), frame.tb_lasti // 2, None), (None, None, None, None))
    return Place(code.co_filename, frame.tb_lineno, (positions[2] or 0) + 1)
