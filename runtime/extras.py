"""What few instructions have beyond their slots, kept in one dictionary that most of them are without.

Further results, `rounding`, `keep_alu_dtype`, what a front end carries, predicates, dependency edges: an instruction
without any of these pays one slot, which is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from runtime.dependencies import HasDependencies
from runtime.predicates import HasPredicates

if TYPE_CHECKING:
    from runtime.instructions import Instruction

_OF_ITS_OWN = frozenset({"results", "sources", "dependents", "predicates"})  # what a clone does not simply share


class HasExtras(HasPredicates, HasDependencies):
    """The part of an instruction that holds them."""

    __slots__ = ()

    @property
    def rounding(self) -> str | None:
        """`user` where the program's author asked for the rounding of the result, so that no pass removes it."""
        return self._extra.get("rounding") if self._extra else None

    @rounding.setter
    def rounding(self, value: str | None) -> None:
        self._set_extra("rounding", value)

    @property
    def keep_alu_dtype(self) -> bool:
        """Whether the result was promoted to the dtype that the engines accumulate in, and no pass narrows it again."""
        return self._extra is not None and "keep_alu_dtype" in self._extra

    @keep_alu_dtype.setter
    def keep_alu_dtype(self, value: bool) -> None:
        self._set_extra("keep_alu_dtype", True if value else None)

    def _set_extra(self, key: str, value: object) -> None:
        extra = self._extra or {}
        if value is None:
            extra.pop(key, None)
        else:
            extra[key] = value
        self._extra = extra or None  # type: ignore[misc]  # the slot is that of `Instruction`

    def _clone_extras(self, original: Instruction, mapping: dict[object, object]) -> None:
        """Take over what `original` has, over the axes and behind the instructions that `mapping` has for its own."""
        for key, value in (original._extra or {}).items():
            if key not in _OF_ITS_OWN:
                self._set_extra(key, value)
        axes: Mapping[Any, Any] = mapping
        self.addPredicate(*(predicate.with_axes(axes) for predicate in original.predicates))
        self._clone_dependencies(original, mapping)
        mapping[original] = self  # so that clones of what comes after it find it, although it may be no value
