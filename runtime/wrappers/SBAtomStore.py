"""Which elements a store converts, or adds."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.SBAtomStoreGen import SBAtomStoreGen
from runtime.instructions import Problem
from runtime.transfer_rules import why_not_converted


class SBAtomStore(SBAtomStoreGen):
    """A store of a tile, which may add it to what is there."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_converted(self._src.type, self.type, adds=self._rmw_op is not None)
