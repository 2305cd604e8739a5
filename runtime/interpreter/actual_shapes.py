"""What an instruction asks of its operands, asked again of the shapes that they have in a run.

The verifier cannot judge an extent that is not known. numpy would broadcast what is wrong, or say so in words of its
own; so the rules of the instruction are applied to a copy of it whose operands have the types that are there now.

Deliberately absent: instructions whose operands are all known, which the verifier has judged, and those with regions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.blocks import Block
from runtime.instructions import Instruction
from runtime.interpreter.errors import InterpreterError
from runtime.types import Type
from runtime.values import BlockArgument, Value

Shapes = tuple[tuple[int, ...] | None, ...]


class ActualShapes:
    """The checks of one run; an instruction is looked at once for all operands of the same shapes."""

    def __init__(self) -> None:
        self._open: dict[Instruction, bool] = {}
        self._passed: set[tuple[Instruction, Shapes]] = set()

    def check(self, inst: Instruction, operands: Sequence[Any]) -> None:
        """Refuse operands whose shapes the instruction's own rules forbid.

        Raises: InterpreterError with the first rule that is broken.
        """
        is_open = self._open.get(inst)
        if is_open is None:
            is_open = self._open[inst] = _is_open(inst)
        if not is_open:
            return
        held = _flat(getattr(inst, operand.name) for operand in inst.INFO.operands)
        found = _flat(operands)
        shapes = tuple(np.shape(array) if isinstance(array, np.ndarray) else None for array in found)
        if (inst, shapes) in self._passed or len(held) != len(found):
            return
        block = Block()
        stand_ins: dict[object, object] = {}
        for value, shape in zip(held, shapes, strict=True):
            if isinstance(value, Value) and value.type.is_tensor and shape is not None:
                stand_ins[value] = BlockArgument(block, Type.tensor(value.type.dtype, shape))
        copy = inst.clone(stand_ins)
        try:
            problem = next(iter(copy.verify()), None)
        finally:
            copy.eraseFromParent()  # which lets go of the edges that a clone takes over
        if problem is not None:
            raise InterpreterError(problem.message)
        self._passed.add((inst, shapes))


def _is_open(inst: Instruction) -> bool:
    if inst.blocks or inst.INFO.semantics is None:
        return False
    types = [operand.type for operand in inst.operands() if isinstance(operand, Value)]
    return any(type.is_tensor and not _is_known(type) for type in types)


def _is_known(type: Type) -> bool:
    return type.shape is not None and all(isinstance(extent, int) for extent in type.shape)


def _flat(fields: Any) -> list[Any]:
    return [one for field in fields for one in (field if isinstance(field, tuple) else (field,))]
