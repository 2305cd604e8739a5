"""Reading the fields of an instruction: for each kind of operand and attribute, a function that returns its value.

Deliberately absent: bounds, legal element types, memory spaces. What is asked here is only whether the text says a
value of the field's kind; whether the instruction may have that value is the verifier's question.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from runtime.diagnostics import did_you_mean, either
from runtime.info import AttributeInfo, InstructionInfo, OperandInfo
from runtime.quoting import WORD_ENDS
from runtime.text.constant_reader import read_tensor
from runtime.text.numbers import NUMBER, read_float
from runtime.text.operands import read_index, read_operand
from runtime.text.scanner import SPACE, Scanner, shortened
from runtime.text.scope import Scope
from runtime.text.type_reader import read_dtype, read_shape, read_type

FieldReader = Callable[[Scanner, Scope], Any]

DEEPEST_LIST = 32
_MOST_LISTED = 12  # words of an enumeration in a message

_none = re.compile(rf"none{WORD_ENDS}")
_percent = re.compile("%")
_operand_or_none = re.compile(rf"%|{_none.pattern}")
BOOLEAN = re.compile(rf"(?:true|false){WORD_ENDS}")
_enum_word = re.compile(rf"{SPACE}([A-Za-z0-9_]++)")


def reader_in_form(info: InstructionInfo, name: str) -> FieldReader:
    """Return what reads the field `name` where `rhs_str` shows it."""
    operand = next((operand for operand in info.operands if operand.name == name), None)
    if operand is not None and operand.variadic:
        read = _item_reader(operand, f'"{name}"')
        starts = _operand_or_none if operand.optional else _percent
        return lambda scanner, scope: _operands(scanner, scope, read, starts)
    return reader_in_dictionary(info, name)


def reader_in_dictionary(info: InstructionInfo, name: str) -> FieldReader:
    """Return what reads the field `name` in the trailing dictionary, where lists stand in brackets."""
    for operand in info.operands:
        if operand.name == name:
            return _operand_reader(operand)
    for attribute in info.attributes:
        if attribute.name == name:
            return _attribute_reader(attribute)
    assert name in info.ap_indices, f"{info.name} has no field {name}"
    return lambda scanner, scope: read_list(scanner, lambda: _index(scanner, name), f'"{name}", a list such as [@k]')


def read_open_value(scanner: Scanner, what: str, depth: int = 0) -> Any:
    """Return a value of an attribute that has no definition: int, float, bool, str, or a list of them."""
    if scanner.peek(BOOLEAN):
        return scanner.take(BOOLEAN) == "true"
    if scanner.text.startswith('"', scanner.pos):
        return scanner.string(what)
    if scanner.text.startswith("[", scanner.pos):
        if depth == DEEPEST_LIST:
            message = f"lists are nested more than {DEEPEST_LIST} deep"
            scanner.fail("T003", message, scanner.pos, scanner.pos + 1)
        return read_list(scanner, lambda: read_open_value(scanner, what, depth + 1), what)
    match = scanner.peek(NUMBER)
    if match is None:
        help = "a text stands in quotes"
        scanner.fail_expecting(f"{what}: a number, true, false, a text or a list", help=help, code="T024")
    if match.group().lstrip("+-").isdecimal():
        return scanner.integer(what)
    return read_float(scanner, what)


def _operand_reader(operand: OperandInfo) -> FieldReader:
    what = f'"{operand.name}"'
    read = _item_reader(operand, what)
    if operand.variadic:
        return lambda scanner, scope: read_list(scanner, lambda: read(scanner, scope), f"{what}, a list")
    return read


def _item_reader(operand: OperandInfo, what: str) -> FieldReader:
    if operand.optional:
        return lambda scanner, scope: None if scanner.take(_none) else read_operand(scanner, scope, what)
    return lambda scanner, scope: read_operand(scanner, scope, what)


def _attribute_reader(attribute: AttributeInfo) -> FieldReader:
    what = f'"{attribute.name}"'
    word = attribute.type
    if word.startswith("list["):
        read = _list_reader(_plain_reader(word[len("list[") : -1], attribute, f"an item of {what}"), what)
    else:
        read = _plain_reader(word, attribute, what)
    if not attribute.optional:
        return read
    return lambda scanner, scope: None if scanner.take(_none) else read(scanner, scope)


def _list_reader(item: FieldReader, what: str) -> FieldReader:
    return lambda scanner, scope: read_list(scanner, lambda: item(scanner, scope), f"{what}, a list")


def _plain_reader(kind: str, attribute: AttributeInfo, what: str) -> FieldReader:
    match kind:
        case "int":
            return lambda scanner, scope: scanner.integer(f"{what}, a whole number")
        case "float":
            return lambda scanner, scope: read_float(scanner, what)
        case "bool":
            return lambda scanner, scope: _read_bool(scanner, what)
        case "str":
            return lambda scanner, scope: scanner.string(f"{what}, a text in quotes", "T024")
        case "dtype":
            return lambda scanner, scope: read_dtype(scanner, what)
        case "shape":
            return lambda scanner, scope: read_shape(scanner, what)
        case "type":
            return lambda scanner, scope: read_type(scanner)
        case "tensor":
            return lambda scanner, scope: read_tensor(scanner, what)
    assert kind == "enum", f"{attribute.name} is of an unknown kind {kind}"
    words = tuple(str(word) for word in attribute.one_of)
    return lambda scanner, scope: _read_word(scanner, words, attribute.name, what)


def _read_bool(scanner: Scanner, what: str) -> bool:
    found = scanner.take(BOOLEAN)
    if found is None:
        scanner.fail_expecting(f"{what}, true or false", code="T024")
    return found == "true"


def _read_word(scanner: Scanner, words: tuple[str, ...], name: str, what: str) -> str:
    """Return one of `words`, quoted or not."""
    match = _enum_word.match(scanner.text, scanner.pos)
    if match is not None and match[1] in words:
        scanner.pos = match.end()
        return match[1]
    scanner.skip_space()
    in_quotes = scanner.text.startswith('"', scanner.pos)
    start = scanner.pos
    found = scanner.string(what) if in_quotes else scanner.take(_enum_word)
    if found is None:
        scanner.fail_expecting(f"{what}, a word", code="T024", help=_listed(words))
    if found not in words:
        help = did_you_mean(found, words) or _listed(words)
        scanner.fail("T025", f'{name} has no value "{shortened(found)}"', start, scanner.pos, help=help)
    return found


def _listed(words: tuple[str, ...]) -> str:
    more = f" and {len(words) - _MOST_LISTED} more" if len(words) > _MOST_LISTED else ""
    return f"the words are {either(words[:_MOST_LISTED], 'and')}{more}" if words else ""


def _operands(scanner: Scanner, scope: Scope, read: FieldReader, starts: re.Pattern[str]) -> tuple[Any, ...]:
    """Return the operands that stand next, separated by commas; there may be none."""
    if scanner.peek(starts) is None:
        return ()
    found = [read(scanner, scope)]
    while scanner.accept(","):
        scanner.skip_to_operand()
        found.append(read(scanner, scope))
    return tuple(found)


def _index(scanner: Scanner, name: str) -> Any:
    if not scanner.accept("@"):
        scanner.fail_expecting(f'an index of "{name}", such as @k', code="T024")
    return read_index(scanner)


def read_list(scanner: Scanner, read_item: Callable[[], Any], what: str) -> tuple[Any, ...]:
    """Return the list in brackets that stands next; it may go over several lines."""
    scanner.skip_space()
    start = scanner.pos
    if not scanner.accept("["):
        scanner.fail_expecting(what, code="T024")
    return tuple(read_item() for _ in scanner.items("]", start))
