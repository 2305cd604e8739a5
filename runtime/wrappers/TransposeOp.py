"""How large a tile each engine transposes."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.TransposeOpGen import TransposeOpGen
from runtime.engines import NeuronEngine
from runtime.instructions import Problem

_ON_VECTOR = 32


class TransposeOp(TransposeOpGen):
    """Swaps partitions and elements of a tile.

    Shapes: up to [128, 128] on the tensor engine, up to [32, 32] on the vector engine.
    Source: AWS Neuron documentation, `nki.isa.nc_transpose`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        shape = self._src.type.shape
        if self.engine is not NeuronEngine.VECTOR or shape is None:
            return
        if any(isinstance(extent, int) and extent > _ON_VECTOR for extent in shape):
            tile = ",".join(map(str, shape))
            yield Problem(
                f"src is [{tile}]; the vector engine transposes tiles of up to [{_ON_VECTOR},{_ON_VECTOR}]", "src"
            )
