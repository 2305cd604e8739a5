"""The program made what was decided: values get their dtypes, and uses that want another float get casts.

    %y: f32 = Softmax %x          %x_f32: f32 = Cast %x          where %x became f16 and the Softmax stays f32
                                  %y: f32 = Softmax %x_f32

There is one cast for a value and a dtype, right behind the value's producer. A constant whose uses all want one other
float is rounded itself. Where kinds decide alone, a use that wants what a value was widened from reads that.

Deliberately absent: decisions, and ends of programs (`passes/precision/ends.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from passes.autocast.facts import widened_from
from passes.precision.decide import Decisions
from passes.precision.new_values import convert_constant, is_constant, new_cast
from passes.precision.report import PrecisionReport
from passes.precision.uses import Moves, Use, loses, move, uses_elsewhere, values_in
from runtime.blocks import Block, Statement
from runtime.dtypes import DType
from runtime.generic import Initializer
from runtime.instructions import Instruction
from runtime.operand_slots import set_values
from runtime.types import Type
from runtime.values import BlockArgument, Result, Value

_Retyping = tuple[Type, bool, bool]
"""What a type becomes, and whether that adds and whether it removes a rounding."""


class Rewriting:
    """One rewriting of a function, of which the report is told."""

    def __init__(self, decisions: Decisions, report: PrecisionReport) -> None:
        self.casts: set[Instruction] = set()  # that were inserted
        self.rounded: set[Value] = set()  # constants
        self.added_roundings: list[Instruction] = []
        self.removed_roundings: list[Instruction] = []
        self._decisions = decisions
        self._by_kind = decisions.policy.by_kind
        self._report = report
        self._heads: dict[Block, Statement | None] = {}
        self._unread: list[Value] = []  # that were widened, and maybe for nobody
        self._moves: Moves = {}
        self._retypings: dict[tuple[Type, DType], _Retyping] = {}

    def run(self) -> bool:
        """Rewrite the function, and return whether that changed it."""
        dtypes, elsewhere = self._decisions.dtypes, uses_elsewhere(self._decisions)
        for value in values_in(self._decisions.survey):
            dtype = dtypes.get(value)
            if dtype is not None:
                self._retype(value, dtype)
            if value in elsewhere:
                self._serve(value, dtype is not None, elsewhere[value])
        for user, slots in self._moves.items():
            set_values(user, slots)
        return bool(dtypes or elsewhere)

    def drop_unread(self) -> int:
        """Erase the widenings that nobody reads any more, and return how many there were."""
        unread = [one for one in self._unread if isinstance(one, Instruction) and not one.has_users]
        for value in unread:
            value.eraseFromParent()
        return len(unread)

    def _retype(self, value: Value, dtype: DType) -> None:
        """Give a value its dtype."""
        before = value.type
        retyping = self._retypings.get((before, dtype))
        if retyping is None:
            after = before.with_dtype(dtype)
            retyping = self._retypings[before, dtype] = (after, loses(value.dtype, dtype), loses(dtype, value.dtype))
        value.type, adds, removes = retyping
        inst = value.owner if isinstance(value, Result) else value
        if isinstance(inst, Instruction):  # an argument of a region gets what is rounded already
            if adds:
                self.added_roundings.append(inst)
            if removes:
                self.removed_roundings.append(inst)

    def _serve(self, value: Value, is_retyped: bool, others: Mapping[DType, Sequence[Use]]) -> None:
        """Let uses that want another float than a value is read a cast, one for each such float."""
        dtype = value.dtype
        if self._may_round(value, others):
            (low,) = others
            if convert_constant(value, low, self._decisions.constants.elements):
                self._report.constants += 1
                self.rounded.add(value)
                self._note(value, dtype, low)
                return
        for other, group in others.items():
            narrow = widened_from(value, other) if self._by_kind and not is_retyped else None
            if narrow is not None:
                self._report.shared += len(group)
                self._unread.append(value)
                move(group, value, narrow, self._moves)
                continue
            cast = new_cast(value, other, group[0][0])
            self._insert_behind(value, cast)
            self.casts.add(cast)
            self._note(cast, dtype, other)
            self._report.inserted += 1
            self._report.shared += len(group) - 1
            move(group, value, cast, self._moves)

    def _may_round(self, value: Value, others: Mapping[DType, Sequence[Use]]) -> bool:
        """Whether a value may get another dtype itself if it is a constant: all of its uses want the same one."""
        if self._by_kind or len(others) != 1 or not is_constant(value):
            return False
        ((dtype, group),) = others.items()
        return len(group) == value.n_uses and self._decisions.may_give(value, dtype)

    def _note(self, value: Value, before: DType, after: DType) -> None:
        """Note that whatever gives a value rounds it, where it does."""
        inst = value.owner if isinstance(value, Result) else value
        if isinstance(inst, Instruction) and loses(before, after):
            self.added_roundings.append(inst)

    def _insert_behind(self, value: Value, cast: Instruction) -> None:
        home: object = value.owner if isinstance(value, Result) else value
        if isinstance(home, Statement) and not isinstance(home, Initializer):
            cast.insertAfter(home)
            return
        assert isinstance(value, (BlockArgument, Initializer))
        block = value.block if isinstance(value, BlockArgument) else value.parent
        assert block is not None
        if block not in self._heads:
            self._heads[block] = next((each for each in block if not isinstance(each, Initializer)), None)
        block.insert(cast, before=self._heads[block])
