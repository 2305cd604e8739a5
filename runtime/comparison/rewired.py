"""Which counterparts read or write something else than each other, so that the same operands say nothing of them.

    %b: f32[4] = graph.binary sub %y, %x        // was: sub %x, %y
    %s: f32[1,4] = tensor_copy %t[4 | 4:1, 1:4]  // was: tensor_copy %t[0 | 4:1, 1:4]

An operand without a counterpart in the first version says nothing: a pass may have put it in.
Deliberately absent: predicates. Where they part, the two run different numbers of times, which is said by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from runtime.access import NeuronAP
from runtime.instructions import Instruction
from runtime.values import Operand, Value

Root = Callable[[object], Value]


def rewired(
    counterparts: Mapping[Instruction, Instruction], same: Mapping[Value, Value], root: Root
) -> Iterator[Instruction]:
    """Yield the instructions of the second version that have other operands than their counterparts.

    `same` has the counterparts of values; `root` is what a value is but for casts, in terms of the first version.
    """
    of_first = set(same.values())
    for second, first in counterparts.items():
        pairs = list(zip(_operands(second), _operands(first), strict=False))
        if any(_differ(one, other, same, root, of_first) for one, other in pairs):
            yield second


def _operands(inst: Instruction) -> list[Operand]:
    return [*inst.operands(), *([] if inst.dst is None else [inst.dst])]


def _differ(second: Operand, first: Operand, same: Mapping[Value, Value], root: Root, of_first: set[Value]) -> bool:
    found, expected = root(second), root(first)
    if found in of_first and expected in of_first and found is not expected:
        return True
    if not isinstance(second, NeuronAP) or not isinstance(first, NeuronAP):
        return False
    return same.get(second.tensor) is first.tensor and _elements(second) != _elements(first)


def _elements(access: NeuronAP) -> tuple[Any, ...] | None:
    """Return which elements an access touches; axes are equal where they take the same values."""
    terms = sorted((axis.lower, axis.step, axis.trip_count, factor) for axis, factor in access.offset.terms)
    return (access.pairs, access.offset.constant, terms, access.reinterpret)
