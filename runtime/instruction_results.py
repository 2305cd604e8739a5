"""The results of instructions: which there are, and what few of them say of themselves.

Deliberately absent: a slot for each. The first result of an instruction is the instruction; further ones, and whatever
else few instructions have, stand in `extras`, so an instruction with one result pays nothing for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from runtime.extras import HasExtras
from runtime.types import Type
from runtime.values import Result, Value

if TYPE_CHECKING:
    from runtime.access import NeuronAP
    from runtime.info import InstructionInfo
    from runtime.instructions import Instruction

_NONE = Type.none()


class HasResults(HasExtras):
    """The part of `Instruction` that is about its results."""

    __slots__ = ()

    if TYPE_CHECKING:

        INFO: ClassVar[InstructionInfo]

        @property
        def dst(self) -> NeuronAP | None: ...

    @property
    def results(self) -> tuple[Value, ...]:
        """The SSA results: this itself and any further ones; none where it writes through `dst` or yields nothing."""
        if self.dst is not None or self.type is _NONE:
            return ()
        if self.extras is None:
            return (self,)
        return (self, *[result for result in self.extras.further_results if result is not None])

    @property
    def all_results(self) -> tuple[Value | None, ...]:
        """The SSA results by position, None where one is absent; that may be any that the definition lets be absent."""
        if self.dst is not None or self.type is _NONE:
            return ()
        return (self,) if self.extras is None else (self, *self.extras.further_results)

    @property
    def result_types(self) -> list[Type]:
        """The types of the results by position, as the constructor takes them: none where one is absent."""
        return [_NONE if result is None else result.type for result in self.all_results]

    def _add_results(self, types: Sequence[Type]) -> None:
        """Give this its second and further results; once, at the end of the constructor.

        A result of type none is absent, and so are those at the end that have no type.
        """
        info = self.INFO
        missing = 0 if info.has_any_number_of_results else len(info.results) - 1 - len(types)
        if self.type is _NONE:
            assert not types, f"{self!r} has further results, so its first one cannot be none"
        elif types or missing > 0:
            owner = cast("Instruction", self)
            further = [None if t is _NONE else Result(owner, index, t) for index, t in enumerate(types, 1)]
            self._extras_to_change().further_results = (*further, *[None] * missing)

    def _result(self, index: int) -> Value:
        """Return a result that is always there."""
        found = self._optional_result(index)
        assert found is not None, f"{self!r} has no result at {index}"
        return found

    def _optional_result(self, index: int) -> Value | None:
        """Return a result by its position; None where it is absent."""
        found = self.all_results
        return found[index] if index < len(found) else None

    @property
    def npartitions(self) -> int:
        """Extent of the first dimension of the result; 1 for a scalar."""
        shape = self.type.shape
        assert shape is not None, f"{self!r} has no known shape"
        first = shape[0] if shape else 1
        assert isinstance(first, int), f"{self!r} has no known number of partitions"
        return first

    @property
    def tile_size_in_bytes(self) -> int:
        """Bytes of the result of one execution, over all partitions."""
        size = self.type.size_in_bytes
        assert size is not None, f"{self!r} has no known size"
        return size
