"""Executing statements: values, loop axes, regions, and each instruction through its semantics.

Deliberately absent: what any instruction computes. That is in `runtime.semantics`, found by name.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.access import NeuronAP
from runtime.affine import Axis
from runtime.blocks import Block, Loop
from runtime.engines import NeuronEngine
from runtime.functions import Module
from runtime.instructions import Instruction
from runtime.interpreter.actual_shapes import ActualShapes
from runtime.interpreter.errors import InterpreterError, MissingSemanticsError, label_of
from runtime.interpreter.liveness import LastUses, last_uses
from runtime.interpreter.memory import Memory, positions_of
from runtime.interpreter.results import parted, settle, settled
from runtime.rounding import Cast, cast_array
from runtime.semantics import OutOfBounds, Placed, Positions, Semantics, find
from runtime.types import Type
from runtime.values import Operand, Value

Array = NDArray[Any]
Evaluator = Callable[..., Any]  # of an instruction and its operands, and of the machine where it `@uses_machine`
MakeEvaluator = Callable[[Module], Evaluator]

# numpy's, for operands that do not go together, and those of semantics that read a field which is no longer there.
_REFUSALS = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, NameError)


@dataclass(frozen=True, slots=True)
class Plan:
    """What the interpreter must know of an instruction class, looked up once."""

    semantics: Semantics | None
    uses_machine: bool
    operands: tuple[str, ...]  # the names of the operands
    stores: tuple[str, ...]  # those of them that are only written


class Watcher:
    """Sees every instruction that is executed, but for terminators; this one looks away."""

    def before(self, inst: Instruction, machine: Interpreter) -> None:
        """See an instruction whose operands can be read, and which has written nothing yet."""

    def after(self, inst: Instruction, machine: Interpreter, values: tuple[Any, ...]) -> None:
        """See what it gave: the values of its results, or the elements that it wrote, each rounded to its type."""


class Interpreter:
    """The state of one run. It is the `Machine` that semantics functions see."""

    def __init__(
        self,
        memory: Memory,
        inputs: dict[str, Any],
        skipped: Set[Instruction] = frozenset(),
        evaluator: Evaluator | None = None,
        out_of_bounds: OutOfBounds = "error",
        watcher: Watcher | None = None,
        cast: Cast = cast_array,
    ) -> None:
        self.memory = memory
        self.out_of_bounds = out_of_bounds
        self.axes: dict[Axis, int] = {}  # the loops under way, outermost first
        self.registers: dict[NeuronEngine, Array] = {}
        self._inputs = inputs
        self._skipped = skipped
        self._evaluator = evaluator
        self._cast = cast
        self.watcher = watcher
        self._values: dict[Value, Any] = {}
        self._plans: dict[type[Instruction], Plan] = {}
        self._last_uses: dict[Block, LastUses] = {}
        self._shapes = ActualShapes()

    def run(self, block: Block, arguments: Sequence[Any] = ()) -> tuple[Any, ...]:
        """Run a block, its arguments having these values, and return the operands of its terminator."""
        steps = self.steps(block, arguments)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                returned: tuple[Any, ...] = end.value
                return returned

    def steps(self, block: Block, arguments: Sequence[Any] = ()) -> Generator[Instruction, None, tuple[Any, ...]]:
        """Run a block, yielding each instruction after it was executed; return the operands of its terminator.

        What stands in regions is executed with the instruction that has them. A value is forgotten after its last use.
        """
        self._values.update(zip(block.arguments, arguments, strict=True))
        dying = self._last_uses.get(block)
        if dying is None:
            dying = self._last_uses[block] = last_uses(block)
        returned: tuple[Any, ...] = ()
        for statement in block:
            if isinstance(statement, Loop):
                yield from self._loop_steps(statement)
            elif isinstance(statement, Instruction):
                returned = self._step(statement)
                yield statement
            for value in dying.get(statement, ()):
                self._values.pop(value, None)
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

    def compute(self, inst: Instruction, operands: tuple[Any, ...], evaluator: Evaluator | None) -> Any:
        """Return what an instruction computes from these operands, not rounded; its semantics must not use the machine.

        A variadic operand is a tuple, an absent one None.
        """
        return self._apply(inst, self._plan_of(type(inst)), operands, evaluator)

    def operands(self, inst: Instruction) -> tuple[Any, ...]:
        """Return what the operands of an instruction hold now, in the order of its definition.

        One that is only written is None: nobody knows what it holds.
        """
        plan = self._plan_of(type(inst))
        return tuple(None if name in plan.stores else self._operand(getattr(inst, name)) for name in plan.operands)

    def _loop_steps(self, loop: Loop) -> Generator[Instruction, None, None]:
        for value in loop.axis.values:
            self.axes[loop.axis] = value
            yield from self.steps(loop.body)
        self.axes.pop(loop.axis, None)

    def _step(self, inst: Instruction) -> tuple[Any, ...]:
        """Execute one instruction where its predicates hold, and return what it hands out if it is a terminator."""
        if inst.is_predicated and not all(predicate.holds(self.axes) for predicate in inst.predicates):
            return ()
        try:
            if inst.is_terminator:
                return tuple(self.value(operand) for operand in inst.operands())
            if self.watcher is None:
                self._execute(inst)
            else:
                self.watcher.before(inst, self)
                self.watcher.after(inst, self, self._execute(inst))
        except InterpreterError as error:
            raise error.at(inst) from error.__cause__
        except _REFUSALS as error:
            raise InterpreterError(f"cannot be computed: {str(error).strip()}", inst) from error
        return ()

    def _execute(self, inst: Instruction) -> tuple[Any, ...]:
        """Execute one instruction that is no terminator, and return the values of its results, or what it wrote."""
        result = self._compute(inst)
        stores = self._plan_of(type(inst)).stores
        if stores:
            result, further = parted(result, len(stores))
            self._write_operands(inst, dict(zip(stores, further, strict=True)))
        if inst.dst is not None:
            return (self._write(inst, inst.dst, result),)
        values = settled(inst, result, self._cast, skip=inst in self._skipped)
        self._values.update(zip(inst.results, values, strict=True))
        return values

    def _compute(self, inst: Instruction) -> Any:
        plan = self._plan_of(type(inst))
        if plan.uses_machine:
            assert plan.semantics is not None
            return plan.semantics(inst, self)
        return self._apply(inst, plan, self.operands(inst), self._evaluator)

    def _apply(self, inst: Instruction, plan: Plan, operands: tuple[Any, ...], evaluator: Evaluator | None) -> Any:
        if evaluator is not None:
            with_machine = (self,) if getattr(evaluator, "uses_machine", False) else ()
            result = evaluator(inst, operands, *with_machine)
            if result is not None:
                return result
        if plan.semantics is None:
            raise MissingSemanticsError(f"{label_of(inst)} has no semantics")
        self._shapes.check(inst, operands)
        return plan.semantics(inst, operands)

    def _operand(self, held: Any) -> Any:
        """Return what an operand field holds now: None where it is absent, a tuple of values where it is variadic."""
        if held is None:
            return None
        if isinstance(held, tuple):
            return tuple([None if one is None else self.value(one) for one in held])
        return self.value(held)

    def _write(self, inst: Instruction, dst: NeuronAP, result: Any) -> Array:
        memory = self.memory.of(dst.tensor)
        placed = result if isinstance(result, Placed) else None
        computed = placed.values if placed else np.asarray(result)
        type = Type.tensor(dst.dtype, computed.shape) if placed else dst.type
        values: Array = settle(computed, type, self._cast, skip=inst in self._skipped)
        if placed:
            memory.write_at(placed.positions, dst.dtype, values)
        else:
            memory.write(self._start(dst), dst.pairs, dst.dtype, values)
        return values

    def _write_operands(self, inst: Instruction, further: dict[str, Any]) -> None:
        """Write what an instruction gives beside its result through the operands that are there, rounded once."""
        for name, computed in further.items():
            access = getattr(inst, name)
            if access is None:
                continue
            if not isinstance(access, NeuronAP):
                raise InterpreterError(f'the operand "{name}" is written, so it is an access to a tensor')
            memory = self.memory.of(access.tensor)
            if isinstance(computed, Placed):
                type = Type.tensor(access.dtype, computed.values.shape)
                placed = settle(computed.values, type, self._cast, skip=False)
                memory.write_at(computed.positions, access.dtype, placed)
                continue
            values = settle(computed, access.type, self._cast, skip=False)
            memory.write(self._start(access), access.pairs, access.dtype, values)

    def _start(self, access: NeuronAP) -> int:
        try:
            return access.offset.evaluate(self.axes)
        except KeyError as error:
            axis = error.args[0]
            raise InterpreterError(f"the access to %{access.tensor.name} uses %{axis.name} outside its loop") from None

    def _plan_of(self, cls: type[Instruction]) -> Plan:
        return self._plans.get(cls) or self._make_plan(cls)

    def _make_plan(self, cls: type[Instruction]) -> Plan:
        info = cls.INFO
        try:
            semantics = None if info.semantics is None else find(info.semantics)
        except LookupError as error:
            raise MissingSemanticsError(str(error)) from None
        names = tuple(operand.name for operand in info.operands)
        stores = tuple(operand.name for operand in info.operands if not operand.access.is_load)
        plan = self._plans[cls] = Plan(semantics, getattr(semantics, "uses_machine", False), names, stores)
        return plan
