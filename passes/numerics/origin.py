"""Where an unstated difference comes from: the first instruction that computes something else than its counterpart.

Deliberately absent: certainty. Counterparts are found by name and structure, by `runtime.compare`; where nothing that
has one introduces the difference, what was rewired, or stands in one program only, is shown.
"""

from __future__ import annotations

from collections.abc import Iterator

from passes.numerics.inputs import InputSet
from passes.numerics.stated import Rounded
from runtime.comparison import Compared, Comparison, compare
from runtime.diagnostics import Note
from runtime.functions import Module
from runtime.interpreter.errors import InterpreterError
from runtime.tracing.table import cut

_SHOWN = 3


def where_it_comes_from(
    before: Module,
    after: Module,
    inputs: InputSet,
    removed: Rounded,
    added: Rounded,
) -> tuple[Note, ...]:
    """Return notes for people; what the pass states is not among them."""
    try:
        found = compare(before, after, inputs.arrays, function=inputs.function)
    except (InterpreterError, MemoryError) as error:
        return (Note(f"where it comes from cannot be told: {str(error).partition(chr(10))[0]}"),)
    guilty = [one for one in found.ranking if _introduces(one) and one.second not in added and one.first not in removed]
    if guilty:
        return (Note(f"it comes from {_shown(min(guilty, key=lambda one: one.order))}"),)
    others = tuple(_others(found))[:_SHOWN]
    different = [one for one in found.ranking if one.total is not None and one.total.differing]
    if others or not different:
        return others or (Note("no instruction by itself introduces it"),)
    return (Note(f"the first value that differs is that of {_shown(min(different, key=lambda one: one.order))}"),)


def _shown(one: Compared) -> str:
    was = f", which was `{cut(one.first_line)}`" if one.first_line and one.first_line != one.line else ""
    return f"`{cut(one.line)}` in @{one.function}{was}"


def _introduces(one: Compared) -> bool:
    return one.introduced is not None and bool(one.introduced.differing)


def _others(found: Comparison) -> Iterator[Note]:
    for second, first in found.rewired:
        yield Note(f"it comes from `{cut(second)}`, which has other operands: it was `{cut(first)}`")
    for line in found.only_second:
        yield Note(f"it comes with `{cut(line)}`, which was not there before")
    for line in found.only_first:
        yield Note(f"it comes where `{cut(line)}` is gone")
