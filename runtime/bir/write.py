"""Writing a program as BIR: one JSON object, one line a statement.

Deliberately absent: the program as one JSON value. Each statement is written as soon as it is serialized, so a big
program is never in memory a second time.
"""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any, Final, TextIO

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
        self._open({"format": FORMAT, "version": FORMAT_VERSION, "target": module.target}, "functions")
        for index, function in enumerate(module.functions.values()):
            self._put(",\n" if index else "\n")
            self._function(function)
        self._put("\n]}\n")

    def _function(self, function: Function) -> None:
        ctx = BirWriter(nested=False)
        self._open({"name": function.name, "args": [ctx.definition(argument) for argument in function.args]}, "tensors")
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
            record = statement.serialize(ctx)
            if statement.blocks:
                self._regions(record, statement, ctx)
            else:
                self._put(_encode(record))
        if block.first is not None:
            self._put("\n")

    def _regions(self, record: dict[str, Any], inst: Instruction, ctx: BirWriter) -> None:
        self._open(record, "regions")
        for index, block in enumerate(inst.blocks):
            self._put(",\n" if index else "\n")
            self._open({"args": [ctx.definition(argument) for argument in block.arguments]}, "body")
            self._statements(block, ctx)
            self._put("]}")
        self._put("\n]}")

    def _open(self, head: dict[str, Any], last: str) -> None:
        """Write an object up to the opening bracket of its last key, which holds a list."""
        self._put(f'{_encode(head)[:-1]}, "{last}": [')


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
