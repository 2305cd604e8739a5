"""Reproducers: one text file that holds a program, the command that a pass fails with, and what it is run on.

    // run: python -m passes %s --passes 'fold-copies{depth=2}' --verify-numerics --seed 7
    // the pass fold-copies failed: ...
    func @main(...) { ... }

`%s` stands for the file itself, wherever it is; inputs and policies that were given in files stand in its comments.
`python -m passes FILE --run-reproducer` runs that line again.

Deliberately absent: overwriting. A file that is there stays as it is; in a folder, a free name is taken.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from passes.precision.embedded_policies import embedded_policies, policies_within
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.embedded_arrays import embedded
from runtime.functions import Module
from runtime.text.printer import print_module

FILE: Final = "%s"
REPLAY: Final = "--run-reproducer"
COMMAND: Final = ("python", "-m", "passes", FILE)
INPUTS: Final = f"--verify-numerics={FILE}"
_NAMING_IT: Final = (FILE, INPUTS)
_RUN: Final = "// run: "
_MOST_NAMES = 10_000


@dataclass(frozen=True)
class Reproducer:
    """What is to be written of a failure."""

    pass_name: str
    program: Module
    arguments: Sequence[str]  # of the command, but for the file
    said: str
    inputs: Mapping[str, Any] | None = None  # None: the command says how they are made
    policies: Mapping[str, str] = field(
        default_factory=dict
    )  # the texts of files with policies, by what they are called

    @property
    def text(self) -> str:
        """All of the file."""
        comments = [f"//   {line}".rstrip() for line in self.said.splitlines()]
        inputs = [] if self.inputs is None else embedded(self.inputs)
        run = f"{_RUN}{shlex.join((*COMMAND, *self.arguments))}"
        comments += embedded_policies(self.policies)
        return "\n".join([run, *comments, "", print_module(self.program).rstrip("\n"), *inputs]) + "\n"


def check_place(place: str) -> None:
    """Refuse a place where no reproducer could be written, before anything is done.

    Raises: DiagnosticsError.
    """
    folder = place if os.path.isdir(place) else os.path.dirname(place.rstrip(os.sep)) or "."
    if place.endswith(os.sep) and not os.path.isdir(place):
        why = "no such folder"
    elif not os.path.isdir(place) and os.path.lexists(place):
        why = "it is there already, and nothing is overwritten"
    elif not os.path.isdir(folder):
        why = "no such folder"
    elif not os.access(folder, os.W_OK | os.X_OK):
        why = "the folder is not writable"
    else:
        return
    raise _unwritable(place, why)


def write_reproducer(reproducer: Reproducer, place: str) -> str:
    """Write a reproducer to a file, or into a folder under a free name, and return what it is called.

    Raises: DiagnosticsError where it cannot be written.
    """
    text = reproducer.text.encode("utf-8", "backslashreplace")
    if not os.path.isdir(place):
        return _create(place, text)
    stem = re.sub(r"[^\w.-]+", "-", reproducer.pass_name)
    for number in range(1, _MOST_NAMES):
        name = os.path.join(place, f"{stem}-{number}.txt")
        if not os.path.lexists(name):
            return _create(name, text)
    raise _unwritable(place, f"{_MOST_NAMES - 1} reproducers of {stem} are there already")


def arguments_in(file: str) -> list[str]:
    """Return the arguments of the command in a reproducer, with the name of the file in its place.

    Raises: DiagnosticsError where it is no reproducer.
    """
    try:
        with open(file, encoding="utf-8") as opened:
            line = opened.readline()
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "it is no text"
        raise DiagnosticsError([Diagnostic("P010", f"{file} cannot be read: {reason}")]) from error
    if not line.startswith(_RUN):
        raise _no_reproducer(file, f'its first line does not begin with "{_RUN.strip()}"')
    try:
        words = shlex.split(line.removeprefix(_RUN))
    except ValueError as error:
        raise _no_reproducer(file, f"its first line cannot be read: {str(error).lower()}") from error
    if tuple(words[: len(COMMAND)]) != COMMAND:
        raise _no_reproducer(file, f'its command does not begin with "{shlex.join(COMMAND)}"')
    given = words[len(COMMAND) :]
    if REPLAY in given:
        raise _no_reproducer(file, f"its command has {REPLAY} in it, and would run itself")
    return [file, *(f"{word.removesuffix(FILE)}{file}" if word in _NAMING_IT else word for word in given)]


def policies_in(file: str) -> dict[str, str]:
    """Return the texts of the files with policies that a reproducer holds, by what they are called.

    Raises: DiagnosticsError where it cannot be read.
    """
    try:
        return policies_within(file)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise DiagnosticsError([Diagnostic("P010", f"{file} cannot be read: {reason}")]) from error


def _create(name: str, text: bytes) -> str:
    try:
        with open(name, "xb") as file:
            try:
                file.write(text)
            except BaseException:  # a full disk, an interruption: half a reproducer is none
                os.unlink(name)
                raise
    except (OSError, ValueError) as error:
        if isinstance(error, FileExistsError):
            raise _unwritable(name, "it is there already, and nothing is overwritten") from error
        raise _unwritable(name, getattr(error, "strerror", None) or str(error)) from error
    return name


def _unwritable(place: str, why: str) -> DiagnosticsError:
    return DiagnosticsError([Diagnostic("P017", f"no reproducer can be written to {place}: {why}")])


def _no_reproducer(file: str, why: str) -> DiagnosticsError:
    help = "a reproducer is what --reproducer writes"
    return DiagnosticsError([Diagnostic("P018", f"{file} is no reproducer: {why}", help=help)])
