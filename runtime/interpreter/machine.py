"""Executing statements: values, loop axes, regions, and each instruction through its semantics.

Deliberately absent: what any instruction computes. That is in `runtime.semantics`, found by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.access import NeuronAP
from runtime.affine import Axis
from runtime.blocks import Block, Loop
from runtime.instructions import Instruction
from runtime.interpreter.errors import InterpreterError, MissingSemanticsError, label_of
from runtime.interpreter.memory import Memory, positions_of
from runtime.interpreter.results import settle
from runtime.semantics import Placed, Positions, Semantics, find
from runtime.types import Type
from runtime.values import Operand, Value

Array = NDArray[Any]
Evaluator = Callable[..., Any]  # of an instruction and its operands, and of the machine where it `@uses_machine`

# numpy's, for operands that do not go together, and those of semantics that read a field which is no longer there.
_REFUSALS = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError)


@dataclass(frozen=True, slots=True)
class Plan:
    """What the interpreter must know of an instruction class, looked up once."""

    semantics: Semantics | None
    uses_machine: bool
    operands: tuple[str, ...]  # the names of the operands


class Interpreter:
    """The state of one run. It is the `Machine` that semantics functions see."""

    def __init__(
        self, memory: Memory, inputs: dict[str, Any], skipped: Set[Instruction], evaluator: Evaluator | None
    ) -> None:
        self.memory = memory
        self._inputs = inputs
        self._skipped = skipped
        self._evaluator = evaluator
        self._values: dict[Value, Any] = {}
        self._axes: dict[Axis, int] = {}
        self._plans: dict[type[Instruction], Plan] = {}

    def run(self, block: Block, arguments: Sequence[Any] = ()) -> tuple[Any, ...]:
        """Run a block, its arguments having these values, and return the operands of its terminator."""
        self._values.update(zip(block.arguments, arguments, strict=True))
        returned: tuple[Any, ...] = ()
        for statement in block:
            if isinstance(statement, Loop):
                self._run_loop(statement)
            elif isinstance(statement, Instruction):
                returned = self._step(statement)
        return returned

    def value(self, operand: Operand) -> Any:
        """Return what an operand holds now; an access pattern is read."""
        if isinstance(operand, NeuronAP):
            return self.memory.of(operand.tensor).read(self._start(operand), operand.pairs, operand.dtype)
        assert isinstance(operand, Value)
        if operand not in self._values:
            raise InterpreterError(f"uses {operand.use_str()} before it has a value")
        return self._values[operand]

    def positions(self, access: NeuronAP) -> Positions:
        """Return the flat positions of the elements that an access touches now, in the shape of its extents."""
        return positions_of(self._start(access), access.pairs)

    def read(self, access: NeuronAP, positions: Positions) -> Array:
        """Return these elements of the tensor of an access, in the access's dtype."""
        return self.memory.of(access.tensor).read_at(positions, access.dtype)

    def input(self, name: str) -> Any:
        """Return the program's input of this name."""
        return self._inputs[name]

    def _run_loop(self, loop: Loop) -> None:
        for value in loop.axis.values:
            self._axes[loop.axis] = value
            self.run(loop.body)
        self._axes.pop(loop.axis, None)

    def _step(self, inst: Instruction) -> tuple[Any, ...]:
        """Execute one instruction where its predicates hold, and return what it hands out if it is a terminator."""
        if inst.is_predicated and not all(predicate.holds(self._axes) for predicate in inst.predicates):
            return ()
        try:
            if inst.is_terminator:
                return tuple(self.value(operand) for operand in inst.operands())
            self._execute(inst)
        except InterpreterError as error:
            raise error.at(inst) from error.__cause__
        except _REFUSALS as error:
            raise InterpreterError(f"cannot be computed: {str(error).strip()}", inst) from error
        return ()

    def _execute(self, inst: Instruction) -> None:
        plan = self._plans.get(type(inst)) or self._make_plan(type(inst))
        result = self._compute(inst, plan)
        if inst.dst is not None:
            self._write(inst, inst.dst, result)
            return
        results = inst.results
        values = result if isinstance(result, tuple) else (result,) if results else ()
        if len(values) != len(results):
            raise InterpreterError(f"gives {len(values)} results, but has {len(results)}")
        for target, value in zip(results, values, strict=True):
            self._values[target] = settle(value, target.type, skip=inst in self._skipped)

    def _compute(self, inst: Instruction, plan: Plan) -> Any:
        if plan.uses_machine:
            assert plan.semantics is not None
            return plan.semantics(inst, self)
        operands = tuple(self._operand(getattr(inst, name)) for name in plan.operands)
        if self._evaluator is not None:
            with_machine = (self,) if getattr(self._evaluator, "uses_machine", False) else ()
            result = self._evaluator(inst, operands, *with_machine)
            if result is not None:
                return result
        if plan.semantics is None:
            raise MissingSemanticsError(f"{label_of(inst)} has no semantics")
        return plan.semantics(inst, operands)

    def _operand(self, held: Any) -> Any:
        """Return what an operand field holds now: None where it is absent, a tuple of values where it is variadic."""
        if held is None:
            return None
        if isinstance(held, tuple):
            return tuple([None if one is None else self.value(one) for one in held])
        return self.value(held)

    def _write(self, inst: Instruction, dst: NeuronAP, result: Any) -> None:
        memory = self.memory.of(dst.tensor)
        placed = result if isinstance(result, Placed) else None
        computed = placed.values if placed else np.asarray(result)
        type = Type.tensor(dst.dtype, computed.shape) if placed else dst.type
        values = settle(computed, type, skip=inst in self._skipped)
        if placed:
            memory.write_at(placed.positions, dst.dtype, values)
        else:
            memory.write(self._start(dst), dst.pairs, dst.dtype, values)

    def _start(self, access: NeuronAP) -> int:
        try:
            return access.offset.evaluate(self._axes)
        except KeyError as error:
            axis = error.args[0]
            raise InterpreterError(f"the access to %{access.tensor.name} uses %{axis.name} outside its loop") from None

    def _make_plan(self, cls: type[Instruction]) -> Plan:
        info = cls.INFO
        try:
            semantics = None if info.semantics is None else find(info.semantics)
        except LookupError as error:
            raise MissingSemanticsError(str(error)) from None
        names = tuple(operand.name for operand in info.operands)
        plan = self._plans[cls] = Plan(semantics, getattr(semantics, "uses_machine", False), names)
        return plan
