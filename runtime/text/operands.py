"""Reading operands: values, `%t` for a whole tensor, access patterns `%t[0 + 128*%i | 512:128 @p, 1:8 | as bf16]`."""

from __future__ import annotations

import re

from runtime.access import APIndex, NeuronAP
from runtime.affine import Affine, Axis
from runtime.quoting import BARE
from runtime.tensors import Tensor
from runtime.text.scanner import SPACE, Scanner
from runtime.text.scope import Scope, any_name
from runtime.text.type_reader import read_dtype
from runtime.values import Operand

_DYNAMIC = "an offset is affine: 0 + 128*%i - 4*%j"

# `[constant + factor*%axis | pairs]`, which nearly every pattern is; the pairs are few texts that repeat.
_usual_pattern = re.compile(
    rf'\[{SPACE}(-?[0-9]{{1,18}}){SPACE}(?:\+{SPACE}(-?[0-9]{{1,18}})\*%({BARE}){SPACE})?\|([^\]|"\n]*+)\]'
)
_factor = re.compile(r"([0-9]++)[ \t]*+(?:(\*)[ \t]*+)?")


def read_operand(scanner: Scanner, scope: Scope, what: str) -> Operand:
    """Return the value or access that stands next; `what` says in a message which one is expected."""
    scanner.skip_space()
    start = scanner.pos
    if not scanner.text.startswith("%", start):
        scanner.fail_expecting(f"{what}, a value such as %x", code="T024", help=scope.did_you_mean_a_name())
    name = scanner.name("%", f"{what}, a value such as %x", "T024")
    found = scope.find(name, start, scanner.pos)
    if isinstance(found, Axis):
        help = "only the offset of an access pattern may use it"
        scanner.fail("T013", f"%{name} is the axis of a loop, not a value", start, scanner.pos, help=help)
    if isinstance(found, Tensor):
        return read_access(scanner, scope, found)
    if scanner.text.startswith("[", scanner.pos):
        help = "only tensors have access patterns"
        scanner.fail("T013", f"%{name} is a value, not a tensor", start, scanner.pos, help=help)
    return found


def read_access(scanner: Scanner, scope: Scope, tensor: Tensor) -> NeuronAP:
    """Return the access to `tensor`, whose name was just read: to the whole of it, or by the pattern that follows."""
    if not scanner.text.startswith("[", scanner.pos):
        return NeuronAP(tensor)
    match = _usual_pattern.match(scanner.text, scanner.pos)
    usual = None if match is None else _usual_access(scanner, scope, tensor, match)
    if usual is not None:
        return usual
    scanner.pos += 1
    offset = read_offset(scanner, scope)
    if not scanner.accept("|"):
        help = "a pattern is %t[offset | step:num, step:num]; %t alone is the whole tensor"
        scanner.fail_expecting('"|" and the pairs step:num', help=help)
    pairs: list[tuple[int, int]] = []
    indices: list[APIndex | None] = []
    while not (scanner.accept("]") or scanner.accept("|")):
        if pairs and not scanner.accept(","):
            scanner.fail_expecting('",", "|" or "]"')
        pairs.append(_read_pair(scanner))
        indices.append(read_index(scanner) if scanner.accept("@") else None)
    dtype = None
    if scanner.text[scanner.pos - 1] == "|":
        scanner.expect("as")
        dtype = read_dtype(scanner, "what the bits are read as")
        scanner.expect("]")
    named = tuple(indices) if any(indices) else ()
    if match is not None:
        scanner.pairs[match[4]] = (tuple(pairs), named)
    return NeuronAP(tensor, pairs, offset, reinterpret=dtype, indices=named)


def _usual_access(scanner: Scanner, scope: Scope, tensor: Tensor, match: re.Match[str]) -> NeuronAP | None:
    """Return the access of which `match` is the pattern, if its pairs were read before: a fifth of the time."""
    constant, factor, name, pairs_text = match.groups()
    known = scanner.pairs.get(pairs_text)
    axis = None if name is None else scope.others.get(name)
    if known is None or (name is not None and not isinstance(axis, Axis)):
        return None
    scanner.pos = match.end()
    terms = ((axis, int(factor)),) if isinstance(axis, Axis) else ()
    return NeuronAP(tensor, known[0], Affine(int(constant), terms), indices=known[1])


def read_index(scanner: Scanner) -> APIndex:
    """Return the access-pattern index whose `@` was just read."""
    scanner.pos -= 1
    spelled = scanner.name("@", "the name of an index")
    return APIndex(any_name(spelled))


def _read_pair(scanner: Scanner) -> tuple[int, int]:
    step = scanner.integer("a pair step:num")
    scanner.expect(":")
    start = scanner.pos
    num = scanner.integer("a number of elements")
    if num < 0:
        scanner.fail("T032", "a number of elements is not negative", start, scanner.pos)
    return step, num


def read_offset(scanner: Scanner, scope: Scope) -> Affine:
    """Return the sum of numbers and multiples of axes that stands next."""
    constant = 0
    terms: list[tuple[Axis, int]] = []
    sign = -1 if scanner.accept("-") else 1
    while True:
        axis, factor = _read_term(scanner, scope)
        if axis is None:
            constant += sign * factor
        else:
            terms.append((axis, sign * factor))
        if scanner.accept("+"):
            sign = -1 if scanner.accept("-") else 1
        elif scanner.accept("-"):
            sign = -1
        else:
            return Affine(constant, tuple(terms))


def _read_term(scanner: Scanner, scope: Scope) -> tuple[Axis | None, int]:
    match = scanner.peek(_factor)
    factor = 1
    if match is not None:
        factor = scanner.whole(match[1], match.start())
        scanner.pos = match.end()
        if match[2] is None:
            return None, factor
    start = scanner.pos
    name = scanner.name("%", "a number or an axis such as %i")
    found = scope.find(name, start, scanner.pos)
    if not isinstance(found, Axis):
        message = f"%{name} is not the axis of a loop around this"
        scanner.fail("T013", message, start, scanner.pos, help=_DYNAMIC)
    return found, factor
