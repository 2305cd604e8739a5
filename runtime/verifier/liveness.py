"""Tensors that hold something at the same time, against the memory of the target.

A tensor surely holds something between two statements where one further up has stored to it, or it is an input or a
constant, one further down reads it, and none in between stores to it. An allocator may order nothing else in time, so
the sum over such tensors is a lower bound of what a program needs, and what is reported does not fit for certain.

In space: what has more than 64 partitions covers the first one, so such tensors lie behind one another. And in each
quarter of the partitions that a tensor touches (it starts at one of four), its bytes are its own.

Deliberately absent: a value that a loop hands to its next iteration, and alignment. Counting them would find more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import prod

from runtime.access import NeuronAP
from runtime.blocks import Block, Loop, Statement
from runtime.builtin import Opaque
from runtime.functions import Function
from runtime.instructions import Instruction
from runtime.targets import Target
from runtime.tensors import Tensor
from runtime.verifier.findings import Findings

_QUARTERS, _QUARTER = 4, 32  # of the partitions
_MOST_NAMED = 4

AccessesOf = Callable[[Tensor], Mapping[NeuronAP, Instruction]]  # in program order, with what holds them
Events = dict[Statement, tuple[bool, bool]]  # of one tensor in one block, in order: whether it is read, and written
Need = tuple[int, int]  # bytes of the first partition, and of all quarters together


def check_room(function: Function, target: Target, accesses_of: AccessesOf, findings: Findings) -> None:
    """Report the place where the tensors of a memory that live together do not fit it, one for each memory."""
    for memory, room in (("sbuf", target.sbuf_usable_bytes), ("psum", target.psum_bytes)):
        of_memory = (tensor for tensor in function.tensors.values() if tensor.memory == memory)
        tensors = [tensor for tensor in of_memory if all(tensor.known_shape)]
        if sum(map(_row, tensors)) <= room:
            continue  # all of them together fit, as nearly always
        lives = _Lives(function, tensors, accesses_of)
        needed = _bytes(lives.most)
        if needed > room and len(lives.tensors) > 1:
            names = [f"%{tensor.name}" for tensor in sorted(lives.tensors, key=_row, reverse=True)]
            more = len(names) - _MOST_NAMED
            listed = ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
            message = f"{listed} hold something here at the same time, {needed} bytes in each partition"
            message += f"; the {memory} of {target} has {room} for tensors"
            findings.add("V086", message, lives.place or function)


class _Lives:
    """When some tensors live; afterwards `most`, `place` and `tensors` say where most is needed, and by which."""

    def __init__(self, function: Function, tensors: Iterable[Tensor], accesses_of: AccessesOf) -> None:
        self.most: Need = (0, 0)
        self.place: Statement | None = None  # the statement in front of which it is
        self._at: tuple[Block, int] = (function.body, 0)
        self._events: dict[Block, dict[Tensor, Events]] = {}
        for tensor in tensors:
            for access, inst in accesses_of(tensor).items():
                self._add(tensor, inst, access)
        self._look(function.body, (0, 0))

    @property
    def tensors(self) -> list[Tensor]:
        """The tensors that live where most is needed."""
        block, at = self._at
        found = [tensor for tensor, start, end in self._times(block) if start <= at <= end]
        while isinstance(block.owner, Statement):
            statement = block.owner
            assert statement.parent is not None, "it stands in the function"
            block = statement.parent
            at = list(block).index(statement)
            found += [tensor for tensor, start, end in self._times(block) if _covers(start, end, at, statement)]
        return found

    def _add(self, tensor: Tensor, inst: Instruction, access: NeuronAP) -> None:
        is_read = access.mode.is_load and not isinstance(inst, Opaque)  # which may only write
        statement: Statement | None = inst
        while statement is not None and (block := statement.parent) is not None:
            events = self._events.setdefault(block, {}).setdefault(tensor, {})
            reads, writes = events.get(statement, (False, False))
            events[statement] = (reads or is_read, writes or access.mode.is_store)
            statement = block.owner if isinstance(block.owner, Statement) else None

    def _look(self, block: Block, around: Need) -> None:
        """Look at all points of a block; `around` is needed all the time that it runs."""
        starts: dict[int, list[Tensor]] = {}
        ends: dict[int, list[Tensor]] = {}
        for tensor, start, end in self._times(block):
            starts.setdefault(start, []).append(tensor)
            ends.setdefault(end, []).append(tensor)
        need, at, statement = around, 0, None
        for at, statement in enumerate(block):
            need = _plus(need, starts.get(at, ()), 1)
            self._point(block, at, statement, need)
            after = _plus(need, ends.get(at, ()), -1)
            for inner in statement.blocks:
                self._look(inner, need if _repeats(statement) else after)
            need = after
        self._point(block, at + 1, statement, _plus(need, starts.get(at + 1, ()), 1))

    def _point(self, block: Block, at: int, statement: Statement | None, need: Need) -> None:
        if _bytes(need) > _bytes(self.most):
            self.most, self._at, self.place = need, (block, at), statement

    def _times(self, block: Block) -> Iterator[tuple[Tensor, int, int]]:
        """Yield when each tensor surely holds something: the first and the last point; point 0 is in front of all."""
        at = {statement: place for place, statement in enumerate(block)}
        is_body = isinstance(block.owner, Function)
        for tensor, events in self._events.get(block, {}).items():
            start = 0 if is_body and (tensor.isInput or tensor.init is not None) else None
            end = None
            for statement, (reads, writes) in events.items():
                if reads and not (writes and statement.blocks):  # inside, the store may come first
                    end = at[statement]
                if writes:
                    if start is not None and end is not None:
                        yield tensor, start, end
                    start, end = at[statement] + 1, None
            if is_body and tensor.isOutput:
                end = len(at)
            if start is not None and end is not None:
                yield tensor, start, end


def _covers(start: int, end: int, at: int, statement: Statement) -> bool:
    """Whether what lives from `start` to `end` does so all the time that the statement `at` runs."""
    return start <= at < end or (at == end and start <= at and _repeats(statement))


def _repeats(statement: Statement) -> bool:
    """Whether what a statement reads for the last time lives until it begins its last iteration."""
    return isinstance(statement, Loop) and statement.axis.trip_count > 1


def _plus(need: Need, tensors: Iterable[Tensor], sign: int) -> Need:
    first, quarters = need
    for tensor in tensors:
        partitions = (tensor.known_shape or (1,))[0]
        first += sign * _row(tensor) * (partitions > 2 * _QUARTER)
        quarters += sign * _row(tensor) * -(-partitions // _QUARTER)
    return first, quarters


def _bytes(need: Need) -> int:
    """Return the bytes of a partition that are needed at least, wherever tensors start."""
    return max(need[0], -(-need[1] // _QUARTERS))


def _row(tensor: Tensor) -> int:
    """Return the bytes of a tensor in each of its partitions."""
    return (prod(tensor.known_shape[1:]) * tensor.dtype.bits + 7) // 8
