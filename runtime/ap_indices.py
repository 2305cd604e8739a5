"""The access-pattern indices of an instruction, as one list over all places that name a dimension.

Whoever renumbers, drops or materializes dimensions goes through this list and needs no cases: the partition and free
indices of the source's access pattern stand in it beside the lists that a definition adds (`addr_free_indices`).

Deliberately absent: a stored list. It is derived each time, so nothing can get out of step with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from runtime.access import APIndex, NeuronAP

if TYPE_CHECKING:
    from runtime.values import Operand


class HasAPIndices:
    """The part of an instruction that answers for its access-pattern indices.

    Source: penguin, access patterns and the TensorCopyDynamic generators, for the names and the order.
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def operands(self) -> tuple[Operand, ...]: ...

        @property
        def dst(self) -> NeuronAP | None: ...

    @property
    def _indexed(self) -> NeuronAP | None:
        """The access whose dimensions are this instruction's: its first operand that is one."""
        return next((operand for operand in self.operands() if isinstance(operand, NeuronAP)), None)

    @property
    def has_ap_indices(self) -> bool:
        """Whether the access pattern of the source names any dimension."""
        return self._indexed is not None and bool(self._indexed.indices)

    @property
    def src_par_indices(self) -> tuple[APIndex, ...]:
        """The index of the source's partition dimension, where it is named."""
        return self._indexed.par_indices if self._indexed is not None else ()

    @property
    def free_indices(self) -> tuple[APIndex, ...]:
        """The indices of the source's free dimensions that are named."""
        return self._indexed.free_indices if self._indexed is not None else ()

    def enumerate_ap_indices(self) -> Iterator[APIndex]:
        """Yield the partition indices of the source (where it has indices), then its free indices."""
        if self.has_ap_indices:
            yield from self.src_par_indices
        yield from self.free_indices

    def remove_ap_index(self, index: APIndex) -> None:
        """Drop the name of one dimension.

        Raises: ValueError where this instruction has no such index.
        """
        if index not in self._updateAllIndicesList():
            raise ValueError(f"{index} not found for remove_ap_index.")
        self._rename_in_accesses({index: None})

    def updateAPIndicies(self, renamed: Mapping[APIndex, APIndex]) -> None:
        """Replace indices by others, in every place that names them."""
        self._rename_in_accesses(renamed)

    def _updateAllIndicesList(self) -> tuple[APIndex, ...]:
        """Return the unified list, made afresh."""
        return tuple(self.enumerate_ap_indices())

    def _rename_in_accesses(self, renamed: Mapping[APIndex, APIndex | None]) -> None:
        for access in (*self.operands(), self.dst):
            if isinstance(access, NeuronAP) and access.indices:
                access.indices = tuple(renamed.get(i, i) if i is not None else None for i in access.indices)
