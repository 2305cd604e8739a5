"""What a permutation asks of its numbers."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.TransposeGen import TransposeGen
from runtime.instructions import Problem


class Transpose(TransposeGen):
    """A permutation that names each dimension of its operand once."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        rank = self.src.type.rank
        if rank is not None and sorted(self.permutation) != list(range(rank)):
            wanted = f"each of 0 to {rank - 1} once" if rank else "an empty one"
            yield Problem(
                f"permutation is {list(self.permutation)}; src has rank {rank}, so expected {wanted}", "permutation"
            )
