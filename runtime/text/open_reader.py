"""Reading the values of open attributes of generic instructions; open_values.py has the forms.

Deliberately absent: whether an operator may have such an attribute, which nobody here knows.
"""

from __future__ import annotations

import re
from typing import Any, Final

from runtime.diagnostics import did_you_mean
from runtime.dtypes import DTYPES
from runtime.generic import AttributeReference, EmptyList, Encoded
from runtime.quoting import STRING, WORD, WORD_ENDS
from runtime.text.constant_reader import contents_follow, read_tensor_of
from runtime.text.fields import BOOLEAN, DEEPEST_LIST, read_list
from runtime.text.hexadecimal import read_hex
from runtime.text.numbers import NUMBER, read_float
from runtime.text.open_values import REGION
from runtime.text.scanner import SPACE, Scanner
from runtime.text.scope import any_name
from runtime.text.type_reader import read_type

_DTYPES = {dtype.name: dtype for dtype in DTYPES}
_FORMS = "a number, true, false, a text, a list, a type, a tensor such as f32[2] dense<1.0> or another value"

_word = re.compile(WORD)
_word_or_string = re.compile(rf"{WORD}|{STRING}")
_wrapped = re.compile(rf"(bytes|encoded|empty){SPACE}<")
_type = re.compile(rf"\?\[|[A-Za-z0-9]++\[|(?:seq|opt)[ \t]*+<|(?:none|unknown){WORD_ENDS}")


class RegionToCome:
    """Stands for a region among the attributes until the regions have been read."""


REGION_TO_COME: Final = RegionToCome()


def read_attribute(scanner: Scanner, what: str) -> Any:
    """Return the value of an attribute; of a region, which is still to come, `REGION_TO_COME`."""
    word = scanner.peek(_word)
    if word is not None and word.group() == REGION:
        scanner.pos = word.end()
        return REGION_TO_COME
    return _read_value(scanner, what, 0)


def _read_value(scanner: Scanner, what: str, depth: int) -> Any:
    number = scanner.peek(NUMBER)
    if number is not None:
        return scanner.integer(what) if number.group().lstrip("+-").isdecimal() else read_float(scanner, what)
    sign = scanner.text[scanner.pos : scanner.pos + 1]
    if sign == '"':
        return scanner.string(what)
    if sign == "[":
        if depth == DEEPEST_LIST:
            message = f"lists are nested more than {DEEPEST_LIST} deep"
            scanner.fail("T003", message, scanner.pos, scanner.pos + 1)
        return read_list(scanner, lambda: _read_value(scanner, what, depth + 1), what)
    if sign == "@":
        return _read_reference(scanner, what)
    found = scanner.take(BOOLEAN)
    return found == "true" if found is not None else _read_word(scanner, what)


def _read_word(scanner: Scanner, what: str) -> Any:
    """Return the value that starts with a word, or with the `?` of a type."""
    wrapped = scanner.peek(_wrapped)
    if wrapped is not None:
        return _read_wrapped(scanner, wrapped, what)
    start = scanner.pos
    if scanner.peek(_type):
        type = read_type(scanner)
        return read_tensor_of(scanner, type, start) if contents_follow(scanner) else type
    found = scanner.take(_word)
    if found in _DTYPES:
        return _DTYPES[found]
    scanner.pos = start
    if contents_follow(scanner):
        help = "the type of a tensor stands in front of its contents: f32[2] dense<[1.0, 2.0]>"
    elif found == REGION:
        help = f"where the regions of a list have their place is said once: bodies = {REGION}"
    else:
        near = did_you_mean(found, (*_DTYPES, "true", "false", "none", "unknown", REGION)) if found else ""
        help = near or "a text stands in quotes"
    scanner.fail_expecting(f"{what}: {_FORMS}", help=help, code="T024")


def _read_wrapped(scanner: Scanner, wrapped: re.Match[str], what: str) -> bytes | Encoded | EmptyList:
    scanner.pos = wrapped.end()
    found: bytes | Encoded | EmptyList
    if wrapped[1] == "empty":
        found = EmptyList(_read_kind(scanner, "what the list is one of, such as int"))
    else:
        data = read_hex(scanner, what)
        found = Encoded(data) if wrapped[1] == "encoded" else data
    scanner.expect(">")
    return found


def _read_reference(scanner: Scanner, what: str) -> AttributeReference:
    spelled = scanner.name("@", f"{what}, a reference such as @slope: float", "T024")
    scanner.expect(":", help=f"what is referred to has a kind: @{spelled}: float")
    return AttributeReference(any_name(spelled), _read_kind(scanner, "a kind such as int, float, ints"))


def _read_kind(scanner: Scanner, what: str) -> str:
    found = scanner.take(_word_or_string)
    if found is None:
        scanner.fail_expecting(what)
    return scanner.unquoted(found, scanner.pos - len(found)) if found[0] == '"' else found
