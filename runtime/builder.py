"""Building programs: an insertion point, and short ways to make tensors and loops. README.md has a whole program.

The insertion point is in front of a statement, or at the end of a block. What is inserted one after the other stands
one after the other. The point is moved for the body of a `with`: `at_start(block)`, `at_end(block)`,
`at_before(statement)`, `at_after(statement)`, `loop(...)`; where the statement that it is in front of was moved or
erased meanwhile, `insert` refuses.

Deliberately absent: one method an instruction. `builder.insert(MatMulOp(a, b))` needs none.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

from runtime.affine import Axis
from runtime.blocks import Block, Loop, Statement
from runtime.diagnostics import did_you_mean, listed
from runtime.dtypes import DType
from runtime.functions import Function
from runtime.quoting import described
from runtime.tensors import TENSOR_CLASSES, Tensor

S = TypeVar("S", bound=Statement)


class Builder:
    """Puts statements into a function, by default at the end of its body."""

    def __init__(self, function: Function) -> None:
        if not isinstance(function, Function):
            raise TypeError(f"a Builder puts statements into a Function, not {described(function)}")
        self.function = function
        self.block = function.body
        self.before: Statement | None = None  # None: at the end of the block

    def insert(self, statement: S, name: str | None = None) -> S:
        """Put a statement at the insertion point and return it."""
        if not isinstance(statement, Statement):
            raise TypeError(f"insert takes a statement, such as TensorCopyOp(value), not {described(statement)}")
        if self.before is None:
            self.block.append(statement)
        elif self.before.parent is not self.block:
            raise ValueError(f"the insertion point is gone: {self.before!r} was moved or erased")
        else:
            self.block.insert(statement, self.before)
        if name is not None:
            statement.name = name  # type: ignore[attr-defined]  # only instructions are named
        return statement

    def tensor(
        self,
        name: str,
        dtype: DType,
        shape: tuple[int, ...],
        memory: str,
        *,
        isInput: bool = False,
        isOutput: bool = False,
    ) -> Tensor:
        """Add a tensor in `memory` (`dram`, `sbuf` or `psum`) to the function and return it.

        Raises: ValueError where there is no such memory, an extent is not known, or the name is taken.
        """
        if not isinstance(memory, str) or memory not in TENSOR_CLASSES:
            known = f"there are {listed(TENSOR_CLASSES, 'and')}; HBM is dram"
            help = did_you_mean(str(memory), TENSOR_CLASSES) or known
            raise ValueError(f'no memory is called "{memory}"; {help}')
        made = TENSOR_CLASSES[memory](name, dtype, shape, isInput=isInput, isOutput=isOutput)
        return self.function.add_tensor(made)

    @contextmanager
    def at(self, block: Block, before: Statement | None = None) -> Iterator[None]:
        """Move the insertion point for the body of the `with`."""
        saved = self.block, self.before
        self.block, self.before = block, before
        try:
            yield
        finally:
            self.block, self.before = saved

    def at_start(self, block: Block) -> AbstractContextManager[None]:
        """Move the insertion point in front of what stands in a block already, for the body of the `with`."""
        return self.at(block, block.first)

    def at_end(self, block: Block) -> AbstractContextManager[None]:
        """Move the insertion point to the end of a block, or in front of its terminator, for the body of the `with`."""
        return self.at(block, block.terminator)

    def at_before(self, statement: Statement) -> AbstractContextManager[None]:
        """Move the insertion point in front of a statement, for the body of the `with`."""
        return self.at(_block_of(statement), statement)

    def at_after(self, statement: Statement) -> AbstractContextManager[None]:
        """Move the insertion point behind a statement, for the body of the `with`.

        What is inserted stands in front of what follows the statement when the `with` begins.
        """
        return self.at(_block_of(statement), statement.next)

    @contextmanager
    def loop(self, name: str, trip_count: int, lower: int = 0, step: int = 1) -> Iterator[Axis]:
        """Insert a loop and put the insertion point into its body; gives its axis."""
        made = self.insert(Loop(Axis(name, trip_count, lower, step)))
        with self.at(made.body):
            yield made.axis


def _block_of(statement: Statement) -> Block:
    if statement.parent is None:
        raise ValueError(f"{statement!r} stands in no block")
    return statement.parent
