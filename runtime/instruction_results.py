"""The results of instructions: which there are, and what few of them say of themselves.

Deliberately absent: a slot for each. The first result of an instruction is the instruction; further ones, and whatever
else few instructions have, stand in `_extra`, so an instruction with one result pays nothing for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from runtime.types import Type
from runtime.values import Result, Value

if TYPE_CHECKING:
    from runtime.access import NeuronAP
    from runtime.instructions import Instruction

_NONE = Type.none()


class HasResults(Value):
    """The part of `Instruction` that is about its results."""

    __slots__ = ("_extra",)

    _extra: dict[str, Any] | None  # what few instructions have: further results, `rounding`

    if TYPE_CHECKING:

        @property
        def dst(self) -> NeuronAP | None: ...

    @property
    def results(self) -> tuple[Value, ...]:
        """The SSA results: this itself and any further ones; none where it writes through `dst` or yields nothing."""
        if self.dst is not None or self.type is _NONE:
            return ()
        return (self, *self._extra["results"]) if self._extra and "results" in self._extra else (self,)

    def _add_results(self, types: Sequence[Type]) -> None:
        """Give this its second and further results; once, at the end of the constructor."""
        if types:
            assert self.type is not _NONE, f"{self!r} has further results, so its first one cannot be none"
            owner = cast("Instruction", self)
            self._set_extra("results", tuple(Result(owner, index, type) for index, type in enumerate(types, 1)))

    @property
    def rounding(self) -> str | None:
        """`user` where the program's author asked for the rounding of the result, so that no pass removes it."""
        return self._extra.get("rounding") if self._extra else None

    @rounding.setter
    def rounding(self, value: str | None) -> None:
        self._set_extra("rounding", value)

    def _set_extra(self, key: str, value: object) -> None:
        extra = self._extra or {}
        if value is None:
            extra.pop(key, None)
        else:
            extra[key] = value
        self._extra = extra or None
