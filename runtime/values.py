"""Values and their use-lists.

Deliberately absent: names that are made up. A value has a name only where somebody gave it one; the printer numbers
the others. Also absent: a use record. A use is the pair (user, slot), and the user knows its slots.

The use-list is the largest part of the memory of a program, so it grows with what it holds (bench/RESULTS.md):
nothing, then the one user itself, then a short tuple, then a dict from user to its number of uses. Removing one use is
O(1) even among 100,000, and the order of users is the order in which they came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.dtypes import DType
from runtime.names import Names
from runtime.types import Shape, Type

if TYPE_CHECKING:
    from runtime.access import AccessMode
    from runtime.blocks import Block
    from runtime.constants import Constant
    from runtime.functions import Function
    from runtime.instructions import Instruction
    from runtime.lazy_tensors import LazyTensor

_SHORT = 4  # users kept in a tuple; a dict of five costs 232 bytes, a tuple of four 72


class Operand:
    """What may stand in an operand slot: an SSA value, or an access pattern over a tensor.

    Both answer the same questions, so that an instruction need not ask which it has.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        type: Type

    @property
    def dtype(self) -> DType:
        """Element type; an assertion where the type is unknown, for passes look at `type` first in such programs."""
        dtype = self.type.dtype
        assert dtype is not None, f"{self!r} has no known element type"
        return dtype

    @property
    def shape(self) -> Shape:
        """Extents in elements; an assertion where the rank is unknown."""
        shape = self.type.shape
        assert shape is not None, f"{self!r} has no known shape"
        return shape

    def addUser(self, user: Instruction) -> None:
        """Record that one operand slot of `user` holds this."""
        raise NotImplementedError

    def removeUser(self, user: Instruction) -> None:
        """Forget that one operand slot of `user` holds this."""
        raise NotImplementedError

    def set_access_mode(self, mode: AccessMode) -> None:
        """State how the slot accesses memory; an SSA value has no memory, so it ignores this."""

    def use_str(self, names: Names | None = None) -> str:
        """Return how a slot that holds this is printed; `names` are those of the whole text, if there is one."""
        raise NotImplementedError

    def for_slot(self) -> Operand:
        """Return what a further slot may hold: the value itself, or a copy of an access that is already in a slot."""
        return self


class Value(Operand):
    """Something that instructions use: an instruction's result, a block argument or a tensor."""

    __slots__ = ("_uses", "name", "type")

    type: Type
    name: str | None  # without the leading percent sign; None: the printer numbers it
    _uses: Instruction | tuple[Instruction, ...] | dict[Instruction, int] | None

    def addUser(self, user: Instruction) -> None:
        uses = self._uses
        if uses is None:
            self._uses = user
        elif isinstance(uses, dict):
            uses[user] = uses.get(user, 0) + 1
        elif isinstance(uses, tuple):
            self._uses = (*uses, user) if len(uses) < _SHORT else _count((*uses, user))
        else:
            self._uses = (uses, user)

    def removeUser(self, user: Instruction) -> None:
        uses = self._uses
        if uses is user:
            self._uses = None
        elif uses.__class__ is tuple and len(uses) == 2:  # two users, one of which goes: the most frequent case
            first, second = uses
            assert user is first or user is second, f"{user!r} does not use {self!r}"
            self._uses = second if user is first else first
        elif isinstance(uses, dict):
            uses[user] -= 1
            if not uses[user]:
                del uses[user]
                if not uses:
                    self._uses = None
        else:
            assert isinstance(uses, tuple), f"{user!r} does not use {self!r}"
            at = uses.index(user)
            self._uses = uses[:at] + uses[at + 1 :]

    @property
    def parent_function(self) -> Function | None:
        """The function that holds this; None where it is in none, or not yet."""
        raise NotImplementedError

    @property
    def users(self) -> tuple[Instruction, ...]:
        """The instructions that use this, each once, in the order of their first use."""
        uses = self._uses
        if uses is None:
            return ()
        return tuple(dict.fromkeys(uses)) if isinstance(uses, (tuple, dict)) else (uses,)

    @property
    def n_uses(self) -> int:
        """Number of operand slots that hold this; one user may count several times."""
        uses = self._uses
        if uses is None:
            return 0
        if isinstance(uses, tuple):
            return len(uses)
        return sum(uses.values()) if isinstance(uses, dict) else 1

    @property
    def uses(self) -> dict[Instruction, int]:
        """The users in the order of their first use, each with the number of its slots that hold this."""
        uses = self._uses
        if uses is None:
            return {}
        return dict(uses) if isinstance(uses, dict) else _count(uses if isinstance(uses, tuple) else (uses,))

    @property
    def has_users(self) -> bool:
        """Whether any slot holds this; O(1)."""
        return self._uses is not None

    @property
    def has_single_user(self) -> bool:
        """Whether exactly one instruction uses this, in however many slots; O(1)."""
        uses = self._uses
        if isinstance(uses, (tuple, dict)):
            return len(uses) == 1 if isinstance(uses, dict) else all(user is uses[0] for user in uses)
        return uses is not None

    def replaceAllUsesWith(self, new: Operand) -> None:
        """Make every user use `new` in place of this; O(uses). An access pattern is copied for every slot."""
        uses = self._uses
        if new is self or uses is None:
            return
        if isinstance(uses, (tuple, dict)):
            for user in self.users:
                user.replaceUseOfWith(self, new)
        else:
            uses.replaceUseOfWith(self, new)

    def replaceAllUsesWithExcept(self, new: Operand, spared: Instruction) -> None:
        """Make every user but `spared` use `new`; `spared` is usually the fresh cast that reads this."""
        if new is not self:
            for user in self.users:
                if user is not spared:
                    user.replaceUseOfWith(self, new)

    def use_str(self, names: Names | None = None) -> str:
        return "%" + (names or Names(self.parent_function)).of(self)


def _count(users: tuple[Instruction, ...]) -> dict[Instruction, int]:
    counts: dict[Instruction, int] = {}
    for user in users:
        counts[user] = counts.get(user, 0) + 1
    return counts


class BlockArgument(Value):
    """A value that a block receives: an argument of a function or of a region."""

    __slots__ = ("block", "default")

    block: Block
    default: Constant | LazyTensor | None  # what it holds where the caller gives nothing

    def __init__(self, block: Block, type: Type, name: str | None = None) -> None:
        self.type = type
        self.name = name
        self._uses = None
        self.block = block
        self.default = None

    @property
    def parent_function(self) -> Function | None:
        return self.block.parent_function

    def __repr__(self) -> str:
        return f"<BlockArgument %{self.name or '?'}: {self.type}>"


class Result(Value):
    """The second or a further result of an instruction; the first result is the instruction itself."""

    __slots__ = ("index", "owner")

    owner: Instruction
    index: int  # from 1

    def __init__(self, owner: Instruction, index: int, type: Type, name: str | None = None) -> None:
        self.type = type
        self.name = name
        self._uses = None
        self.owner = owner
        self.index = index

    @property
    def parent_function(self) -> Function | None:
        return self.owner.parent_function

    def __repr__(self) -> str:
        return f"<Result {self.index} of {self.owner!r}>"
