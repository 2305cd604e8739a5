"""Blocks, and the statements they hold: instructions and loops.

Deliberately absent: a list. Statements are linked to each other, so inserting and erasing cost the same everywhere.
"Which comes first" is answered from order numbers that are made when somebody asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeVar

from runtime.affine import Axis
from runtime.quoting import described
from runtime.types import Type
from runtime.values import BlockArgument, Value

if TYPE_CHECKING:
    from runtime.functions import Function
    from runtime.instructions import Instruction

CloneMap = dict[object, object]  # original value, tensor or axis -> its stand-in in the clone

Inst = TypeVar("Inst", bound="Instruction")

_GAP = 16  # room between order numbers, so that an insertion rarely makes all of them stale


class Statement:
    """What stands in a block. The fields are declared by `Instruction` and `Loop`, whose layouts differ."""

    if TYPE_CHECKING:  # two bases with slots cannot be combined, so the fields are declared only for the type checker
        parent: Block | None
        prev: Statement | None
        next: Statement | None
        order: int
    else:
        __slots__ = ()

    @property
    def may_repeat_regions(self) -> bool:
        """Whether it may run its regions any number of times; of a loop it is known how often."""
        return False

    def _unlink_operands(self) -> None:
        """Leave the use-lists of whatever this uses, on the way to erasing it."""

    def _drop_dependencies(self) -> None:
        """Remove the dependency edges, on the way to erasing this; only instructions have any."""

    def eraseFromParent(self) -> None:
        """Take this, and what stands inside, out of the program for good.

        Raises: ValueError while a result still has users.
        """
        for block in self.blocks:
            block.clear()
        self._unlink_operands()
        if self.parent is not None:
            self.parent.remove(self)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks inside this statement: the body of a loop, the regions of an instruction."""
        return ()

    @property
    def results(self) -> tuple[Value, ...]:
        """The SSA values that this statement defines."""
        return ()

    def clone(self, mapping: CloneMap) -> Statement:
        """Return an equal statement that stands in no block; `mapping` says what replaces what, and grows."""
        raise NotImplementedError

    def insertBefore(self, place: Statement) -> None:
        """Put this, which stands nowhere, in front of `place`."""
        assert place.parent is not None, f"{place!r} is in no block"
        place.parent.insert(self, before=place)

    def insertAfter(self, place: Statement) -> None:
        """Put this, which stands nowhere, behind `place`."""
        assert place.parent is not None, f"{place!r} is in no block"
        place.parent.insert(self, before=place.next)

    def moveBefore(self, place: Statement) -> None:
        """Take this from where it stands, and put it in front of `place`."""
        if place is not self:
            if self.parent is not None:
                self.parent.remove(self)
            self.insertBefore(place)

    def comes_before(self, other: Statement) -> bool:
        """Whether this stands before `other` in the same block; O(1) but after insertions."""
        assert self.parent is not None and self.parent is other.parent, f"{self!r} and {other!r} share no block"
        self.parent.number()
        return self.order < other.order

    @property
    def enclosing(self) -> Iterator[Statement]:
        """The statements around this one, innermost first."""
        block = self.parent
        while block is not None and isinstance(block.owner, Statement):
            yield block.owner
            block = block.owner.parent

    @property
    def loop_axes(self) -> tuple[Axis, ...]:
        """The axes of the loops around this, outermost first."""
        return tuple(around.axis for around in self.enclosing if isinstance(around, Loop))[::-1]

    @property
    def num_dynamic_instances(self) -> int | None:
        """How often this runs where each region around it runs once: the product of the trip counts.

        None inside a region that may run any number of times.
        """
        return self._count_runs()

    def _count_runs(self) -> int | None:
        count, block = 1, self.parent
        while block is not None:  # as `enclosing` does, which costs three times as much
            around = block.owner
            if isinstance(around, Loop):
                count *= around.axis.trip_count
            elif not isinstance(around, Statement):
                break
            elif around.may_repeat_regions:
                return None
            block = around.parent
        return count

    @property
    def parent_function(self) -> Function | None:
        """The function that holds this."""
        return None if self.parent is None else self.parent.parent_function

    @property
    def own_axis(self) -> Axis | None:
        """The axis that this counts; only a loop has one."""
        return None

    @property
    def dependents(self) -> tuple[Instruction, ...]:
        """The instructions that must come after this by an edge; only instructions have edges."""
        return ()


class _Cursor:
    """Where a walk stands: at a statement or, where that one has been taken out, in front of `after`."""

    __slots__ = ("after", "at")

    def __init__(self, first: Statement | None) -> None:
        self.at: Statement | None = None
        self.after = first


class Block:
    """A list of statements, with the values it receives; owned by a function, a loop or an instruction's region."""

    __slots__ = ("_cursors", "_numbered", "arguments", "carried", "first", "last", "owner")

    owner: Function | Statement | None
    arguments: list[BlockArgument]
    first: Statement | None
    last: Statement | None
    carried: bytes | None  # what a front end keeps about this beyond the IR; nobody else reads it

    def __init__(self, owner: Function | Statement | None = None) -> None:
        self.owner = owner
        self.arguments = []
        self.first = None
        self.last = None
        self.carried = None
        self._numbered = False
        self._cursors: list[_Cursor] = []  # where walks stand that are under way

    def add_argument(self, type: Type, name: str | None = None) -> BlockArgument:
        """Append a value that the block receives."""
        if not isinstance(type, Type):
            raise TypeError(f"an argument has a Type, such as Type.tensor(f32, (128, 512)), not {described(type)}")
        argument = BlockArgument(self, type, name)
        self.arguments.append(argument)
        return argument

    def append(self, statement: Statement) -> None:
        """Put a statement that stands nowhere at the end."""
        assert statement.parent is None, f"{statement!r} stands in a block already"
        last = self.last
        statement.parent = self
        if last is None:
            self.first = statement
        else:
            last.next = statement
            statement.prev = last
            if self._numbered:
                statement.order = last.order + _GAP
        self.last = statement

    def insert(self, statement: Statement, before: Statement | None = None) -> None:
        """Put a statement that stands nowhere in front of `before`, or at the end."""
        if before is None:
            self.append(statement)
            return
        assert statement.parent is None, f"{statement!r} stands in a block already"
        assert before.parent is self, f"{before!r} stands in another block"
        prev = before.prev
        statement.parent, statement.prev, statement.next = self, prev, before
        before.prev = statement
        if prev is None:
            self.first = statement
        else:
            prev.next = statement
        if self._numbered:
            low = prev.order if prev is not None else before.order - 2 * _GAP
            statement.order = (low + before.order) // 2
            self._numbered = low < statement.order

    def remove(self, statement: Statement) -> None:
        """Take a statement out; it may be put elsewhere."""
        assert statement.parent is self, f"{statement!r} does not stand in this block"
        prev, after = statement.prev, statement.next
        if prev is None:
            self.first = after
        else:
            prev.next = after
        if after is None:
            self.last = prev
        else:
            after.prev = prev
        for cursor in self._cursors:
            if cursor.at is statement:
                cursor.at, cursor.after = None, after
            elif cursor.at is None and cursor.after is statement:
                cursor.after = after
        statement.parent = statement.prev = statement.next = None

    def clear(self) -> None:
        """Erase all statements for good; nothing outside may use what they define."""
        while self.last is not None:
            statement = self.last
            for inner in statement.blocks:
                inner.clear()
            statement._unlink_operands()
            statement._drop_dependencies()
            self.remove(statement)

    def number(self, *, afresh: bool = False) -> None:
        """Give the statements order numbers unless they have good ones; O(statements) when they have not."""
        if afresh or not self._numbered:
            for place, statement in enumerate(self):
                statement.order = place * _GAP
            self._numbered = True

    def __iter__(self) -> Iterator[Statement]:
        """Walk the statements; any may be moved or erased meanwhile, and what is inserted further on is met."""
        cursor = _Cursor(self.first)
        self._cursors.append(cursor)
        try:
            while (statement := cursor.after) is not None:
                cursor.at = statement
                yield statement
                cursor.after = cursor.after if cursor.at is None else cursor.at.next
        finally:
            self._cursors.remove(cursor)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def walk(self) -> Iterator[Instruction]:
        """Yield every instruction in program order, those inside loops and regions included; stable under edits.

        What is erased when its turn is over is not entered; what is moved is entered all the same.
        """
        cursor = _Cursor(self.first)  # as in `__iter__`: one generator in another would cost a third more
        self._cursors.append(cursor)
        try:
            while (statement := cursor.after) is not None:
                cursor.at = statement
                if statement.__class__ is not Loop:
                    yield statement  # type: ignore[misc]  # what is no loop is an instruction
                if statement.parent is not None:  # it stands here still, or has been moved
                    for block in statement.blocks:
                        yield from block.walk()
                cursor.after = cursor.after if cursor.at is None else cursor.at.next
        finally:
            self._cursors.remove(cursor)

    def instructions_of(self, cls: type[Inst]) -> list[Inst]:
        """Return the instructions of a class in program order, as they stand, those in loops and regions included.

        For who does not edit while looking: a quarter of the time of `walk`.
        """
        found: list[Inst] = []
        self._find(cls, found)
        return found

    def _find(self, cls: type[Inst], found: list[Inst]) -> None:
        statement = self.first
        while statement is not None:
            if isinstance(statement, cls):
                found.append(statement)
            for inner in statement.blocks:
                inner._find(cls, found)
            statement = statement.next

    def clone_into(self, other: Block, mapping: CloneMap) -> None:
        """Append copies of the arguments and statements to `other`, and add them to `mapping`."""
        other.carried = self.carried
        for argument in self.arguments:
            copy = mapping[argument] = other.add_argument(argument.type, argument.name)
            copy.default = argument.default
        for statement in self:
            other.append(statement.clone(mapping))

    @property
    def parent_function(self) -> Function | None:
        """The function that this belongs to."""
        owner = self.owner
        while isinstance(owner, Statement):
            owner = None if owner.parent is None else owner.parent.owner
        return owner

    @property
    def terminator(self) -> Instruction | None:
        """The `return` or `yield` at the end, or None."""
        last = self.last
        if last is None or not getattr(last, "is_terminator", False):
            return None
        return last  # type: ignore[return-value]  # a loop is none


class Loop(Statement):
    """A counted loop: `body` runs once for each value of `axis`."""

    __slots__ = ("axis", "body", "loc", "next", "order", "parent", "prev")

    def __init__(self, axis: Axis, loc: str | None = None) -> None:
        self.axis = axis
        self.body = Block(self)
        self.loc = loc
        self.parent = None
        self.prev = None
        self.next = None
        self.order = 0

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (self.body,)

    @property
    def own_axis(self) -> Axis:
        return self.axis

    def clone(self, mapping: CloneMap) -> Loop:
        axis = self.axis
        new = Loop(Axis(axis.name, axis.trip_count, axis.lower, axis.step), self.loc)
        mapping[axis] = new.axis
        self.body.clone_into(new.body, mapping)
        return new

    def __repr__(self) -> str:
        return f"<Loop over {self.axis!r}>"
