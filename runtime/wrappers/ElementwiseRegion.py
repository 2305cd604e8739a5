"""What may stand in a region of element-by-element operations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from generated.graph.ElementwiseRegionGen import ElementwiseRegionGen
from runtime.blocks import Statement
from runtime.builtin import Yield
from runtime.instructions import Instruction, Problem
from runtime.values import Operand

_OPERATIONS: Final = ("graph.activation", "graph.binary", "graph.cast", "graph.compare", "graph.where")


class ElementwiseRegion(ElementwiseRegionGen):
    """A region of element-by-element operations on what it is given, and on nothing else."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if not self.inputs:
            yield Problem("there are no inputs; expected at least one")
        inside: set[Operand] = set(self.body.arguments)
        for statement in self.body:
            yield from _problems(statement, inside)
            inside.update(statement.results)


def _problems(statement: Statement, inside: set[Operand]) -> Iterator[Problem]:
    if not isinstance(statement, Instruction):
        yield Problem("its body holds a loop; expected element-by-element operations only")
        return
    name = statement.INFO.mnemonic
    if name not in _OPERATIONS and not isinstance(statement, Yield):
        yield Problem(f"its body holds `{name}`; expected one of {', '.join(_OPERATIONS)}")
    if any(operand not in inside for operand in statement.operands()):
        yield Problem(f"`{name}` of its body uses a value from outside, which is to be an input")
