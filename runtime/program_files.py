"""Programs in files: the text form, or BIR where the name ends in `.bir` or `.json`.

Deliberately absent: guessing from the contents. A mistake in one form would be reported as one in the other.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, TextIO

from runtime.bir import read_bir, write_bir
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.functions import Module
from runtime.instructions import Instruction
from runtime.text.parser import parse_with_places
from runtime.text.places import Places
from runtime.text.printer import write_module

BIR_ENDINGS: Final = (".bir", ".json")
STREAM: Final = "-"  # the name of standard input and output
_ITS_DEVICES: Final = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


@dataclass(frozen=True)
class Program:
    """A module, and where its parts stand in the file, which only the text form tells."""

    module: Module
    places: Places | None


def read_program(name: str, classes: Mapping[str, type[Instruction]]) -> Program:
    """Read the program in a file, or from standard input, which is text; its instructions are those of `classes`.

    Raises: DiagnosticsError where the file cannot be read, or what it holds is no program.
    """
    text = _read_text(name)
    if is_bir(name):
        return Program(read_bir(text, classes, name=name), None)
    parsed = parse_with_places(text, classes, "<stdin>" if name == STREAM else name)
    return Program(parsed.module, parsed.places)


def write_program(module: Module, name: str) -> None:
    """Write a module in the form that a file of this name has, as `write_file` does.

    Raises: DiagnosticsError where it cannot be written.
    """
    write = write_bir if is_bir(name) else write_module
    write_file(name, lambda file: write(module, file))


def write_file(name: str, write: Callable[[TextIO], None]) -> None:
    """Write a text file in one step: it holds its old contents or all of the new ones, whatever happens meanwhile.

    Raises: DiagnosticsError where it cannot be written.
    """
    with file_written_around(name, write):
        pass


def write_bytes(name: str, write: Callable[[BinaryIO], None]) -> None:
    """Write a file of bytes in one step, as `write_file` does.

    Raises: DiagnosticsError where it cannot be written.
    """
    with _written_around(name, lambda path: path.open("wb"), write):
        pass


def check_place(name: str) -> None:
    """Refuse the name of a file that could not be written, before the work is done that is to fill it.

    Raises: DiagnosticsError.
    """
    folder = os.path.dirname(name) or "."
    is_replaced = os.path.isfile(name) or not os.path.exists(name)
    if not os.path.isdir(folder):
        why = os.strerror(errno.ENOTDIR) if os.path.exists(folder) else "no such folder"
    elif os.path.isdir(name):
        why = "it is a folder"
    elif is_replaced and not os.access(os.path.dirname(os.path.realpath(name)), os.W_OK):
        why = "the folder is not writable"
    else:
        return
    raise DiagnosticsError([Diagnostic("P011", f"{name} cannot be written: {why}")])


@contextmanager
def file_written_around(name: str, write: Callable[[TextIO], None]) -> Iterator[None]:
    """Write a file beside the one that it is to replace, do the body, and only then replace that one.

    What cannot be replaced, such as a terminal, is written before the body.

    Raises: DiagnosticsError where it cannot be written.
    """
    with _written_around(name, lambda path: path.open("w", encoding="utf-8", newline="\n"), write):
        yield


@contextmanager
def _written_around(name: str, open_file: Callable[[Path], Any], write: Callable[[Any], None]) -> Iterator[None]:
    with _file_errors("P011", "cannot be written", name):
        _check_name(name)
    replaced = os.path.isfile(name) or not os.path.exists(name)  # whose answer to an impossible name is no
    path = Path(os.path.realpath(name) if replaced else name)  # a link stays one
    beside = path.with_name(f".{path.name}.{os.getpid()}.new") if replaced else path
    try:
        with _file_errors("P011", "cannot be written", name):
            with open_file(beside) as file:
                write(file)
            if replaced and path.exists():
                beside.chmod(path.stat().st_mode & 0o7777)
        yield
        if replaced:
            with _file_errors("P011", "cannot be written", name):
                beside.replace(path)
    finally:
        if replaced:
            with suppress(OSError):
                beside.unlink()


def output_of(name: str | None) -> str | None:
    """Return the file that an output option names; None for standard output, which has several names.

    By the name of its device it would be opened anew, and what others have written to it would be lost.
    """
    return None if name is None or name == STREAM or name in _ITS_DEVICES else name


def _check_name(name: str) -> None:
    """Refuse the name of a folder that is not there, and a link that leads to itself: what is written would be lost.

    Raises: OSError.
    """
    if name.endswith(os.sep) and not os.path.isdir(name):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name)
    try:
        os.stat(name)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise
    except ValueError:  # a name that no file can have, which is said when it is opened
        return


def write_out(text: str) -> None:
    """Write all of a text to standard output, now.

    Raises: DiagnosticsError where it cannot be written; BrokenPipeError where its reader has gone.
    """
    if sys.stdout is None:
        raise DiagnosticsError([Diagnostic("P011", "standard output cannot be written: it is closed")])
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_output()
        raise _file_error("P011", "cannot be written", "standard output", error) from error
    except UnicodeEncodeError as error:
        message = f"standard output cannot be written: {error.encoding} has no {error.object[error.start]!a}"
        raise DiagnosticsError([Diagnostic("P011", message, help="set PYTHONIOENCODING=utf-8")]) from error


def discard_output() -> None:
    """Let what is left of standard output go nowhere, so that the end of the process does not fail on it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def complain(text: str) -> None:
    """Print to standard error, unless that is closed."""
    if sys.stderr is not None:
        with suppress(OSError):  # there is nowhere left to say it
            print(text, file=sys.stderr)


def is_bir(name: str) -> bool:
    """Whether a file of this name holds BIR."""
    return name.lower().endswith(BIR_ENDINGS)


def _read_text(name: str) -> str:
    if name == STREAM and sys.stdin is None:
        raise DiagnosticsError([Diagnostic("P010", "standard input cannot be read: it is closed")])
    with _file_errors("P010", "cannot be read", name):
        data = sys.stdin.buffer.read() if name == STREAM else Path(name).read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"{name} is no text: byte 0x{data[error.start]:02x} at {error.start} is not UTF-8"
        help = "a file that ends in .bir or .json holds BIR, in .onnx a model, and every other one is text"
        raise DiagnosticsError([Diagnostic("P010", message, help=help)]) from error


@contextmanager
def _file_errors(code: str, what: str, name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _file_error(code, what, name, error) from error


def _file_error(code: str, what: str, name: str, error: OSError) -> DiagnosticsError:
    return DiagnosticsError([Diagnostic(code, f"{name} {what}: {error.strerror or error}")])
