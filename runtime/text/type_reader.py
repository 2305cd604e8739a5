"""Types, element types and shapes in text: `f32[128,N,?]`, `seq<f32[*]>`, `bf16`, `[2, ?]`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn

from runtime.diagnostics import did_you_mean
from runtime.dtypes import DTYPES, DType, UnknownDTypeError, dtype_of
from runtime.quoting import WORD
from runtime.text.scanner import Scanner
from runtime.types import Dim, Shape, Type

SIMPLE_TYPE = r'[A-Za-z0-9?]++\[[^\]\["\n]*+\]'
"""The pattern of a tensor type without quotes: what nearly every type in a program is."""

_DEEPEST = 32  # sequences of sequences: a limit that no program meets, so that a hostile text cannot exhaust the stack
_FORM = "types are written f32[2,N,?], f32[*], f32[], seq<f32[2]>, opt<f32[2]>, none, unknown"

_simple_type = re.compile(SIMPLE_TYPE)
_head = re.compile(r"[A-Za-z0-9_?]++")
_dim_word = re.compile(WORD)
_digits = re.compile(r"[0-9]++(?![A-Za-z_.])")
_WRAPPERS: dict[str, Callable[[Type], Type]] = {"seq": Type.sequence, "opt": Type.optional}
_PLAIN = {"none": Type.none(), "unknown": Type.unknown()}


def read_type(scanner: Scanner) -> Type:
    """Return the type that stands next."""
    match = scanner.peek(_simple_type)
    if match is not None:
        known = scanner.types.get(match.group())
        if known is not None:
            scanner.pos = match.end()
            return known
    start = scanner.pos
    found = _read_type(scanner, 0)
    if match is not None:
        scanner.types[scanner.text[start : scanner.pos]] = found
    return found


def read_dtype(scanner: Scanner, what: str) -> DType:
    """Return the element type whose name stands next; `what` says in a message what it is for."""
    name = scanner.word(f"{what}, an element type")
    return _dtype(scanner, name, scanner.pos - len(name))


def read_shape(scanner: Scanner, what: str) -> Shape:
    """Return the list of extents that stands next."""
    if not scanner.accept("["):
        scanner.fail_expecting(f"{what}, a shape such as [2, N, ?]", code="T024")
    return _read_dims(scanner)


def known_extents(scanner: Scanner, type: Type, what: str, start: int) -> tuple[DType, tuple[int, ...]]:
    """Return dtype and shape of the type that ends at the position; `what` needs all of both known."""
    if type.dtype is None:
        _fail_unknown(scanner, type, what, start)
    return type.dtype, known_shape(scanner, type, what, start)


def known_shape(scanner: Scanner, type: Type, what: str, start: int) -> tuple[int, ...]:
    """Return the shape of the type that ends at the position; `what` needs all extents known."""
    extents = tuple(dim for dim in type.shape or () if isinstance(dim, int))
    if type.shape is None or len(extents) != len(type.shape):
        _fail_unknown(scanner, type, what, start)
    return extents


def _fail_unknown(scanner: Scanner, type: Type, what: str, start: int) -> NoReturn:
    help = "the element type and all extents are known: f32[128,512]"
    scanner.fail("T031", f"{what} cannot be of type {type}", start, scanner.pos, help=help)


def _read_type(scanner: Scanner, depth: int) -> Type:
    word = scanner.take(_head)
    if word is None:
        scanner.fail_expecting("a type", help=_FORM)
    start = scanner.pos - len(word)
    if scanner.text.startswith("[", scanner.pos):
        dtype = None if word == "?" else _dtype(scanner, word, start)
        scanner.pos += 1
        return Type.tensor(dtype, None if _accept_unknown_rank(scanner) else _read_dims(scanner))
    if word in _PLAIN:
        return _PLAIN[word]
    wrap = _WRAPPERS.get(word)
    if wrap is None:
        bare = next((f"write {word}[] for a scalar" for dtype in DTYPES if dtype.name == word), "")
        help = bare or did_you_mean(word, (*_PLAIN, *_WRAPPERS)) or _FORM
        scanner.fail("T031", f'"{word}" is not a type', start, scanner.pos, help=help)
    if depth == _DEEPEST:
        scanner.fail("T003", f"types are nested more than {_DEEPEST} deep", start, scanner.pos)
    scanner.expect("<")
    element = _read_type(scanner, depth + 1)
    scanner.expect(">")
    return wrap(element)


def _accept_unknown_rank(scanner: Scanner) -> bool:
    if not scanner.accept("*"):
        return False
    scanner.expect("]")
    return True


def _read_dims(scanner: Scanner) -> tuple[Dim, ...]:
    """Return the extents up to the closing bracket, and go behind it."""
    dims: list[Dim] = []
    while not scanner.accept("]"):
        if dims and not scanner.accept(","):
            scanner.fail_expecting('"," or "]"')
        dims.append(_read_dim(scanner))
    return tuple(dims)


def _read_dim(scanner: Scanner) -> Dim:
    digits = scanner.take(_digits)
    if digits is not None:
        return scanner.whole(digits, scanner.pos - len(digits))
    if scanner.accept("?"):
        return None
    word = scanner.take(_dim_word)
    if word is not None:
        return word
    if scanner.text.startswith('"', scanner.pos):
        return scanner.string("an extent")
    scanner.fail_expecting("an extent", help="an extent is a number, a name, or ? where it is not known")


def _dtype(scanner: Scanner, name: str, start: int) -> DType:
    try:
        return dtype_of(name)
    except UnknownDTypeError as error:
        message, _, help = str(error).partition("; ")
        scanner.fail("T030", message, start, start + len(name), help=help)
