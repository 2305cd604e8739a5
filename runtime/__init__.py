"""What an IR is and means: types, values, instructions, text, BIR, verifier, interpreter.

The names below are the public interface; each is imported when first asked for, so `import runtime` costs nothing.

    module = runtime.parse(text)               # text -> Module; a DiagnosticsError says what is wrong, and where
    outputs = runtime.run(module, inputs)      # arrays by name; returned ones under 0, 1, ...
    print(runtime.print_module(module))
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runtime.builder import Builder
    from runtime.functions import Function, Module
    from runtime.text.places import ParsedModule

    __all__ = [
        "Builder",
        "Function",
        "Module",
        "parse",
        "parse_with_places",
        "print_module",
        "read_bir",
        "run",
        "verify",
        "write_bir",
    ]

_HOMES = {
    "Builder": "runtime.builder",
    "Function": "runtime.functions",
    "Module": "runtime.functions",
    "parse_with_places": "runtime.text.parser",
    "print_module": "runtime.text.printer",
    "read_bir": "runtime.bir",
    "run": "runtime.interpreter.run",
    "verify": "runtime.verifier",
    "write_bir": "runtime.bir",
}


def parse(text: str, file: str = "<text>") -> Module:
    """Return the module that `text` describes, over all instructions there are; it knows where its parts stand in it.

    Raises: DiagnosticsError with every mistake in the text, each with its place in `file`.
    """
    parser, table = import_module("runtime.text.parser"), import_module("runtime.instruction_set")
    parsed: ParsedModule = parser.parse_with_places(text, table.standard(), file)
    parsed.module.places = parsed.places
    return parsed.module


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
