"""Where the parts of a statement stand in its text, for carets.

Deliberately absent: reading, and looking for what a part says. The text was parsed or printed, so it is in order, and
is walked along as the form of its class says. What is not as the form says ends the walk; what was met so far counts.

The parts of an instruction: `dst`; `result`, the first type, and `result[0]`, `result[1]`, all types; each field that
the text shows; the items of a variadic operand, `values[1]`; the brace that closes a region, `end of then`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress

from runtime.generic import GenericInst
from runtime.info import Group, InstructionInfo, Show
from runtime.instructions import Instruction
from runtime.quoting import STRING, WORD, WORD_ENDS
from runtime.text.forms import Label, literal_pattern, with_labels
from runtime.text.numbers import NUMBER
from runtime.text.recovery import BLOCK
from runtime.text.scanner import LINES, NAME, SPACE

Span = tuple[int, int]

_name = re.compile(f"%{NAME}")
_operand = re.compile(f"%{NAME}|none{WORD_ENDS}")
_label = re.compile(rf"(?:{WORD}|{STRING})(?:\[[0-9]++\])?")
_reference = re.compile(rf"@{NAME}{SPACE}:{SPACE}(?:{WORD}|{STRING})")
_opens = re.compile(rf"\[|{SPACE}<")
_block = re.compile(BLOCK)
_string = re.compile(STRING)
_word = re.compile(rf"{NUMBER.pattern}|[A-Za-z0-9_.?]++")
_contents = re.compile(r"(?:dense|carried)[ \t]*+(?=<)")
_space = re.compile(SPACE)
_lines = re.compile(LINES)
_shown = re.compile(rf'(?:{STRING}|/(?!/)|[^/"\n])*+')
_marks = {pair[0]: re.compile(rf"{STRING}|//[^\n]*+|[{re.escape(pair)}]") for pair in ("[]", "{}", "<>", "()")}


def spans_of(text: str, start: int, inst: Instruction) -> Mapping[str, Span]:
    """Return where each part of an instruction, whose text starts at `start`, stands."""
    walk = _Walk(text, start)
    with suppress(_Lost):
        walk.instruction(inst)
    return walk.spans


def span_of_type(text: str, start: int) -> Span | None:
    """Return where the type stands in `tensor %name: type` or `%name: type`, which starts at `start`."""
    walk = _Walk(text, start)
    with suppress(_Lost):
        walk.accept("tensor")
        walk.definition()
        return walk.type()
    return None


def end_of_first_line(text: str, start: int) -> int:
    """Return where the first line of the statement at `start` ends, without a comment and the brace of a block."""
    match = _shown.match(text, start)
    assert match is not None, "the pattern matches nothing at least"
    return start + len(match.group().rstrip().removesuffix("{").rstrip())


class _Lost(Exception):
    """The text is not as the form says."""


class _Walk:
    """A position in the text of a statement, and the spans met so far."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.pos = start
        self.spans: dict[str, Span] = {}

    def instruction(self, inst: Instruction) -> None:
        """Walk along a whole instruction."""
        info = inst.INFO
        if self._is_next("%"):
            self._left(inst)
            self.literal("=")
        self.literal(str(info.mnemonic))
        self._form(info, with_labels(info, info.rhs))
        if self._is_next("{") and self._match(_block) is None:
            self.accept("{")
            self._dictionary(info)
        for name in inst.region_names if isinstance(inst, GenericInst) else info.region_names:
            self.take(_label)
            if self._is_next("("):
                self._bracket("(")
            _, end = self._bracket("{")
            self.spans[f"end of {name}"] = end - 1, end

    def definition(self) -> None:
        """Walk along `%name:`, or `%name "own name":`, up to the type."""
        self.take(_name)
        if self._is_next('"'):
            self.take(_string)
        self.literal(":")

    def type(self) -> Span:
        """Walk along a type, or along anything that is written like one."""
        if self._is_next('"'):
            return self.take(_string)
        start, end = self.take(_word)
        opens = _opens.match(self.text, end)
        if opens is not None:
            self.pos = opens.end() - 1
            self._bracket(self.text[self.pos])
        return start, self.pos

    def _left(self, inst: Instruction) -> None:
        """Walk along what the instruction writes or defines."""
        if inst.dst is not None:
            self.spans["dst"] = self._operand()
            if self.accept(":"):
                self.spans["result"] = self.spans["result[0]"] = self.type()
            return
        for index, result in enumerate(inst.all_results or (inst,)):
            if index:
                self.literal(",")
            if result is None:
                self.spans[f"result[{index}]"] = self.take(_word)
                continue
            self.definition()
            self.spans[f"result[{index}]"] = self.type()
        self.spans["result"] = self.spans["result[0]"]

    def _form(self, info: InstructionInfo, parts: Sequence[str | Show | Group | Label]) -> None:
        for part in parts:
            match part:
                case str():
                    self.literal(part)
                case Label():
                    self._label(part)
                case Group(parts=(str(first), *_)) if self._match(_pattern(first)) is not None:
                    self._form(info, part.parts)
                case Show(name) if not _is_variadic(info, name):
                    self.spans[name] = self._value(info, name)
                case Show(name) if self._match(_operand) is not None:
                    self.spans[name] = self._operands(name)

    def _label(self, label: Label) -> None:
        self.spans[label.space] = self.spans[label.name] = self.take(_string)
        if self.accept("::"):
            self.spans[label.name] = self.take(_string)

    def _dictionary(self, info: InstructionInfo) -> None:
        """Walk along the entries of the trailing dictionary, whose brace was just met; an entry is one part."""
        self.take(_lines)
        while not self.accept("}"):
            start, end = self.take(_string if self._is_next('"') else _word)
            name = self.text[start:end]
            self.take(_lines)
            self.literal("=")
            self.take(_lines)
            is_listed = _is_variadic(info, name) and name not in info.shown  # an open attribute may have any name
            is_open = info.open_attributes and name not in info.fields
            value = self._open_value if is_open else self._value
            _, end = self._list_of_operands(name) if is_listed else value(info, name)
            self.spans.setdefault(name, (start, end))
            self.take(_lines)
            if self.accept(","):
                self.take(_lines)

    # Values of fields.

    def _value(self, info: InstructionInfo, name: str) -> Span:
        if self._is_next("%"):
            return self._operand()
        if self._is_next("["):
            return self._bracket("[")
        if self._is_next('"'):
            return self.take(_string)
        kind = next((attribute.type for attribute in info.attributes if attribute.name == name), "")
        return self._type_or_constant() if kind in ("type", "tensor") else self.take(_word)

    def _type_or_constant(self) -> Span:
        """Walk along a type, contents, or a type and contents."""
        start = self.pos
        if self._match(_contents) is None:
            self.type()
        end = self.pos
        while self._match(_contents) is not None:
            self.take(_contents)
            _, end = self._bracket("<")
        self.pos = end
        return start, end

    def _open_value(self, info: InstructionInfo, name: str) -> Span:
        """Walk along the value of an open attribute, which is known by its looks."""
        if not self._is_next("@"):
            return self._bracket("[") if self._is_next("[") else self._type_or_constant()
        start, _ = self.take(_reference)
        return start, self.pos

    def _operand(self) -> Span:
        start, end = self.take(_operand)
        if self.text.startswith("[", end):
            self._bracket("[")
        return start, self.pos

    def _operands(self, name: str) -> Span:
        """Walk along operands with commas between."""
        found = [self._operand()]
        while self.accept(","):
            self.take(_lines)
            found.append(self._operand())
        self.spans.update((f"{name}[{index}]", span) for index, span in enumerate(found))
        return found[0][0], found[-1][1]

    def _list_of_operands(self, name: str) -> Span:
        """Walk along operands in brackets."""
        self.literal("[")
        start = self.pos - 1
        self.take(_lines)
        if self._match(_operand) is not None:
            self._operands(name)
            self.take(_lines)
        self.literal("]")
        return start, self.pos

    def _bracket(self, opening: str) -> Span:
        """Walk along from a bracket behind the one that closes it."""
        if not self._is_next(opening):
            raise _Lost
        start, depth = self.pos, 0
        for match in _marks[opening].finditer(self.text, start):
            mark = match.group()
            if len(mark) == 1:  # else a comment or a text in quotes
                depth += 1 if mark == opening else -1
            if not depth:
                self.pos = match.end()
                return start, self.pos
        raise _Lost

    # Moving on.

    def take(self, pattern: re.Pattern[str]) -> Span:
        """Go behind what `pattern` matches next on this line."""
        match = self._match(pattern)
        if match is None:
            raise _Lost
        self.pos = match.end()
        return match.span()

    def literal(self, literal: str) -> None:
        """Go behind a literal of a form, with white space as it may be."""
        self.take(_pattern(literal))

    def accept(self, sign: str) -> bool:
        """Go behind `sign` if it stands next on this line."""
        found = self._is_next(sign)
        self.pos += len(sign) * found
        return found

    def _is_next(self, sign: str) -> bool:
        self._match(_space)
        return self.text.startswith(sign, self.pos)

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Go to the next thing on this line and return the match of `pattern` there."""
        space = _space.match(self.text, self.pos)
        assert space is not None, "the pattern matches nothing at least"
        self.pos = space.end()
        return pattern.match(self.text, self.pos)


def _pattern(literal: str) -> re.Pattern[str]:
    return re.compile(literal_pattern(literal))


def _is_variadic(info: InstructionInfo, name: str) -> bool:
    return any(operand.variadic for operand in info.operands if operand.name == name)
