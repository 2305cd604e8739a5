"""From a module to its text, in one pass; grammar.md describes the text.

Deliberately absent: choices. There is one text for a program, so that two programs can be compared by their text.

A value without a name gets its number when its definition is printed, so nothing has to be walked twice; a program of
any size can go to a file while it is printed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from runtime.blocks import Block, Loop, Statement
from runtime.functions import Function, Module
from runtime.instructions import Instruction
from runtime.names import Names
from runtime.quoting import quoted, spelled_name
from runtime.tensors import Tensor
from runtime.text.contents import contents_text
from runtime.text.trailing import Trailing
from runtime.types import Type
from runtime.values import BlockArgument

Write = Callable[[str], object]

_INDENT = "  "
_NONE = Type.none()


class TextFile(Protocol):
    """What text can be written to."""

    def write(self, text: str, /) -> object: ...


def print_module(module: Module) -> str:
    """Return the text of a module."""
    parts: list[str] = []
    _write_module(module, parts.append)
    return "".join(parts)


def print_function(function: Function) -> str:
    """Return the text of a function."""
    parts: list[str] = []
    _FunctionPrinter(parts.append, {}).print(function)
    return "".join(parts)


def print_statement(statement: Statement, names: Names) -> str:
    """Return the text of a statement, with the names of its function and without what stands in its blocks."""
    parts: list[str] = []
    _OutlinePrinter(parts.append, {}, names).statement(statement)
    return "".join(parts)


def print_tensor(tensor: Tensor, names: Names) -> str:
    """Return the text of the declaration of a tensor."""
    return _FunctionPrinter(str, {}, names).tensor(tensor)


def write_module(module: Module, file: TextFile) -> None:
    """Write the text of a module to a file, statement by statement."""
    _write_module(module, file.write)


def _write_module(module: Module, write: Write) -> None:
    forms: dict[type, Trailing] = {}
    between = ""
    if module.target is not None:
        write(f"target {module.target}\n")
        between = "\n"
    for function in module.functions.values():
        write(between)
        between = "\n"
        _FunctionPrinter(write, forms).print(function)


class _FunctionPrinter:
    """Prints one function. Texts that repeat (of types, of what a class may have) are made once."""

    def __init__(self, write: Write, forms: dict[type, Trailing], names: Names | None = None) -> None:
        self.write = write
        self.names = Names() if names is None else names
        self.forms = forms
        self.types: dict[Type, str] = {}

    def print(self, function: Function) -> None:
        """Print a whole function."""
        tensors = [self.tensor(tensor) for tensor in function.tensors.values()]  # first, so that they keep their names
        self.write(f"func @{spelled_name(function.name)}({self._arguments(function.args)}) {{\n")
        for tensor in tensors:
            self.write(f"{_INDENT}{tensor}\n")
        self._block(function.body, _INDENT)
        self.write("}\n")

    def tensor(self, tensor: Tensor) -> str:
        """Return the declaration of a tensor."""
        flags = " input" * tensor.isInput + " output" * tensor.isOutput
        contents = "" if tensor.init is None else f" const = {contents_text(tensor.init)}"
        return f"tensor %{self.names.of(tensor)}: {tensor.type} {tensor.memory}{flags}{contents}"

    def _arguments(self, arguments: list[BlockArgument]) -> str:
        return ", ".join(f"%{self.names.of(argument)}: {self._type(argument.type)}" for argument in arguments)

    def _type(self, type: Type) -> str:
        text = self.types.get(type)
        if text is None:
            text = self.types[type] = str(type)
        return text

    def _block(self, block: Block, indent: str) -> None:
        for statement in block:
            if isinstance(statement, Instruction):
                self._instruction(statement, indent)
            else:
                assert isinstance(statement, Loop), f"{statement!r} is no statement"
                self._loop(statement, indent)

    def _loop(self, loop: Loop, indent: str) -> None:
        axis = loop.axis
        entered = self.names.enter()
        name = self.names.of(axis)
        loc = "" if loop.loc is None else f" {{loc = {quoted(loop.loc)}}}"
        count = f"{axis.lower} step {axis.step} times {axis.trip_count}"
        self.write(f"{indent}for %{name} = {count}{loc} {{\n")
        self._block(loop.body, indent + _INDENT)
        self.write(f"{indent}}}\n")
        self.names.leave(entered)

    def _instruction(self, inst: Instruction, indent: str) -> None:
        names = self.names
        form = self.forms.get(type(inst))
        if form is None:
            form = self.forms[type(inst)] = Trailing(type(inst))
        dst = inst.dst if form.has_dst else None
        if dst is not None:
            stated = "" if inst.type is dst.type else f": {inst.type}"
            left = f"{dst.use_str(names)}{stated} = "
        elif inst.type is _NONE:
            left = ""
        elif form.has_one_result:  # which is the instruction
            left = f"%{names.of(inst)}: {self._type(inst.type)} = "
        else:
            left = ", ".join(f"%{names.of(result)}: {self._type(result.type)}" for result in inst.results) + " = "
        right = inst.rhs_str(names)
        # `_extra` in place of `rounding`: the property would add 5% to the time of a chain of graph instructions.
        if form.has_more or inst.loc is not None or inst._extra is not None:
            right += form.text(inst, names)
        if form.has_regions:
            self.write(f"{indent}{left}{right}")
            self._regions(inst, indent)
        else:
            self.write(f"{indent}{left}{right}\n")

    def _regions(self, inst: Instruction, indent: str) -> None:
        for name, block in zip(inst.INFO.regions, inst.blocks, strict=True):
            entered = self.names.enter()
            arguments = f"({self._arguments(block.arguments)})" if block.arguments else ""
            self.write(f" {name}{arguments} {{\n")
            self._block(block, indent + _INDENT)
            self.write(f"{indent}}}")
            self.names.leave(entered)
        self.write("\n")


class _OutlinePrinter(_FunctionPrinter):
    """Prints a statement without what stands in its blocks."""

    def statement(self, statement: Statement) -> None:
        """Print an instruction or a loop."""
        if isinstance(statement, Instruction):
            self._instruction(statement, "")
        else:
            assert isinstance(statement, Loop), f"{statement!r} is no statement"
            self._loop(statement, "")

    def _block(self, block: Block, indent: str) -> None:
        pass
