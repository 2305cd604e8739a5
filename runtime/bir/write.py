"""Writing a program as BIR: one JSON object, one line a statement.

Deliberately absent: the program as one JSON value. Each statement is written as soon as it is serialized, and long
contents piece by piece, so a big program is never in memory a second time, nor are the weights of a model twice.
"""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any, Final, TextIO

from runtime.bir.base64_text import LongBytes, base64_text
from runtime.bir.contents import contents_json
from runtime.bir.writer import BirWriter
from runtime.blocks import Block, Loop
from runtime.functions import Function, Module
from runtime.instructions import Instruction
from runtime.tensors import Tensor

FORMAT: Final = "brewer-bir"
FORMAT_VERSION: Final = 1

# ASCII only, so that no encoding and no lone surrogate can spoil a file.
_encode = json.JSONEncoder(ensure_ascii=True, check_circular=False, allow_nan=False).encode


def write_bir(module: Module, file: str | os.PathLike[str] | TextIO) -> None:
    """Write `module` to a path or an open text file."""
    if isinstance(file, (str, os.PathLike)):
        with Path(file).open("w", encoding="utf-8", newline="\n") as opened:
            _FileWriter(opened).module(module)
    else:
        _FileWriter(file).module(module)


def bir_text(module: Module) -> str:
    """Return `module` as BIR text."""
    text = io.StringIO()
    _FileWriter(text).module(module)
    return text.getvalue()


class _FileWriter:
    """Puts records, and the brackets around them, into a file."""

    def __init__(self, file: TextIO) -> None:
        self._put = file.write

    def module(self, module: Module) -> None:
        head = {"format": FORMAT, "version": FORMAT_VERSION, "target": module.target}
        if module.carried is not None:
            head["carried"] = base64_text(module.carried)
        self._open(head, "functions")
        for index, function in enumerate(module.functions.values()):
            self._put(",\n" if index else "\n")
            self._function(function)
        self._put("\n]}\n")

    def _function(self, function: Function) -> None:
        ctx = BirWriter(nested=False)
        head: dict[str, Any] = {"name": function.name}
        if function.operator_sets:
            head["operator_sets"] = function.operator_sets
        self._head({**head, **ctx.head(function.body)}, "tensors", function.body, ctx)
        for index, tensor in enumerate(function.tensors.values()):
            self._put(",\n" if index else "\n")
            self._put(_encode(tensor_json(tensor)))
        self._put('\n], "body": [')
        self._statements(function.body, ctx)
        self._put("]}")

    def _statements(self, block: Block, ctx: BirWriter) -> None:
        """Write the statements of a block, each on a line of its own, between brackets that the caller writes."""
        separator = "\n"
        for statement in block:
            self._put(separator)
            separator = ",\n"
            if isinstance(statement, Loop):
                self._open(ctx.loop(statement), "body")
                self._statements(statement.body, ctx)
                self._put("]}")
                continue
            assert isinstance(statement, Instruction)
            # No name for a record: it may hold a tensor, which must be gone when the next one is fetched.
            if statement.blocks:
                self._open(statement.serialize(ctx), "regions", ctx)
                self._regions(statement, ctx)
            else:
                self._value(statement.serialize(ctx), ctx)
        if block.first is not None:
            self._put("\n")

    def _regions(self, inst: Instruction, ctx: BirWriter) -> None:
        for index, block in enumerate(inst.blocks):
            self._put(",\n" if index else "\n")
            self._head(ctx.head(block), "body", block, ctx)
            self._statements(block, ctx)
            self._put("]}")
        self._put("\n]}")

    def _head(self, head: dict[str, Any], last: str, block: Block, ctx: BirWriter) -> None:
        """Write the head of a function or region up to the bracket of its last key, the defaults of arguments first."""
        if all(argument.default is None for argument in block.arguments):
            self._open(head, last)
            return
        self._open(head, "defaults")
        separator = "\n"
        for default in ctx.defaults(block):
            self._put(separator)
            separator = ",\n"
            self._value(default, ctx)
        self._put(f'\n], "{last}": [')

    def _open(self, head: dict[str, Any], last: str, ctx: BirWriter | None = None) -> None:
        """Write an object up to the opening bracket of its last key, which holds a list."""
        self._value(head, ctx, is_open=True)
        self._put(f', "{last}": [')

    def _value(self, value: dict[str, Any] | list[Any], ctx: BirWriter | None = None, is_open: bool = False) -> None:
        """Write a value, with `is_open` without the bracket that closes it; `ctx`: the writer that made it."""
        if ctx is not None and ctx.has_pieces:
            ctx.has_pieces = False
            self._in_pieces(value, is_open)
            return
        text = _encode(value)
        self._put(text[:-1] if is_open else text)

    def _in_pieces(self, value: Any, is_open: bool = False) -> None:
        if isinstance(value, LongBytes):
            self._put('"')
            for piece in value.pieces:
                self._put(piece)
            self._put('"')
        elif isinstance(value, (dict, list)):
            opening, closing = "{}" if isinstance(value, dict) else "[]"
            self._put(opening)
            for index, key in enumerate(value):
                self._put(", " if index else "")
                if isinstance(value, dict):
                    self._put(f"{_encode(key)}: ")
                self._in_pieces(value[key] if isinstance(value, dict) else key)
            self._put("" if is_open else closing)
        else:
            self._put(_encode(value))


def tensor_json(tensor: Tensor) -> dict[str, Any]:
    """Return the JSON of the declaration of a tensor."""
    found: dict[str, Any] = {
        "name": f"%{tensor.name}",
        "dtype": tensor.dtype.name,
        "shape": list(tensor.known_shape),
        "memory": tensor.memory,
    }
    if tensor.isInput:
        found["input"] = True
    if tensor.isOutput:
        found["output"] = True
    if tensor.init is not None:
        found["contents"] = contents_json(tensor.init)
    return found
