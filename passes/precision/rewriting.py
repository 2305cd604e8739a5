"""The program made what was decided: values get their dtypes, and uses that want another float get casts.

    %y: f32 = Softmax %x          %x_f32: f32 = Cast %x          where %x became f16 and the Softmax stays f32
                                  %y: f32 = Softmax %x_f32

There is one cast for a value and a dtype, right behind the value's producer. A constant whose uses all want one other
float is rounded itself. Where kinds decide alone, a use that wants what a value was widened from reads that.

Deliberately absent: decisions, and ends of programs (`passes/precision/ends.py`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from passes.autocast.facts import widened_from
from passes.precision.decide import Decisions
from passes.precision.new_values import contents_of, new_cast, round_constants
from passes.precision.report import PrecisionReport
from passes.precision.uses import Use, loses, uses_elsewhere
from runtime.blocks import Block, Statement
from runtime.dtypes import DType, f32
from runtime.generic import Initializer
from runtime.instructions import Instruction
from runtime.operand_slots import set_values
from runtime.types import Type
from runtime.values import BlockArgument, Operand, Result, Value

_Retyping = tuple[Type, bool, bool]
"""What a type becomes, and whether that adds and whether it removes a rounding."""


class Rewriting:
    """One rewriting of a function, of which the report is told."""

    def __init__(self, decisions: Decisions, report: PrecisionReport) -> None:
        self.casts: dict[Instruction, Value] = {}  # that were inserted, and what each reads
        self.rounded: set[Value] = set()  # constants
        self._added: list[Operand] = []  # what is rounded
        self._removed: list[Operand] = []
        self._decisions = decisions
        self._by_kind = decisions.policy.by_kind
        self._report = report
        self._heads: dict[Block, Statement | None] = {}
        self._constants: dict[DType, list[Value]] = defaultdict(list)  # to be rounded themselves
        self._unread: list[Value] = []  # that were widened, and maybe for nobody
        self._moves: dict[Instruction, dict[int, Operand]] = defaultdict(dict)  # what slots of users are to hold
        self._retypings: dict[tuple[Type, DType], _Retyping] = {}

    def run(self) -> bool:
        """Rewrite the function, and return whether that changed it."""
        dtypes, elsewhere = self._decisions.dtypes, uses_elsewhere(self._decisions)
        self._retype(dtypes)
        for (value, dtype), uses in elsewhere.items():
            if not self._is_rounded(value, dtype, uses):
                self._serve(value, dtype, uses)
        for user, slots in self._moves.items():
            set_values(user, slots)
        self._round()
        self._report.inserted += len(self.casts)
        return bool(dtypes or elsewhere)

    @property
    def added_roundings(self) -> list[Instruction]:
        """The instructions whose results are rounded, and were not, in program order."""
        return self._in_order(self._added)

    @property
    def removed_roundings(self) -> list[Instruction]:
        """The instructions whose results are not rounded any more, in program order."""
        return self._in_order(self._removed)

    def _in_order(self, rounded: Sequence[Operand]) -> list[Instruction]:
        """Return what gives values that are rounded; an argument of a region gets what is rounded already."""
        homes = [_home(one) for one in sorted(rounded, key=self._place)]
        return [home for home in homes if isinstance(home, Instruction)]

    def _place(self, value: Any) -> tuple[int, float]:
        """Return where a value is given, of a cast what it reads: by which instruction, and as which of its values."""
        places = self._decisions.survey.places
        given = self.casts.get(value, value)
        if isinstance(given, BlockArgument):
            around = given.block.owner
            return (places[around], inf) if isinstance(around, Instruction) else (-1, 0)
        return (places[given.owner], given.index) if isinstance(given, Result) else (places[given], 0)

    def drop_unread(self) -> int:
        """Erase the widenings that nobody reads any more, and return how many there were."""
        unread = [one for one in self._unread if isinstance(one, Instruction) and not one.has_users]
        for value in unread:
            value.eraseFromParent()
        return len(unread)

    def _retype(self, dtypes: Mapping[Any, DType]) -> None:
        """Give values their dtypes."""
        known = self._retypings
        for value, dtype in dtypes.items():
            before = value.type
            value.type, adds, removes = known.get((before, dtype)) or self._retyping(before, dtype)
            if adds:
                self._added.append(value)
            if removes:
                self._removed.append(value)

    def _retyping(self, before: Type, dtype: DType) -> _Retyping:
        declared = before.dtype
        assert declared is not None, "what becomes another float is one"
        found = (before.with_dtype(dtype), loses(declared, dtype), loses(dtype, declared))
        self._retypings[before, dtype] = found
        return found

    def _serve(self, value: Value, dtype: DType, uses: Sequence[Use]) -> None:
        """Let uses that want another float than a value is read a cast."""
        new: Value | None = None
        if self._by_kind and value not in self._decisions.dtypes:
            new = widened_from(value, dtype)
        if new is not None:
            self._unread.append(value)
            self._report.shared += 1
        else:
            before = value.type
            type, adds, _ = self._retypings.get((before, dtype)) or self._retyping(before, dtype)
            new = new_cast(value, type, uses[0][0])
            self._insert_behind(value, new)
            self.casts[new] = value
            if adds:
                self._added.append(new)
        self._report.shared += len(uses) - 1
        for user, slot in uses:
            if slot is None:
                user.replaceUseOfWith(value, new)
            else:
                self._moves[user][slot] = new

    def _is_rounded(self, value: Value, dtype: DType, uses: Sequence[Use]) -> bool:
        """Whether a value is a constant that is rounded itself, since all of its uses want the same."""
        if self._by_kind or value not in self._decisions.constants or contents_of(value) is None:
            return False
        if len(uses) != value.n_uses or not self._decisions.may_give(value, dtype):
            return False
        self._constants[dtype].append(value)
        return True

    def _round(self) -> None:
        """Round the constants of which that was found; all at once, since most are small."""
        for dtype, constants in self._constants.items():
            adds = loses(f32, dtype)
            round_constants(constants, dtype, self._decisions.constants.elements)
            self._report.constants += len(constants)
            self.rounded.update(constants)
            if adds:
                self._added += constants

    def _insert_behind(self, value: Value, cast: Instruction) -> None:
        home: object = value.owner if isinstance(value, Result) else value
        if isinstance(home, Instruction) and not isinstance(home, Initializer):
            assert home.parent is not None
            home.parent.insert(cast, before=home.next)
            return
        assert isinstance(value, (BlockArgument, Initializer))
        block = value.block if isinstance(value, BlockArgument) else value.parent
        assert block is not None
        if block not in self._heads:
            self._heads[block] = next((each for each in block if not isinstance(each, Initializer)), None)
        block.insert(cast, before=self._heads[block])


def _home(value: Operand) -> Operand:
    """Return the instruction whose result a value is, of an argument itself."""
    return value.owner if isinstance(value, Result) else value
