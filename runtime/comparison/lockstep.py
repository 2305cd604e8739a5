"""Two runs in step with each other: no value of one is kept longer than until its counterpart has been computed."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from runtime.comparison.again import Again, NotComparable, execute_again
from runtime.comparison.casts import source_of_cast
from runtime.comparison.difference import Difference, as_f64, difference
from runtime.dtypes import DType
from runtime.functions import Function, Module
from runtime.instructions import Instruction
from runtime.interpreter.errors import InterpreterError
from runtime.interpreter.machine import Evaluator, Interpreter, Watcher
from runtime.interpreter.run import Started
from runtime.tracing.ranges import Range, range_of

Values = tuple[Any, ...]
Key = tuple[Instruction, int]  # an instruction of the second version, and which of its results


@dataclass
class Account:
    """What was seen of one result until now."""

    order: int
    runs: int = 0
    introduced: Difference | None = None
    inherited: Difference | None = None
    total: Difference | None = None
    first_parted: int | None = None
    first_range: Range = Range()
    second_range: Range = Range()
    why_not: str | None = None

    def add(self, total: Difference | None, introduced: Difference | None, inherited: Difference | None) -> None:
        """Take one more run into account."""
        self.runs += 1
        self.total = _joined(self.total, total)
        self.introduced = _joined(self.introduced, introduced)
        self.inherited = _joined(self.inherited, inherited)
        if self.first_parted is None and total is not None and total.differing:
            self.first_parted = self.runs


class Ledger:
    """The accounts of all results, and what waits for its counterpart."""

    def __init__(self, counterparts: Mapping[Instruction, Instruction], inserted: Set[Instruction]) -> None:
        self.counterparts = counterparts
        self.partners = {first: second for second, first in counterparts.items()}
        self.inserted = inserted
        self.accounts: dict[Key, Account] = {}
        self.waiting_for_second: defaultdict[Instruction, deque[tuple[Values, Again | str]]] = defaultdict(deque)
        self.waiting_for_first: defaultdict[Instruction, deque[Values]] = defaultdict(deque)
        self.in_wait = 0  # values of the first version

    def first(self, inst: Instruction, values: Values, again: Again | str) -> None:
        """Enter what an instruction of the first version gave; a text says why it was not executed again."""
        second = self.partners[inst]
        waiting = self.waiting_for_first[second]
        if waiting:
            self._enter(second, values, again, waiting.popleft())
        else:
            self.waiting_for_second[second].append((values, again))
            self.in_wait += 1

    def second(self, inst: Instruction, values: Values) -> None:
        """Enter what an instruction of the second version gave that has a counterpart."""
        waiting = self.waiting_for_second[inst]
        if waiting:
            self.in_wait -= 1
            self._enter(inst, *waiting.popleft(), values)
        else:
            self.waiting_for_first[inst].append(values)

    def cast(self, inst: Instruction, operand: Any, values: Values) -> None:
        """Enter what an inserted cast gave."""
        account = self._account(inst, 0)
        found = difference(values[0], operand, _dtype_of(inst, 0))
        account.add(found, found, None)
        account.first_range = account.first_range.joined(range_of(operand))
        account.second_range = account.second_range.joined(range_of(values[0]))

    @property
    def unpaired(self) -> int:
        """How many executions had no counterpart, because the two run different numbers of times."""
        queues: list[deque[Any]] = [*self.waiting_for_first.values(), *self.waiting_for_second.values()]
        return sum(len(queue) for queue in queues)

    def _account(self, inst: Instruction, at: int) -> Account:
        found = self.accounts.get((inst, at))
        if found is None:
            found = self.accounts[inst, at] = Account(len(self.accounts))
        return found

    def _enter(self, inst: Instruction, first: Values, again: Again | str, second: Values) -> None:
        for at, (a, b) in enumerate(zip(first, second, strict=False)):
            account = self._account(inst, at)
            account.first_range = account.first_range.joined(range_of(a))
            account.second_range = account.second_range.joined(range_of(b))
            dtype = _dtype_of(inst, at)
            total = difference(b, a, dtype)
            if isinstance(again, str):
                account.why_not = again
                account.add(total, None, None)
                continue
            reference = a if again.first is None else again.first[at]
            introduced = difference(again.second[at], reference, dtype)
            is_exact = introduced is not None and not introduced.differing
            inherited = total if is_exact else _inherited(a, b, reference, again.second[at], dtype)
            account.add(total, introduced, inherited)


def run_in_step(first: Started, second: Started) -> tuple[Values, Values]:
    """Run both to their ends, the second one as soon as it can go on, and return what the two functions return."""
    sides = _Side("first", first), _Side("second", second)
    watcher = first.interpreter.watcher
    assert isinstance(watcher, FirstWatcher)
    with np.errstate(all="ignore"):
        while not sides[0].is_done:
            sides[0].advance()
            while watcher.ledger.in_wait and not sides[1].is_done:
                sides[1].advance()
        while not sides[1].is_done:
            sides[1].advance()
    return sides[0].returned, sides[1].returned


class _Side:
    def __init__(self, version: str, started: Started) -> None:
        self.version = version
        self.is_done = False
        self.returned: Values = ()
        self._steps = started.interpreter.steps(started.function.body, started.arguments)

    def advance(self) -> None:
        try:
            next(self._steps)
        except StopIteration as end:
            self.is_done, self.returned = True, end.value
        except InterpreterError as error:
            raise type(error)(f"the {self.version} version {error.message}", error.inst) from error


class FirstWatcher(Watcher):
    """Executes each instruction of the first version once more beside its counterpart, and enters what both give."""

    def __init__(
        self, ledger: Ledger, module: Module, root: Function, evaluators: tuple[Evaluator | None, Evaluator | None]
    ) -> None:
        self.ledger = ledger
        self._module = module
        self._root = root
        self._evaluators = evaluators
        self._again: dict[Instruction, Again | str] = {}

    def before(self, inst: Instruction, machine: Interpreter) -> None:
        second = self.ledger.partners.get(inst)
        if second is None:
            return
        if getattr(inst, "callee", None) in self._module.functions:
            self._again[inst] = "what the local function does is compared by itself"
            return
        try:
            self._again[inst] = execute_again(inst, second, machine, self._evaluators_for(inst))
        except NotComparable as error:
            self._again[inst] = str(error)

    def _evaluators_for(self, inst: Instruction) -> tuple[Evaluator | None, Evaluator | None]:
        """Inside a call, that of the first version answers for both: it knows what the caller gave."""
        first, second = self._evaluators
        return (first, second if inst.parent_function is self._root else first)

    def after(self, inst: Instruction, machine: Interpreter, values: Values) -> None:
        if inst in self.ledger.partners:
            self.ledger.first(inst, values, self._again.pop(inst))


class SecondWatcher(Watcher):
    """Enters what the instructions of the second version give."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._operands: dict[Instruction, Any] = {}

    def before(self, inst: Instruction, machine: Interpreter) -> None:
        source = source_of_cast(inst) if inst in self.ledger.inserted else None
        if source is not None:
            self._operands[inst] = machine.value(source)

    def after(self, inst: Instruction, machine: Interpreter, values: Values) -> None:
        if inst in self.ledger.counterparts:
            self.ledger.second(inst, values)
        elif inst in self._operands:
            self.ledger.cast(inst, self._operands.pop(inst), values)


def _inherited(a: Any, b: Any, reference: Any, again: Any, dtype: DType | None) -> Difference | None:
    """Return what is left of the distance from `a` to `b` without that from `reference` to `again`."""
    wide = [value for one in (b, again, reference, a) if (value := as_f64(one)) is not None]
    if len(wide) < 4 or any(value.shape != wide[0].shape for value in wide):
        return None
    result, second, first, expected = wide
    same = (second == first) | (np.isnan(second) & np.isnan(first))
    own = np.where(same, 0.0, second - first)  # where this is infinite or NaN, nobody knows what else is wrong
    return difference(np.where(np.isfinite(own), result - own, expected), a, dtype)


def _joined(one: Difference | None, other: Difference | None) -> Difference | None:
    if one is None or other is None:
        return other if one is None else one
    return one.joined(other)


def _dtype_of(inst: Instruction, at: int) -> DType | None:
    if inst.dst is not None:
        return inst.dst.type.dtype
    return inst.results[at].type.dtype
