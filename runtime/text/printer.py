"""From a module to its text, in one pass; grammar.md describes the text.

Deliberately absent: choices. There is one text for a program, so that two programs can be compared by their text.

A value without a name gets its number when its definition is printed, so nothing has to be walked twice; a program of
any size can go to a file while it is printed. The weights of a model are fetched one at a time.

Print is exact unless it is told to `elide`: then constants of more than so many elements, and more than so many bytes
in an attribute, are the word `elided`, which does not parse. What front ends carry with a program, its blocks and
instructions is left out altogether; the last line says how much that was, and does not parse either.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Protocol

from runtime.blocks import Block, Loop, Statement
from runtime.functions import Function, Module
from runtime.generic import GenericInst
from runtime.instructions import Instruction
from runtime.names import Names
from runtime.quoting import quoted, spelled_name
from runtime.tensors import Tensor
from runtime.text.contents import contents_text, tensor_text
from runtime.text.hexadecimal import ELIDED, hex_text
from runtime.text.open_values import region_label
from runtime.text.trailing import Trailing
from runtime.types import Type
from runtime.values import BlockArgument, Value

Write = Callable[[str], object]

_INDENT = "  "
_WIDTH = 120  # columns; where the header of a block is longer, its arguments stand one a line
_MOST_SHOWN = 128  # elements of a constant, or bytes of what is carried, in a message
_NONE = Type.none()


class TextFile(Protocol):
    """What text can be written to."""

    def write(self, text: str, /) -> object: ...


def print_module(module: Module, *, elide: int | None = None) -> str:
    """Return the text of a module."""
    parts: list[str] = []
    _write_module(module, parts.append, elide)
    return "".join(parts)


def print_function(function: Function, *, elide: int | None = None) -> str:
    """Return the text of a function."""
    parts: list[str] = []
    printer = _FunctionPrinter(parts.append, {}, elide=elide)
    printer.print(function)
    _write_elided(printer.left_out + _left_out(printer.forms), "\n", parts.append)
    return "".join(parts)


def print_statement(statement: Statement, names: Names) -> str:
    """Return the text of a statement, with the names of its function and without what stands in its blocks.

    It is for people: long constants are left out.
    """
    parts: list[str] = []
    _OutlinePrinter(parts.append, {}, names, _MOST_SHOWN).statement(statement)
    return "".join(parts)


def print_tensor(tensor: Tensor, names: Names) -> str:
    """Return the text of the declaration of a tensor, without a long constant."""
    return _FunctionPrinter(str, {}, names, _MOST_SHOWN).tensor(tensor)


def write_module(module: Module, file: TextFile, *, elide: int | None = None) -> None:
    """Write the text of a module to a file, statement by statement."""
    _write_module(module, file.write, elide)


def _write_module(module: Module, write: Write, elide: int | None) -> None:
    forms: dict[type, Trailing] = {}
    between = ""
    left_out = 0
    if module.target is not None:
        write(f"target {module.target}\n")
        between = "\n"
    for function in module.functions.values():
        write(between)
        between = "\n"
        printer = _FunctionPrinter(write, forms, elide=elide)
        printer.print(function)
        left_out += printer.left_out
    if module.carried is not None and elide is None:
        write(f"{between}carried {hex_text(module.carried)}\n")
    elif module.carried is not None:
        left_out += len(module.carried)
    _write_elided(left_out + _left_out(forms), between, write)


def _left_out(forms: dict[type, Trailing]) -> int:
    """Return how many bytes the trailing dictionaries have left out of what instructions carry."""
    return sum(form.left_out for form in forms.values())


def _write_elided(left_out: int, between: str, write: Write) -> None:
    """Write how many bytes were left out of what is carried, so that nobody takes the text for the whole program."""
    if left_out:
        write(f"{between}{ELIDED}  // {left_out} bytes that a front end carries\n")


class _FunctionPrinter:
    """Prints one function. Texts that repeat (of types, of what a class may have) are made once."""

    _width = _WIDTH

    def __init__(
        self, write: Write, forms: dict[type, Trailing], names: Names | None = None, elide: int | None = None
    ) -> None:
        self.write = write
        self.names = Names() if names is None else names
        self.forms = forms
        self.elide = elide
        self.types: dict[Type, str] = {}
        self.left_out = 0  # bytes of what blocks carry

    def print(self, function: Function) -> None:
        """Print a whole function."""
        tensors = [self.tensor(tensor) for tensor in function.tensors.values()]  # first, so that they keep their names
        versions = ", ".join(f"{quoted(domain)} = {version}" for domain, version in function.operator_sets.items())
        operators = f" opset {{{versions}}}" if versions else ""
        start, end = f"func @{spelled_name(function.name)}(", f"){operators} {{"
        self.write(f"{start}{self._arguments(function.args, len(start) + len(end))}{end}\n")
        for tensor in tensors:
            self.write(f"{_INDENT}{tensor}\n")
        self._block(function.body, _INDENT)
        self.write("}\n")

    def tensor(self, tensor: Tensor) -> str:
        """Return the declaration of a tensor."""
        flags = " input" * tensor.isInput + " output" * tensor.isOutput
        contents = "" if tensor.init is None else f" const = {contents_text(tensor.init, self.elide)}"
        return f"tensor %{self.names.of(tensor)}: {tensor.type} {tensor.memory}{flags}{contents}"

    def _arguments(self, arguments: list[BlockArgument], around: int, indent: str = "") -> str:
        """Return what a block receives; `around` is the length of what stands on the line before and behind it."""
        shown = [self._defined(argument) + self._default(argument) for argument in arguments]
        if not shown or around + sum(map(len, shown)) + 2 * (len(shown) - 1) <= self._width:
            return ", ".join(shown)
        start = f"\n{indent}{_INDENT}"
        return f"{start}{f',{start}'.join(shown)}\n{indent}"

    def _default(self, argument: BlockArgument) -> str:
        default = argument.default
        return "" if default is None else f" = {tensor_text(default, argument.type, self.elide)}"

    def _defined(self, value: Value) -> str:
        """Return name and type of a value where it is defined, with its own name where it could not have that."""
        name = self.names.of(value)
        own = self.names.renamed.get(value)
        return f"%{name}{'' if own is None else f' {quoted(own)}'}: {self._type(value.type)}"

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
        if block.carried is not None and self.elide is None:
            self.write(f"{indent}carried {hex_text(block.carried)}\n")
        elif block.carried is not None:
            self.left_out += len(block.carried)

    def _loop(self, loop: Loop, indent: str) -> None:
        axis = loop.axis
        entered = self.names.enter()
        name = self.names.of(axis)
        if axis in self.names.renamed:
            name += f" {quoted(self.names.renamed[axis])}"
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
            form = self.forms[type(inst)] = Trailing(type(inst), self.elide)
        dst = inst.dst if form.has_dst else None
        if dst is not None:
            stated = "" if inst.type is dst.type else f": {inst.type}"
            left = f"{dst.use_str(names)}{stated} = "
        elif inst.type is _NONE:
            left = ""
        elif form.has_one_result:  # which is the instruction
            left = f"%{names.of(inst)}: {self._type(inst.type)} = "
            if names.renamed:
                left = f"{self._defined(inst)} = "
        else:
            left = ", ".join("none" if r is None else self._defined(r) for r in inst.all_results) + " = "
        right = inst.rhs_str(names)
        # `extras` in place of `rounding`: the property would add 5% to the time of a chain of graph instructions.
        if form.has_more or inst.loc is not None or inst.extras is not None:
            right += form.text(inst, names)
        if form.has_regions:
            self.write(f"{indent}{left}{right}")
            self._regions(inst, indent, len(indent) + len(left) + len(right))
        else:
            self.write(f"{indent}{left}{right}\n")

    def _regions(self, inst: Instruction, indent: str, column: int) -> None:
        """Print the regions of an instruction; the line has `column` columns already."""
        labels = _labels(inst)
        hidden = self.names.hide(inst.results) if labels else []
        for label, block in zip(labels, inst.blocks, strict=True):
            entered = self.names.enter()
            around = column + len(f" {label}() {{")
            arguments = f"({self._arguments(block.arguments, around, indent)})" if block.arguments else ""
            self.write(f" {label}{arguments} {{\n")
            column = len(indent) + 1
            self._block(block, indent + _INDENT)
            self.write(f"{indent}}}")
            self.names.leave(entered)
        self.names.show(hidden)
        self.write("\n")


def _labels(inst: Instruction) -> Sequence[str]:
    """Return what stands in front of each region of an instruction."""
    if isinstance(inst, GenericInst):
        return [region_label(*key) for key in inst.region_keys] if inst.blocks else ()
    return inst.INFO.region_names


class _OutlinePrinter(_FunctionPrinter):
    """Prints a statement without what stands in its blocks; the header of a block stands on one line."""

    _width = sys.maxsize

    def statement(self, statement: Statement) -> None:
        """Print an instruction or a loop."""
        if isinstance(statement, Instruction):
            self._instruction(statement, "")
        else:
            assert isinstance(statement, Loop), f"{statement!r} is no statement"
            self._loop(statement, "")

    def _block(self, block: Block, indent: str) -> None:
        pass
