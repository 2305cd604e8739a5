"""How many indices a core of the gpsimd engine takes."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.LocalGatherOpGen import LocalGatherOpGen
from runtime.instructions import Problem
from runtime.tile_rules import elements_in_partition

_MOST = 4096  # indices for each core


class LocalGatherOp(LocalGatherOpGen):
    """A gather from 16 partitions by the indices that they hold.

    Source: AWS Neuron documentation, `nki.isa.local_gather`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        count = elements_in_partition(self._index.type)
        if count is None:
            return
        held, valid = 16 * count, self._num_valid_indices
        if valid is not None and valid > held:
            yield Problem(f"num_valid_indices is {valid}; 16 partitions hold {held}", "num_valid_indices")
        elif valid is None and held > _MOST:
            yield Problem(f"16 partitions hold {held} indices; a core takes up to {_MOST}", "index")
