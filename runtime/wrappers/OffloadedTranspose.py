"""What a permutation of dimensions asks of the two sides."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from generated.neuron.OffloadedTransposeGen import OffloadedTransposeGen
from runtime.instructions import Problem


class OffloadedTranspose(OffloadedTransposeGen):
    """A permutation of the dimensions of the source, or of the shape that it is taken in."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from self._as_many_elements(self._src.type)
        taken, own = self._src_shape, self._src.type
        if taken is not None and own.n_elements is not None and all(isinstance(extent, int) for extent in taken):
            count = prod(extent for extent in taken if isinstance(extent, int))
            if count != own.n_elements:
                yield Problem(f"src has {own.n_elements} elements, and src_shape {count}", "src_shape")
        rank = len(taken) if taken is not None else own.rank
        if rank is not None and sorted(self._permutation) != list(range(rank)):
            message = f"permutation is {list(self._permutation)}; it names each of {rank} dimensions once"
            yield Problem(message, "permutation")
