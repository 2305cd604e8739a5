"""What a load asks of a source that fills all partitions."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.SBAtomLoadGen import SBAtomLoadGen
from runtime.instructions import Problem
from runtime.transfer_rules import why_not_converted


class SBAtomLoad(SBAtomLoadGen):
    """A load of a tile; with `has_partition_broadcast`, the source has one partition."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_converted(self._src.type, self.type)
        shape = self._src.type.shape
        if self._has_partition_broadcast and shape is not None and (not shape or shape[0] not in (1, None)):
            found = ",".join(map(str, shape))
            yield Problem(f"src is [{found}]; one partition is expected, which fills all others", "src")
