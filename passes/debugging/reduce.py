"""Delta debugging: the smallest program that can be had by leaving things out, which still fails in the same way.

Left out are functions, what comes after the place where it shows, statements, values that are returned, at last
arguments and tensors that nobody uses. A value that is still needed when its statement goes becomes an argument of the
function, or else a value of the same type that it was made from:

    %p: bf16[4,8] = activation relu %x      func @main(%p: bf16[4,8]) {
    %c: f32[4,8] = tensor_copy %p             %c: f32[4,8] = tensor_copy %p

First half of everything is tried, then quarters, and so on down to single things. Where little is needed, each success
halves the program, and the whole takes time in proportion to it. Where much is needed it would not, so the work is
limited to so many statements in all tries together.

Deliberately absent: knowledge of passes. `fails` decides, and what does not verify does not fail.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

from runtime.blocks import Block, Statement
from runtime.builtin import Terminator
from runtime.functions import Function, Module
from runtime.garbage import paused_gc
from runtime.instructions import Instruction
from runtime.values import Value

T = TypeVar("T")
Fails = Callable[[Module], bool]

_TRIES_OF_ALL: Final = 64  # how often the whole program may be tried, counted in statements
_TRIES_AT_LEAST: Final = 100_000  # statements, for a small program
_SWEEPS: Final = 3
_MOST_ENDS: Final = 8  # functions that are ended early
_MOST_STEPS: Final = 8


@dataclass(frozen=True)
class Size:
    """How large a program is."""

    functions: int
    statements: int

    @classmethod
    def of(cls, module: Module) -> Size:
        """Return the size of a module; the ends of blocks are no statements here."""
        return cls(len(module.functions), len(statements_of(module)))

    def __str__(self) -> str:
        statements = f"{self.statements} statement{'s' * (self.statements != 1)}"
        return f"{statements} in {self.functions} function{'s' * (self.functions != 1)}"


@dataclass(frozen=True)
class Reduction:
    """What is left of a program."""

    module: Module
    before: Size
    after: Size
    tries: int
    is_complete: bool  # whether nothing more can be left out by itself, as far as was tried


def reduce_program(
    module: Module, fails: Fails, tried: Callable[[int, Size], None] = lambda tries, size: None
) -> Reduction:
    """Return the reduced program; the module itself, which must fail, stays. `fails` may change what it gets."""
    reducer = _Reducer(module, fails, tried)
    reducer.run()
    return Reduction(reducer.module, Size.of(module), Size.of(reducer.module), reducer.tries, reducer.budget > 0)


class _Reducer:
    def __init__(self, module: Module, fails: Fails, tried: Callable[[int, Size], None]) -> None:
        self.module = module
        self.tries = 0
        self.budget = max(_TRIES_OF_ALL * Size.of(module).statements, _TRIES_AT_LEAST)
        self._fails = fails
        self._tried = tried

    def run(self) -> None:
        """Leave out what can be, until a sweep finds nothing more."""
        for _ in range(_SWEEPS):
            smaller = self._shrink(_functions, _drop_functions)
            smaller |= self._cut_ends()
            smaller |= self._shrink(statements_of, _drop_statements)
            smaller |= self._shrink(statements_of, _bypass_statements)
            smaller |= self._shrink(_returned, _drop_returned)
            smaller |= self._shrink(_unused, _drop_unused)
            if not smaller or self.budget <= 0:
                return

    def _cut_ends(self) -> bool:
        """Let each function end as early as it can, with what its last statement gives; found by halves."""
        smaller = False
        for name in list(self.module.functions)[:_MOST_ENDS]:
            low, high = 0, len(self.module.functions[name].body) - 1  # without the end
            while low < high and self.budget > 0:
                middle = (low + high) // 2
                if self._try(partial(_function_named, name), partial(_cut_end, middle), 0, 1):
                    high, smaller = middle, True
                else:
                    low = middle + 1
        return smaller

    def _shrink(self, list_all: Callable[[Module], Sequence[T]], drop: Callable[[Sequence[T]], None]) -> bool:
        """Leave out things of one kind, the last ones first; return whether any could be."""
        smaller = False
        size = len(list_all(self.module))
        while size and self.budget > 0:
            end = len(list_all(self.module))
            while end > 0 and self.budget > 0:
                start = max(0, end - size)
                if self._try(list_all, drop, start, end):
                    smaller = True
                end = min(start, len(list_all(self.module)))
            size //= 2
        return smaller

    def _try(
        self, list_all: Callable[[Module], Sequence[T]], drop: Callable[[Sequence[T]], None], start: int, end: int
    ) -> bool:
        with paused_gc():
            candidate = self.module.clone()
            drop(list_all(candidate)[start:end])
            size = Size.of(candidate)
            self.tries += 1
            self.budget -= size.statements + 1
            self._tried(self.tries, size)
            if not candidate.functions or not self._fails(candidate.clone()):
                return False
        self.module = candidate
        return True


def statements_of(module: Module) -> list[Statement]:
    """Return every statement but the ends of blocks, each before what stands in it."""
    found: list[Statement] = []
    for function in module.functions.values():
        _collect(function.body, found)
    return found


def _collect(block: Block, found: list[Statement]) -> None:
    for statement in block:
        if not isinstance(statement, Terminator):
            found.append(statement)
        for inner in statement.blocks:
            _collect(inner, found)


def _functions(module: Module) -> list[Function]:
    return list(module.functions.values())


def _function_named(name: str, module: Module) -> list[Function]:
    return [module.functions[name]]


def _drop_functions(functions: Sequence[Function]) -> None:
    for function in functions:
        assert function.module is not None
        del function.module.functions[function.name]
        function.module = None


def _drop_statements(statements: Sequence[Statement]) -> None:
    """Erase statements, the last ones first; what others need of them becomes an argument."""
    for statement in reversed(statements):
        function = statement.parent_function
        assert function is not None
        for result in statement.results:
            if result.has_users:
                result.replaceAllUsesWith(function.body.add_argument(result.type, result.name))
        written = statement.dst.tensor if isinstance(statement, Instruction) and statement.dst is not None else None
        statement.eraseFromParent()
        if written is not None and not written.has_users and written.name in function.tensors:
            function.tensors.pop(written.name).function = None  # an output that nothing writes would be a mistake


def _cut_end(count: int, functions: Sequence[Function]) -> None:
    """Leave the first statements of a function, so many, and return what the last one of them gives that gives any."""
    body = functions[0].body
    end, statements = body.terminator, [one for one in body if not isinstance(one, Terminator)]
    if not isinstance(end, Terminator):
        return
    values = next((one.results for one in reversed(statements[:count]) if one.results), ())
    type(end)([one for one in values if one.type.is_tensor], loc=end.loc).insertBefore(end)
    end.eraseFromParent()
    for statement in reversed(statements[count:]):
        statement.eraseFromParent()


def _bypass_statements(statements: Sequence[Statement]) -> None:
    """Erase statements; who needs a result takes a value of the same type that it was made from, where there is one."""
    for statement in reversed(statements):
        if isinstance(statement, Instruction) and len(statement.results) == 1:
            statement.replaceAllUsesWith(_origin(statement))
        _drop_statements([statement])


def _origin(inst: Instruction) -> Value:
    """Return the nearest value of the same type among what an instruction is made from, or the instruction itself."""
    values: list[Value] = [inst]
    for _ in range(_MOST_STEPS):
        operands = [one for value in values if isinstance(value, Instruction) for one in value.operands()]
        values = [one for one in operands if isinstance(one, Value)][:_MOST_STEPS]
        for value in values:
            if value.type is inst.type:
                return value
    return inst


def _returned(module: Module) -> list[tuple[Terminator, int]]:
    ends = [function.body.terminator for function in module.functions.values()]
    return [(end, at) for end in ends if isinstance(end, Terminator) for at in range(len(end.values))]


def _drop_returned(places: Sequence[tuple[Terminator, int]]) -> None:
    left_out: dict[Terminator, set[int]] = {}
    for end, at in places:
        left_out.setdefault(end, set()).add(at)
    for end, out in left_out.items():
        kept = [value.for_slot() for at, value in enumerate(end.values) if at not in out]
        type(end)(kept, loc=end.loc).insertBefore(end)
        end.eraseFromParent()


def _unused(module: Module) -> list[tuple[Function, Value]]:
    """Return the arguments and tensors that nobody uses."""
    return [
        (function, value)
        for function in module.functions.values()
        for value in (*function.args, *function.tensors.values())
        if not value.has_users
    ]


def _drop_unused(values: Sequence[tuple[Function, Value]]) -> None:
    gone = {value for _, value in values}
    for function in dict.fromkeys(function for function, _ in values):
        function.body.arguments[:] = [argument for argument in function.args if argument not in gone]
        for name in [name for name, tensor in function.tensors.items() if tensor in gone]:
            function.tensors.pop(name).function = None
