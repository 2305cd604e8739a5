"""What an IR is and means: types, values, instructions, text, BIR, verifier, interpreter.

    module = runtime.parse(text)               # a DiagnosticsError says what is wrong, and where
    outputs = runtime.run(module, inputs)      # numpy arrays by name; returned ones under 0, 1, ...
    print(runtime.print_module(module))

The public interface; each name is imported when it is first asked for, so `import runtime` costs nothing.

    parse(text)                   text -> Module, over all instructions that there are or those of `classes`
    parse_with_places(text, ...)  the same over a table of instructions, with the places beside the module
    print_module(module)          Module -> text
    read_bir(source)              BIR, as text or in a file -> Module
    write_bir(module, file)       Module -> BIR in a file
    verify(module)                all that is wrong with a program: a list of diagnostics, empty for a good one
    run(module, inputs)           what a program computes, bit for bit
    Rounding                      how a run rounds, where there is a choice: stochastically, saturating
    trace(module, inputs)         the same, and the range of every value
    compare(a, b, inputs)         which instruction of b introduces how much error beside a
    Module, Function              a program and its functions
    Builder                       puts tensors, loops and instructions into a function
    Type, NeuronAP                the type of a value; an access to a tensor
    DiagnosticsError              mistakes in text or BIR, each with its place

Instructions are in `runtime.wrappers` and `generated`, dtypes in `runtime.dtypes`. README.md builds a program.
"""

from __future__ import annotations

import os
from importlib import import_module

TYPE_CHECKING = False  # as type checkers read it; the drivers import this before they can be interrupted
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TextIO

    from runtime.access import NeuronAP
    from runtime.bir import write_bir
    from runtime.builder import Builder
    from runtime.comparison.compare import compare
    from runtime.diagnostics import DiagnosticsError
    from runtime.functions import Function, Module
    from runtime.instructions import Instruction
    from runtime.interpreter.run import run
    from runtime.rounding import Rounding
    from runtime.text.parser import parse_with_places
    from runtime.text.places import ParsedModule
    from runtime.text.printer import print_module
    from runtime.tracing.trace import trace
    from runtime.types import Type
    from runtime.verifier import verify

__all__ = [
    "Builder",
    "DiagnosticsError",
    "Function",
    "Module",
    "NeuronAP",
    "Rounding",
    "Type",
    "compare",
    "parse",
    "parse_with_places",
    "print_module",
    "read_bir",
    "run",
    "trace",
    "verify",
    "write_bir",
]

_HOMES = {
    "Builder": "runtime.builder",
    "DiagnosticsError": "runtime.diagnostics",
    "Function": "runtime.functions",
    "Module": "runtime.functions",
    "NeuronAP": "runtime.access",
    "Rounding": "runtime.rounding",
    "Type": "runtime.types",
    "compare": "runtime.comparison.compare",
    "parse_with_places": "runtime.text.parser",
    "print_module": "runtime.text.printer",
    "run": "runtime.interpreter.run",
    "trace": "runtime.tracing.trace",
    "verify": "runtime.verifier",
    "write_bir": "runtime.bir",
}


def parse(text: str, file: str = "<text>", *, classes: Mapping[str, type[Instruction]] | None = None) -> Module:
    """Return the module that `text` describes; it knows where its parts stand in it.

    The instructions are those of `classes`, or all that there are.

    Raises: DiagnosticsError with every mistake in the text, each with its place in `file`.
    """
    if not isinstance(text, str):
        raise _wrong_argument("parse takes the text of a program, such as path.read_text()", text)
    parser, table = import_module("runtime.text.parser"), import_module("runtime.instruction_set")
    parsed: ParsedModule = parser.parse_with_places(text, table.standard() if classes is None else classes, file)
    parsed.module.places = parsed.places
    return parsed.module


def read_bir(
    source: str | os.PathLike[str] | TextIO,
    classes: Mapping[str, type[Instruction]] | None = None,
    *,
    name: str = "<bir>",
) -> Module:
    """Return the program that `source` holds, over all instructions there are or those of `classes`.

    `source` is whatever `write_bir` has written to: the name of a file, a path, or an open file. It may also be the
    text itself, which a `str` is that begins with `{` or has more than one line; `name` is what messages call it then.

    Raises: DiagnosticsError with every mistake, or where the file cannot be read.
    """
    bir, table = import_module("runtime.bir"), import_module("runtime.instruction_set")
    if isinstance(source, os.PathLike) or (isinstance(source, str) and _is_name_of_file(source)):
        source = import_module("pathlib").Path(source)
    elif not isinstance(source, str) and not hasattr(source, "read"):
        raise _wrong_argument("read_bir takes the name of a file, a path, an open file or the text", source)
    module: Module = bir.read_bir(source, table.standard() if classes is None else classes, name=name)
    return module


def _is_name_of_file(text: str) -> bool:
    """Whether a text is no BIR, however broken, and might be the name of a file."""
    return bool(text) and "\n" not in text and not text.lstrip().startswith("{")


def _wrong_argument(expected: str, given: object) -> TypeError:
    return TypeError(f"{expected}, not {import_module('runtime.quoting').described(given)}")


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    loaded = [name for name, value in globals().items() if getattr(value, "__name__", "") == f"{__name__}.{name}"]
    return sorted({*__all__, *loaded, *(name for name in globals() if name.startswith("__"))})
