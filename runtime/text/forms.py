"""How the text of one instruction class is read: its `rhs_str`, then the fields that `rhs_str` does not show.

A form is made once a class and run; it is made from the class's `INFO`, so nothing here knows an instruction by name
but `opaque`, whose attributes are open. Those of generic instructions are open, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from runtime.builtin import Opaque
from runtime.diagnostics import did_you_mean, either
from runtime.engines import NeuronEngine
from runtime.generic import GenericInst
from runtime.info import Group, InstructionInfo, Show
from runtime.instructions import Instruction, NeuronInst
from runtime.quoting import WORD
from runtime.text.common_fields import COMMON, CONDITIONS
from runtime.text.conditions import read_condition
from runtime.text.fields import FieldReader, read_open_value, reader_in_dictionary, reader_in_form
from runtime.text.hexadecimal import read_hex
from runtime.text.open_reader import read_attribute
from runtime.text.scanner import GOES_ON, NAME, SPACE, Scanner, shortened
from runtime.text.scope import Scope

Fields = dict[str, Any]
Step = Callable[[Scanner, Scope, Fields], None]

_ROUNDINGS = ("user",)
_KEPT = ("true",)  # what is not kept is not mentioned
_ENGINES = {engine.value: engine for engine in NeuronEngine}

_word = re.compile(WORD)


@dataclass(frozen=True)
class Label:
    """Two texts of a form with `::` between them: they stand in one pair of quotes."""

    space: str
    name: str

    def __str__(self) -> str:
        return f'"{{{self.space}}}::{{{self.name}}}"'


class Form:
    """The text form of one class."""

    def __init__(self, cls: type[Instruction]) -> None:
        info = cls.INFO
        self.cls = cls
        self.info = info
        self.has_engine = issubclass(cls, NeuronInst)
        self.has_dst = self.has_engine and (info.dst is None or info.dst.is_allowed)
        self.is_generic = issubclass(cls, GenericInst)
        self.steps = _steps(info)
        self.usage = f"the form is: {_usage(info)}"
        self._read_open = read_attribute if self.is_generic else read_open_value if cls is Opaque else None
        self._readers = {name: reader_in_dictionary(info, name) for name in info.fields if name not in info.shown}
        self._required = tuple(operand.name for operand in info.operands if not (operand.optional or operand.variadic))
        self._required += tuple(a.name for a in info.attributes if a.required and not a.optional)
        self._unsaid = {a.name: a.default for a in info.attributes if a.optional and a.default is not None}
        self._variadic = tuple(o.name for o in info.operands if o.variadic and o.name not in info.shown)
        own = ("engine",) * self.has_engine + ("carried",) * self.is_generic
        self._words = (*self._readers, *own, *COMMON)

    def read(self, scanner: Scanner, scope: Scope) -> Fields:
        """Return the fields that `rhs_str` shows; the mnemonic was just read."""
        fields: Fields = {}
        for step in self.steps:
            step(scanner, scope, fields)
        return fields

    def read_dictionary(self, scanner: Scanner, scope: Scope, fields: Fields) -> None:
        """Add the fields of the trailing dictionary, if one stands next."""
        scanner.skip_space()
        start = scanner.pos
        if not scanner.accept("{"):
            return
        seen: set[str] = set()
        for _ in scanner.items("}", start):
            self._read_entry(scanner, scope, fields, seen)

    def complete(self, scanner: Scanner, fields: Fields, start: int) -> None:
        """Give list operands that are not mentioned no items, and say which other field is missing.

        An attribute that may be None has its default from here: its constructor may have another one.
        """
        for name in self._variadic:
            fields.setdefault(name, ())
        for name, default in self._unsaid.items():
            fields.setdefault(name, default)
        missing = [name for name in self._required if name not in fields]
        if missing:
            help = f"add {{{', '.join(f'{name} = ...' for name in missing)}}}"
            message = f'{self.info.mnemonic} needs {either(missing, "and")}'
            scanner.fail("T023", message, start, start + len(self.info.mnemonic or ""), help=help)

    def _read_entry(self, scanner: Scanner, scope: Scope, fields: Fields, seen: set[str]) -> None:
        start = scanner.pos
        in_quotes = scanner.text.startswith('"', start)
        found = scanner.string("a field") if in_quotes else scanner.take(_word)
        if found is None:
            scanner.fail_expecting("the name of a field")
        end = scanner.pos
        key = f'"{found}"' if in_quotes else found
        if key in seen:
            scanner.fail("T022", f'"{found}" is given twice', start, end)
        seen.add(key)
        read = None if in_quotes else self._reader(found)
        read_open = self._read_open
        if read is None and (read_open is None or (self.is_generic and not in_quotes and found in self.info.shown)):
            self._fail_unknown(scanner, found, start, end)
        scanner.skip_lines()
        scanner.expect("=")
        scanner.skip_lines()
        if read is not None:
            fields[found] = read(scanner, scope)
        elif read_open is not None:
            attributes = fields.setdefault("attributes", {})
            if found in attributes:
                scanner.fail("T022", f'"{found}" is given twice', start, end)
            attributes[found] = read_open(scanner, f'"{found}"')

    def _reader(self, name: str) -> FieldReader | None:
        if name == "loc":
            return lambda scanner, scope: scanner.string('"loc", a text in quotes', "T024")
        if name == "rounding":
            return lambda scanner, scope: _read_one_of(scanner, "rounding", _ROUNDINGS)
        if name == "keep_alu_dtype":
            return lambda scanner, scope: _read_one_of(scanner, "keep_alu_dtype", _KEPT) == "true"
        if name in CONDITIONS:
            return lambda scanner, scope: read_condition(scanner, scope, name)
        if name == "engine" and self.has_engine:
            return lambda scanner, scope: _ENGINES[_read_one_of(scanner, "engine", tuple(_ENGINES))]
        if name == "carried" and self.is_generic:
            return lambda scanner, scope: read_hex(scanner, '"carried"')
        return self._readers.get(name)

    def _fail_unknown(self, scanner: Scanner, found: str, start: int, end: int) -> None:
        if found in self.info.shown:
            message = f'"{found}" stands in the text of {self.info.mnemonic}, not in its dictionary'
            help = f'{self.usage}; an attribute of that name stands in quotes: "{found}" = ...' * self.is_generic
            scanner.fail("T022", message, start, end, help=help or self.usage)
        known = f"the fields here are {either(self._words, 'and')}"
        message = f'{self.info.mnemonic} has no field "{found}"'
        scanner.fail("T021", message, start, end, help=did_you_mean(found, self._words) or known)


def _read_one_of(scanner: Scanner, name: str, words: tuple[str, ...]) -> str:
    found = scanner.word(f'"{name}", a word')
    if found not in words:
        help = did_you_mean(found, words) or f"the words are {either(words, 'and')}"
        scanner.fail("T025", f'{name} has no value "{found}"', scanner.pos - len(found), scanner.pos, help=help)
    return found


def _steps(info: InstructionInfo) -> tuple[Step, ...]:
    if info.mnemonic == Opaque.INFO.mnemonic:
        return (_read_label, _field_step(info, "values"))
    return _sequence(info, info.rhs)


def _read_label(scanner: Scanner, scope: Scope, fields: Fields) -> None:
    fields["label"] = scanner.string("the name of the instruction, a text in quotes")


def _sequence(info: InstructionInfo, parts: tuple[str | Show | Group, ...]) -> tuple[Step, ...]:
    """Return the steps for some parts; a literal and a mandatory operand behind it are read in one match."""
    steps: list[Step] = []
    literal = ""
    for part in with_labels(info, parts):
        if isinstance(part, Label):
            steps += ([_literal_step(info, literal)] if literal else []) + [_label_step(info, part)]
            literal = ""
            continue
        if isinstance(part, str):
            literal += f" {part}"
            continue
        if isinstance(part, Show) and _is_plain_operand(info, part.name):
            steps.append(_operand_step(info, part.name, literal))
            literal = ""
            continue
        if literal:
            steps.append(_literal_step(info, literal))
            literal = ""
        steps.append(_field_step(info, part.name) if isinstance(part, Show) else _group_step(info, part))
    return (*steps, _literal_step(info, literal)) if literal else tuple(steps)


def _label_step(info: InstructionInfo, label: Label) -> Step:
    """Return the step for `"space::name"`; in two pairs of quotes where the first one may have a `::` in it."""
    default = next(attribute.default for attribute in info.attributes if attribute.name == label.space)

    def step(scanner: Scanner, scope: Scope, fields: Fields) -> None:
        scanner.skip_space()
        start = scanner.pos
        first = scanner.string(f"{label}, a text in quotes", "T024")
        end = scanner.pos
        if scanner.accept("::"):
            fields[label.space], fields[label.name] = first, scanner.string(f'"{label.name}", a text in quotes', "T024")
            return
        fields[label.space], sign, fields[label.name] = first.partition("::")
        if not sign:
            help = f'did you mean "{default}::{first}"?' if default else f"it is written {label}"
            message = f'the text does not say the {label.space}: {label} is expected, found "{shortened(first)}"'
            scanner.fail("T024", message, start, end, help=help)

    return step


def _is_plain_operand(info: InstructionInfo, name: str) -> bool:
    return any(operand.name == name and not (operand.optional or operand.variadic) for operand in info.operands)


def _operand_step(info: InstructionInfo, name: str, literal: str) -> Step:
    at_value = re.compile(rf"{literal_pattern(literal)}{SPACE}%({NAME})(?!\[)").match
    read_literal = _literal_step(info, literal) if literal else None
    read_slowly = _field_step(info, name)

    def step(scanner: Scanner, scope: Scope, fields: Fields) -> None:
        match = at_value(scanner.text, scanner.pos)
        value = scope.values.get(match[1]) if match is not None else None
        if match is not None and value is not None:
            scanner.pos = match.end()
            fields[name] = value
            return
        if read_literal is not None:
            read_literal(scanner, scope, fields)
        read_slowly(scanner, scope, fields)

    return step


def _field_step(info: InstructionInfo, name: str) -> Step:
    read = reader_in_form(info, name)

    def step(scanner: Scanner, scope: Scope, fields: Fields) -> None:
        fields[name] = read(scanner, scope)

    return step


def _literal_step(info: InstructionInfo, literal: str) -> Step:
    pattern = re.compile(literal_pattern(literal))
    words = [(word, re.compile(literal_pattern(word))) for word in _parts(literal)]

    def step(scanner: Scanner, scope: Scope, fields: Fields) -> None:
        match = pattern.match(scanner.text, scanner.pos)
        if match is None:
            missing = next(word for word, at_word in words if scanner.take(at_word) is None)
            scanner.fail_expecting(f'"{missing}"', help=f"the form is: {_usage(info)}")
        scanner.pos = match.end()

    return step


def _group_step(info: InstructionInfo, group: Group) -> Step:
    first = group.parts[0]
    assert isinstance(first, str), f"{info.name}: an optional group starts with a literal"
    starts = re.compile(literal_pattern(first))
    steps = _sequence(info, group.parts)

    def step(scanner: Scanner, scope: Scope, fields: Fields) -> None:
        if starts.match(scanner.text, scanner.pos):
            for inner in steps:
                inner(scanner, scope, fields)

    return step


def with_labels(info: InstructionInfo, parts: tuple[str | Show | Group, ...]) -> list[str | Show | Group | Label]:
    """Return the parts of a form, each two texts with `::` between them as one part."""
    texts = {attribute.name for attribute in info.attributes if attribute.type == "str"}
    found: list[str | Show | Group | Label] = []
    for part in parts:
        before = found[-2] if found[-1:] == ["::"] and len(found) > 1 else None
        if isinstance(before, Show) and isinstance(part, Show) and texts >= {before.name, part.name}:
            found[-2:] = [Label(before.name, part.name)]
        else:
            found.append(part)
    return found


def literal_pattern(literal: str) -> str:
    """Return the pattern of a literal, with any white space around its words and signs, behind a comma also lines."""
    ends = {",": GOES_ON}
    parts = (
        (SPACE, re.escape(part), ends.get(part, r"(?![A-Za-z0-9_])" * part[-1].isalnum())) for part in _parts(literal)
    )
    return "".join(piece for pieces in parts for piece in pieces)


def _parts(literal: str) -> list[str]:
    """Return the words and signs of a literal."""
    return re.findall(r"[A-Za-z0-9_]+|[^A-Za-z0-9_\s]", literal)


def _usage(info: InstructionInfo) -> str:
    """Return the text form as a definition writes it."""
    shown = [str(info.mnemonic)]
    for part in with_labels(info, info.rhs):
        if isinstance(part, Group):
            inner = (piece if isinstance(piece, str) else f"{{{piece.name}}}" for piece in part.parts)
            shown.append(f"(? {' '.join(inner)})")
        else:
            shown.append(f"{{{part.name}}}" if isinstance(part, Show) else str(part))
    return re.sub(r"(?<=[\[(]) | (?=[\]),;])", "", " ".join(shown))
