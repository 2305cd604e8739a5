"""Control flow that is differentiated: functions with derivatives of their own, and scans from back to front."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array, Machine, uses_machine

State = tuple[Any, ...]


@uses_machine
def custom_fn(inst: Any, machine: Machine) -> State:
    """Return what `body` yields for the inputs."""
    return machine.run(inst.body, [machine.value(value) for value in inst.inputs])


@uses_machine
def scan_backward(inst: Any, machine: Machine) -> State:
    """Return the cotangents of the carried values of the first round."""
    backward = _Backward.of(inst, machine)
    cotangents = backward.cotangents
    for of_state, _ in backward.rounds_from_the_last():
        cotangents = of_state
    return cotangents


@uses_machine
def scan_backward_xs(inst: Any, machine: Machine) -> Array:
    """Return the cotangents of the items of one operand, along `axis`."""
    items = machine.value(inst.items[inst.xs_index])
    found = [of_items[inst.xs_index] for _, of_items in _Backward.of(inst, machine).rounds_from_the_last()]
    return np.stack(found[::-1], inst.axis) if found else np.zeros_like(items)


@dataclass(frozen=True)
class _Backward:
    """What a scan from back to front is given; arrays have the rounds along their first dimension."""

    run_vjp: Callable[[list[Any]], State]
    run_forward: Callable[[list[Any]], State]
    init: State
    items: list[Array]
    trajectory: list[Array]
    upstream: list[Array]  # of each round; empty where there is a cotangent of the last one only
    cotangents: State  # of what is carried behind the last round
    rounds: int
    checkpoints: int

    @classmethod
    def of(cls, inst: Any, machine: Machine) -> _Backward:
        """Return what an instruction gives.

        Raises: InterpreterError where it is not one number of rounds.
        """

        def first(values: Any) -> list[Array]:
            return [np.moveaxis(machine.value(value), inst.axis, 0) for value in values]

        init = tuple(machine.value(value) for value in inst.init)
        items, trajectory = first(inst.items), first(inst.trajectory)
        each = first(inst.upstream) if inst.save_trajectory else []
        counts = {len(array) for array in (*items, *each)} | ({inst.rounds} if inst.rounds is not None else set())
        counts |= set() if inst.checkpoints else {len(array) for array in trajectory}
        if len(counts) != 1:
            said = " and ".join(map(str, sorted(counts))) or "no number of"
            raise InterpreterError(f"{said} rounds are said to be run; one number is expected")
        rounds = counts.pop()
        checkpoints = inst.checkpoints or rounds
        if checkpoints > rounds or any(len(array) != checkpoints for array in trajectory):
            rows = ", ".join(str(len(array)) for array in trajectory)
            raise InterpreterError(f"there are {checkpoints} checkpoints of {rounds} rounds, and trajectory has {rows}")
        last = tuple(map(np.zeros_like, init)) if each else tuple(machine.value(value) for value in inst.upstream)
        return cls(
            lambda values: machine.run(inst.vjp, values),
            lambda values: machine.run(inst.forward, values),
            *(init, items, trajectory, each, last, rounds, checkpoints),
        )

    def rounds_from_the_last(self) -> Iterator[tuple[State, State]]:
        """Yield the cotangents of what each round was given: those of its carried values, and those of its items."""
        cotangents = self.cotangents
        for at, state in self._states():
            items = [array[at] for array in self.items]
            if self.upstream:
                cotangents = tuple(c + array[at] for c, array in zip(cotangents, self.upstream, strict=True))
            found = self.run_vjp([*state, *items, *cotangents])
            cotangents = found[: len(state)]
            yield cotangents, found[len(state) :]

    def _states(self) -> Iterator[tuple[int, State]]:
        """Yield each round with the values that it was given, the last one first."""
        ends = [-(-(row + 1) * self.rounds // self.checkpoints) for row in range(self.checkpoints)]
        for row in reversed(range(self.checkpoints)):
            start = ends[row - 1] if row else 0
            states = [tuple(array[row - 1] for array in self.trajectory) if row else self.init]
            for at in range(start, ends[row] - 1):
                states.append(self.run_forward([*states[-1], *(array[at] for array in self.items)]))
            yield from ((at, states.pop()) for at in reversed(range(start, ends[row])))
