"""`PassFailure`: a fault of a pass, and everything that its author needs to find it, in a few lines.

    the pass fold-copies failed: AttributeError: 'TensorCopyOp' object has no attribute 'foo'
    note: passes/fold_copies.py:23:16: in FoldCopies.transformTensorCopyOp
    note: program.txt:5:3: at `%c: f32[4,8] = tensor_copy %p`

The place is that of the innermost call in the pass itself; what the pass has called is in the traceback, which `cause`
keeps. The statement is the one that the outermost call in the pass is about: the argument of a hook, or the variable of
a loop over the function.

Deliberately absent: any cost while nothing fails. What was under way is read from the frames of the traceback.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from itertools import islice
from types import FrameType, TracebackType
from typing import TYPE_CHECKING

from runtime.blocks import Loop, Statement
from runtime.diagnostics import Diagnostic, Note, Place, listed, render_all
from runtime.instructions import Instruction
from runtime.names import Names
from runtime.text.places import Places
from runtime.text.printer import print_statement

if TYPE_CHECKING:
    from passes.framework.dot_transform import DotTransform
    from passes.framework.pass_manager import Fixpoint

_PASSES, _FRAMEWORK = "passes.", "passes.framework."


class PassFailure(Exception):
    """A pass raised, or left a program that the check refuses. This is a fault of the pass, not of the program."""

    step: DotTransform | Fixpoint | None = None  # what failed, where it came to run
    rewrites_before: int = 0  # how many the passes before it did, where they are counted

    def __init__(
        self,
        pass_name: str,
        diagnostics: Sequence[Diagnostic] = (),
        cause: Exception | None = None,
        *,
        did: str = "failed",
        notes: Sequence[Note] = (),
        left: str = "left a program that is wrong",
    ) -> None:
        self.pass_name = pass_name
        self.diagnostics = tuple(diagnostics)
        self.cause = cause
        if cause is None:
            text = f"the pass {pass_name} {left}:\n\n{render_all(self.diagnostics)}"
        else:
            text = f"the pass {pass_name} {did}: {type(cause).__name__}: {cause}"
            text = "\n".join([text, *getattr(cause, "__notes__", ()), *(note.render() for note in notes)])
        super().__init__(text)


class UnsettledFailure(PassFailure):
    """Steps that are repeated until nothing changes go on changing the program."""

    def __init__(self, steps: str, rounds: int, still_changing: Sequence[str]) -> None:
        last = listed(dict.fromkeys(still_changing), "and")
        self.text = f"{steps} still changes the program after {rounds} rounds; in the last one it was {last} that did"
        super().__init__(still_changing[-1])

    def __str__(self) -> str:
        return self.text


def failure_of(
    pass_name: str, cause: Exception, home: type | str, *, did: str = "failed", places: Places | None = None
) -> PassFailure:
    """Return the failure for an exception that has just been caught, with the place in the pass and the statement.

    `home` is the class of the pass or, where there is none yet, the name of its module; `places` are those of the
    program that came in.
    """
    homes = {home} if isinstance(home, str) else {cls.__module__ for cls in home.__mro__}
    frames = list(_frames_of_pass(cause.__traceback__, homes))
    notes = []
    if frames:
        name = frames[-1].tb_frame.f_code.co_qualname
        notes.append(Note("while it is imported" if name == "<module>" else f"in {name}", _place_in(frames[-1])))
    statement = next((found for frame in frames for found in _statements_in(frame.tb_frame)), None)
    if statement is not None:
        notes.append(_note_of(statement, places))
    return PassFailure(pass_name, cause=cause, did=did, notes=notes)


def place_of_function(function: Callable[..., object]) -> Place | None:
    """Return where a function is written; None where nobody knows."""
    code = getattr(function, "__code__", None)
    return None if code is None else Place(code.co_filename, code.co_firstlineno, 1)


def _frames_of_pass(traceback: TracebackType | None, homes: Set[str]) -> Iterator[TracebackType]:
    """Yield the calls in these modules and other modules of passes, outermost first."""
    traceback = traceback and traceback.tb_next  # the first is whoever caught the exception
    while traceback is not None:
        module = str(traceback.tb_frame.f_globals.get("__name__"))
        if (module in homes or module.startswith(_PASSES)) and not module.startswith(_FRAMEWORK):
            yield traceback
        traceback = traceback.tb_next


def _place_in(frame: TracebackType) -> Place:
    """Return the place that a call has come to."""
    code = frame.tb_frame.f_code
    positions = next(islice(code.co_positions(), frame.tb_lasti // 2, None), (None, None, None, None))
    return Place(code.co_filename, frame.tb_lineno, (positions[2] or 0) + 1)


def _statements_in(frame: FrameType) -> Iterator[Statement]:
    return (value for value in frame.f_locals.values() if isinstance(value, Instruction | Loop))


def _note_of(statement: Statement, places: Places | None) -> Note:
    place = None
    try:  # what a failing pass has left of a statement may be anything
        assert isinstance(statement, Instruction | Loop)
        text = f"at `{print_statement(statement, Names(statement.parent_function)).strip()}`"
        place = None if places is None else places.of(statement)
        if statement.loc is not None:
            text += f", which comes from {statement.loc}"
    except Exception:
        text = f"at what is left of a {type(statement).__name__}"
    return Note(text, place)
