"""What a product with weights from a codebook asks of its extents."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.SynthMatMulGen import SynthMatMulGen
from runtime.instructions import Problem


class SynthMatMul(SynthMatMulGen):
    """A product whose entries fill the rows of the weights."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        src, indices, codebook = self.src.type.shape, self.indices.type.shape, self.codebook.type.shape
        if any(shape is None or len(shape) != 2 for shape in (src, indices, codebook)):
            return
        assert src is not None and indices is not None and codebook is not None
        summed, entries, extent = src[1], indices[1], codebook[1]
        if not (isinstance(summed, int) and isinstance(entries, int) and isinstance(extent, int)):
            return
        if summed != entries * extent:
            found = f"{entries} entries of {extent} elements"
            yield Problem(f"rows of src have {summed} elements, and those of the weights {found}", "indices")
