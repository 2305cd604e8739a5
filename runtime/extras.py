"""What few instructions have beyond their slots, kept in one record that most of them are without.

Further results, `rounding`, `keep_alu_dtype`, what a front end carries, predicates, dependency edges: an instruction
without any of these pays one slot, `extras`, which is None. Whoever runs over millions of instructions asks that first:
a property for each of these costs several times as much.

Deliberately absent: an empty record. What takes the last thing out of one takes the record, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.values import Result, Value

if TYPE_CHECKING:
    from runtime.dependencies import EdgeKind
    from runtime.instructions import Instruction
    from runtime.predicates import Predicates


class Extras:
    """The record of one instruction. Whoever changes it is the instruction itself."""

    __slots__ = ("carried", "dependents", "further_results", "keep_alu_dtype", "predicates", "rounding", "sources")

    further_results: tuple[Result | None, ...]  # from the second one on, None where one is absent
    rounding: str | None
    keep_alu_dtype: bool
    carried: bytes | None
    predicates: Predicates
    sources: dict[Instruction, EdgeKind] | None  # of its dependency edges; None: there are none
    dependents: dict[Instruction, None] | None  # an ordered set: hubs have many

    def __init__(self) -> None:
        self.further_results = ()
        self.rounding = None
        self.keep_alu_dtype = False
        self.carried = None
        self.predicates = ()
        self.sources = None
        self.dependents = None

    @property
    def is_empty(self) -> bool:
        """Whether an instruction that has this is like one that has none."""
        return not (
            self.further_results
            or self.rounding is not None
            or self.keep_alu_dtype
            or self.carried is not None
            or self.predicates
            or self.sources
            or self.dependents
        )


class HasExtras(Value):
    """The part of an instruction that holds them; its further parts each answer for some."""

    __slots__ = ("extras",)

    extras: Extras | None

    @property
    def rounding(self) -> str | None:
        """`user` where the program's author asked for the rounding of the result, so that no pass removes it."""
        return None if self.extras is None else self.extras.rounding

    @rounding.setter
    def rounding(self, value: str | None) -> None:
        if value is not self.rounding:
            self._extras_to_change().rounding = value
            self._drop_empty_extras()

    @property
    def keep_alu_dtype(self) -> bool:
        """Whether the result was promoted to the dtype that the engines accumulate in, and no pass narrows it again."""
        return self.extras is not None and self.extras.keep_alu_dtype

    @keep_alu_dtype.setter
    def keep_alu_dtype(self, value: bool) -> None:
        if value is not self.keep_alu_dtype:
            self._extras_to_change().keep_alu_dtype = value
            self._drop_empty_extras()

    def _extras_to_change(self) -> Extras:
        """Return the record, made where there is none; what may leave it empty calls `_drop_empty_extras` behind it."""
        extras = self.extras
        if extras is None:
            extras = self.extras = Extras()
        return extras

    def _drop_empty_extras(self) -> None:
        if self.extras is not None and self.extras.is_empty:
            self.extras = None

    def _clone_extras(self, original: Instruction, mapping: dict[object, object]) -> None:
        """Take over what `original` has, with what `mapping` has for its axes and instructions.

        Not its further results: a constructor has made those of the clone.
        """
        theirs = original.extras
        if theirs is not None:
            ours = self._extras_to_change()
            ours.rounding, ours.keep_alu_dtype, ours.carried = theirs.rounding, theirs.keep_alu_dtype, theirs.carried
            self._drop_empty_extras()
