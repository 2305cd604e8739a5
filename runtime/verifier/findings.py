"""Where checks put what they find, and how it is shown: a diagnostic under the printed instruction.

Deliberately absent: text while checking. Names and lines are made for what was found wrong, after all checks. Also
absent: looking for a wrong value in a line, where it may stand twice; the form of an instruction says where a slot is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from runtime.blocks import Block, Statement
from runtime.diagnostics import Diagnostic, Note, Place
from runtime.functions import Function, Module
from runtime.instructions import Instruction
from runtime.names import Names
from runtime.predicates import AffinePredicate
from runtime.quoting import spelled_name
from runtime.tensors import Tensor
from runtime.text.places import Places, place_of
from runtime.text.printer import print_statement, print_tensor
from runtime.text.source import SourceText
from runtime.values import BlockArgument, Operand, Result, Value
from runtime.verifier.codes import CODES

Subject = Statement | Value | Function | Module


@dataclass(frozen=True, slots=True)
class Found:
    """One mistake; `{value}` in the message stands for `value`, printed."""

    code: str
    message: str
    subject: Subject
    part: str | None = None  # what is wrong of it, as `runtime.text.places.place_of` calls it
    value: Operand | AffinePredicate | None = None
    help: str = ""
    other: Instruction | None = None  # a second instruction that the reader must see


class Findings:
    """The mistakes of one program."""

    def __init__(self, places: Places | None = None) -> None:
        self._places = places
        self._found: dict[Function | None, list[Found]] = {}
        self._function: Function | None = None
        self._unprintable: set[Function | None] = set()
        self.count = 0  # of what was added, some of it twice perhaps

    def enter(self, function: Function) -> None:
        """Say that what follows is about `function`."""
        self._function = function

    def add(
        self,
        code: str,
        message: str,
        subject: Subject,
        part: str | None = None,
        value: Operand | AffinePredicate | None = None,
        help: str = "",
        other: Instruction | None = None,
    ) -> None:
        """Collect one mistake."""
        assert code in CODES, f"{code} is not in the table of codes"
        self.count += 1
        self._found.setdefault(self._function, []).append(Found(code, message, subject, part, value, help, other))

    def links_are_broken(self) -> None:
        """Say that the function entered cannot be walked, so that nobody tries in order to name its values."""
        self._unprintable.add(self._function)

    def diagnostics(self) -> list[Diagnostic]:
        """Return everything found, each once, functions and statements in program order."""
        result: list[Diagnostic] = []
        for function, found in self._found.items():
            walkable = function is not None and function not in self._unprintable
            order = {part: at for at, part in enumerate(_parts_of(function))} if walkable and function else {}
            names = _names_of(function) if walkable else Names()
            once = dict.fromkeys(found)  # a value in two slots is met twice
            for each in sorted(once, key=lambda each: order.get(each.subject, -1)):
                result.append(self._diagnostic(each, function, names))
        return result

    def _diagnostic(self, found: Found, function: Function | None, names: Names) -> Diagnostic:
        message = found.message
        if found.value is not None:
            message = message.replace("{value}", _shown(found.value, names))
        place, line = self._in_source(found) or _in_print(found, function, names)
        notes = () if found.other is None else (self._note(found.other, names),)
        return Diagnostic(found.code, message, place, line, found.help, notes)

    def _in_source(self, found: Found) -> tuple[Place, str] | None:
        """Return the place of a mistake in the text that the program was parsed from, and the line there."""
        if self._places is None or isinstance(found.subject, Module):
            return None
        place = self._places.of(found.subject, found.part)
        return None if place is None else (place, self._places.source_line(place))

    def _note(self, other: Instruction, names: Names) -> Note:
        line = _line_of(other, names)
        if other.parent is None:
            line += ", which stands in no block"
        return Note(f"the instruction is {line}", self._places.of(other) if self._places else None)


def counted(count: int, what: str) -> str:
    """Return a number of things in words: `1 result`, `2 results`."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def field_of(operand: Operand, inst: Instruction) -> str:
    """Return the name of the slot that holds `operand`; for messages only, since it looks at every slot."""
    if inst.dst is operand:
        return "dst"
    for info in inst.INFO.operands:
        held = getattr(inst, info.name)
        if held is operand:
            return info.name
        index = next((index for index, item in enumerate(held) if item is operand), None) if info.variadic else None
        if index is not None:
            return f"{info.name}[{index}]"
    return "operand"


def _names_of(function: Function | None) -> Names:
    try:
        return Names(function)
    except Exception:  # a name that is no text, which is reported itself
        return Names()


def _in_print(found: Found, function: Function | None, names: Names) -> tuple[Place, str]:
    """Return where a mistake stands in its statement as it is printed, and the line there."""
    subject = found.subject.owner if isinstance(found.subject, Result) else found.subject
    source = SourceText(_printed(subject, names), _where(subject, function, names))
    place = place_of(source, 0, subject, found.part)
    return Place(place.file, 0, place.column, place.length), source.line(place.line)


def _line_of(subject: Subject, names: Names) -> str:
    return _printed(subject, names).partition("\n")[0].removesuffix("{").rstrip()


def _printed(subject: Subject, names: Names) -> str:
    """Return the text of a part of a program without what stands in its blocks, as far as it can be printed."""
    try:
        return _text_of(subject, names)
    except Exception:  # a broken instruction may fail to print in any way; what is wrong with it is being said already
        return repr(subject)


def _text_of(subject: Subject, names: Names) -> str:
    match subject:
        case Statement():
            return print_statement(subject, names)
        case Tensor():
            return print_tensor(subject, names)
        case Value():
            return f"{subject.use_str(names)}: {subject.type}"
        case Function():
            return f"func @{spelled_name(subject.name)}"
    return f"target {subject.target}" if subject.target else ""


def _parts_of(function: Function) -> Iterator[Subject]:
    """Yield everything that a mistake may be about, in program order."""
    yield function
    yield from function.tensors.values()
    yield from _parts_below(function.body)


def _parts_below(block: Block) -> Iterator[Subject]:
    yield from block.arguments
    for statement in block:
        yield statement
        yield from statement.results[1:]
        for inner in statement.blocks:
            yield from _parts_below(inner)


def _where(subject: Subject, function: Function | None, names: Names) -> str:
    """Return what stands in place of a file: `@function %name`."""
    if function is None:
        return "program"
    named = isinstance(subject, (Tensor, BlockArgument)) or (isinstance(subject, Statement) and subject.results)
    return f"@{function.name} {_shown(subject, names)}" if named and isinstance(subject, Value) else f"@{function.name}"


def _shown(value: Operand | AffinePredicate, names: Names) -> str:
    try:
        return value.use_str(names)
    except Exception:  # as in `_printed`
        return repr(value)
