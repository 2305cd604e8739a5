"""Predicates: an instruction runs only in the iterations of the loops around it where affine conditions hold.

Deliberately absent: conditions on values. A run-time condition is a region (`if`); a predicate is known when compiling.

Source: penguin, predicates of instructions: a list of affine atoms, each normalised to `e >= 0` or `e == 0`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from runtime.affine import Affine, Axis
from runtime.extras import HasExtras
from runtime.quoting import described

if TYPE_CHECKING:
    from runtime.instructions import Instruction
    from runtime.names import Names


class AffinePredicate:
    """`expr >= 0`, or `expr == 0`. Immutable; equal when both are equal."""

    __slots__ = ("expr", "is_equality")

    expr: Affine
    is_equality: bool

    def __init__(self, expr: Affine, is_equality: bool = False) -> None:
        if not isinstance(expr, Affine):
            raise TypeError(f"a predicate is affine in axes (an Affine), not {described(expr)}")
        self.expr = expr
        self.is_equality = is_equality

    @classmethod
    def pred_ge(cls, left: Affine | Axis | int, right: Affine | Axis | int = 0) -> AffinePredicate:
        """Return `left >= right`."""
        return cls(Affine.of(left) + Affine.of(right) * -1)

    @classmethod
    def pred_gt(cls, left: Affine | Axis | int, right: Affine | Axis | int = 0) -> AffinePredicate:
        """Return `left > right`, which of whole numbers is `left - right - 1 >= 0`."""
        return cls.pred_ge(Affine.of(left) + -1, right)

    @classmethod
    def pred_le(cls, left: Affine | Axis | int, right: Affine | Axis | int = 0) -> AffinePredicate:
        """Return `left <= right`."""
        return cls.pred_ge(right, left)

    @classmethod
    def pred_lt(cls, left: Affine | Axis | int, right: Affine | Axis | int = 0) -> AffinePredicate:
        """Return `left < right`."""
        return cls.pred_gt(right, left)

    @classmethod
    def pred_eq(cls, left: Affine | Axis | int, right: Affine | Axis | int = 0) -> AffinePredicate:
        """Return `left == right`."""
        return cls(Affine.of(left) + Affine.of(right) * -1, True)

    def with_axes(self, replacement: Mapping[Axis, Axis]) -> AffinePredicate:
        """Return the same condition over other axes; axes that `replacement` does not name stay."""
        return AffinePredicate(self.expr.with_axes(replacement), self.is_equality)

    def holds(self, values: Mapping[Axis, int]) -> bool:
        """Whether it holds where each axis has the value given."""
        value = self.expr.evaluate(values)
        return value == 0 if self.is_equality else value >= 0

    @property
    def holds_always(self) -> bool:
        """Whether it holds in all iterations of its axes."""
        low, high = self.expr.bounds
        return low >= 0 and (not self.is_equality or high == 0)

    def use_str(self, names: Names | None = None) -> str:
        """Return `constant + factor*%axis + ... >= 0`; `names` are those of the whole text, if there is one."""
        return f"{self.expr.use_str(names)} {'==' if self.is_equality else '>='} 0"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffinePredicate):
            return NotImplemented
        return self.expr == other.expr and self.is_equality == other.is_equality

    def __hash__(self) -> int:
        return hash((self.expr, self.is_equality))

    def __str__(self) -> str:
        return self.use_str()

    def __repr__(self) -> str:
        return f"<AffinePredicate {self}>"


Predicates = tuple[AffinePredicate, ...]


class HasPredicates(HasExtras):
    """The part of an instruction that answers for its predicates. One without pays nothing: it has no slot for them."""

    __slots__ = ()

    @property
    def predicates(self) -> Predicates:
        """The conditions, all of which hold where this runs; none where it always does."""
        return () if self.extras is None else self.extras.predicates

    @property
    def is_predicated(self) -> bool:
        """Whether there are iterations of the loops around this in which it may not run."""
        return self.extras is not None and bool(self.extras.predicates)

    def addPredicate(self, *predicates: AffinePredicate) -> None:
        """Let this run only where these conditions hold, too; one that it has already is not added."""
        wrong = next((one for one in predicates if not isinstance(one, AffinePredicate)), None)
        if wrong is not None:
            raise TypeError(f"addPredicate takes an AffinePredicate, not {described(wrong)}")
        self._set_predicates(tuple(dict.fromkeys((*self.predicates, *predicates))))

    def resetPredicates(self) -> None:
        """Let this run always."""
        self._set_predicates(())

    def canonicalizePredicates(self) -> None:
        """Drop the conditions that hold in all iterations, as after a loop became shorter."""
        self._set_predicates(tuple(one for one in self.predicates if not one.holds_always))

    def _clone_extras(self, original: Instruction, mapping: dict[object, object]) -> None:
        super()._clone_extras(original, mapping)
        axes: Mapping[Any, Any] = mapping
        self.addPredicate(*(predicate.with_axes(axes) for predicate in original.predicates))

    def _set_predicates(self, predicates: Predicates) -> None:
        self._extras_to_change().predicates = predicates
        self._drop_empty_extras()
