"""Executing a pair of counterparts once more, both on the same operands, to see what the second one introduces.

The operands are those of the first version's run, in the dtypes that the second version has them in: what is lost by
that rounding was lost where the operand was made, and is not this instruction's. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.access import NeuronAP
from runtime.blocks import Block
from runtime.dtypes import DType
from runtime.engines import NeuronEngine
from runtime.instructions import Instruction
from runtime.interpreter.errors import InterpreterError
from runtime.interpreter.inputs import INPUT_SEMANTICS
from runtime.interpreter.machine import Evaluator, Interpreter
from runtime.interpreter.results import parted, settle, settled
from runtime.rounding import cast_array, natural_dtype
from runtime.semantics import OutOfBounds, Placed, Positions, find
from runtime.types import Type
from runtime.values import Operand

Array = NDArray[Any]
Values = tuple[Any, ...]

_REFUSALS = (InterpreterError, ValueError, TypeError, LookupError, ArithmeticError, AttributeError)


class NotComparable(Exception):
    """Two counterparts cannot be executed on the same operands; the text says why."""


@dataclass(frozen=True)
class Again:
    """What both give on the same operands."""

    first: Values | None  # None: what it gave in the run, since no operand was rounded for the second one
    second: Values


def execute_again(
    first: Instruction, second: Instruction, machine: Interpreter, evaluators: tuple[Evaluator | None, Evaluator | None]
) -> Again:
    """Execute two counterparts where the run of the first version, whose machine this is, stands before the first one.

    Raises: NotComparable.
    """
    _check_comparable(first, second)
    try:
        on_same = _OnSameOperands(machine, first, second)
        of_second = _execute(second, on_same, on_same.for_second, evaluators[1])
        of_first = _execute(first, on_same, on_same.for_first, evaluators[0]) if on_same.any_rounded else None
    except _REFUSALS as error:
        raise NotComparable(str(error).partition("\n")[0]) from error
    return Again(of_first, of_second)


def _check_comparable(first: Instruction, second: Instruction) -> None:
    if first.INFO.semantics == INPUT_SEMANTICS:
        raise NotComparable("it hands on an input")
    if first.blocks or second.blocks:
        raise NotComparable("what stands in its regions is compared by itself")


class _OnSameOperands:
    """The operands of two counterparts, as the second one has them, and the `Machine` that reads them."""

    def __init__(self, machine: Interpreter, first: Instruction, second: Instruction) -> None:
        self.machine = machine
        self.out_of_bounds: OutOfBounds = machine.out_of_bounds
        self.any_rounded = False
        self.widened = False  # whether the operands are handed out in the dtypes of the first version
        self._wide: dict[int, tuple[Any, Any]] = {}  # by identity: what is rounded, and the same in the first dtype
        self.partner: dict[Operand, tuple[Operand, DType | None]] = {}
        self.for_second = tuple(
            self._operand(getattr(first, operand.name), getattr(second, operand.name), is_read=operand.access.is_load)
            for operand in second.INFO.operands
        )
        if (first.dst is None) != (second.dst is None):
            raise NotComparable("one writes a tensor, the other one does not")
        if first.dst is not None and second.dst is not None:
            self._link(first.dst, second.dst)

    @property
    def for_first(self) -> Values:
        """The operands in the dtypes of the first version."""
        return tuple(self._widened(value) for value in self.for_second)

    def _operand(self, first: Any, second: Any, *, is_read: bool = True) -> Any:
        """Return what an operand of both is; None for one that is absent, or only written."""
        if isinstance(first, tuple) and isinstance(second, tuple):
            if len(first) != len(second):
                raise NotComparable(f"one has {len(first)} operands, the other {len(second)}")
            return tuple(self._operand(one, other) for one, other in zip(first, second, strict=True))
        if first is None and second is None:
            return None
        if not isinstance(first, Operand) or not isinstance(second, Operand):
            raise NotComparable("an operand is absent in one of them")
        self._link(first, second)
        return self.value(second) if is_read else None

    def _link(self, first: Operand, second: Operand) -> None:
        self.partner[second] = self.partner[first] = (first, second.type.dtype)

    def _widened(self, value: Any) -> Any:
        """Return a value as it comes out in the dtype that it had in the first version's run."""
        if isinstance(value, tuple):
            return tuple(self._widened(one) for one in value)
        return self._wide.get(id(value), (value, value))[1]

    def _rounded(self, value: Any, dtype: DType | None) -> Any:
        """Return a value in the dtype of the second version, and remember it in that of the first one."""
        if not isinstance(value, np.ndarray) or dtype is None or value.dtype == dtype.numpy:
            return value
        own = natural_dtype(value.dtype)
        if own is None or not own.is_float or not dtype.is_float:
            raise NotComparable(f"an operand is {own} in one of them, and {dtype} in the other one")
        rounded = cast_array(value, own, dtype)
        wide = cast_array(rounded, dtype, own)
        self.any_rounded = True
        self._wide[id(rounded)] = (rounded, wide)
        return wide if self.widened else rounded

    # The machine, for semantics that read their operands themselves.

    @property
    def registers(self) -> dict[NeuronEngine, Array]:
        """What the accumulators of the engines hold; each that executes something here gets its own."""
        return dict(self.machine.registers)

    def value(self, operand: Operand) -> Any:
        first, dtype = self.partner[operand]
        return self._rounded(self.machine.value(first), dtype)

    def positions(self, access: NeuronAP) -> Positions:
        return self.machine.positions(self._access(access))

    def read(self, access: NeuronAP, positions: Positions) -> Array:
        found: Array = self._rounded(self.machine.read(self._access(access), positions), self.partner[access][1])
        return found

    def run(self, block: Block, arguments: Sequence[Any] = ()) -> Values:
        raise NotComparable("what stands in its regions is compared by itself")

    def input(self, name: str) -> Any:
        raise NotComparable("it hands on an input")

    def _access(self, access: NeuronAP) -> NeuronAP:
        first, _ = self.partner[access]
        if not isinstance(first, NeuronAP):
            raise NotComparable("an operand is an access to a tensor in one of them only")
        return first


def _execute(inst: Instruction, on_same: _OnSameOperands, operands: Values, evaluator: Evaluator | None) -> Values:
    semantics = None if inst.INFO.semantics is None else find(inst.INFO.semantics)
    if getattr(semantics, "uses_machine", False):
        assert semantics is not None
        on_same.widened = operands is not on_same.for_second
        result = semantics(inst, on_same)
    else:
        result = on_same.machine.compute(inst, operands, evaluator)
    n_stores = sum(not operand.access.is_load for operand in inst.INFO.operands)
    if n_stores:
        result, _ = parted(result, n_stores)
    if inst.dst is None:
        return settled(inst, result, cast_array)
    computed = result.values if isinstance(result, Placed) else np.asarray(result)
    shape = computed.shape if isinstance(result, Placed) else inst.dst.type.shape
    return (settle(computed, Type.tensor(inst.dst.dtype, shape or ()), cast_array, skip=False),)
