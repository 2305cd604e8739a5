"""What a layer of an encoder asks of its heads."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.FusedTransformerLayerGen import FusedTransformerLayerGen
from runtime.instructions import Problem
from runtime.relations import may_be_equal


class FusedTransformerLayer(FusedTransformerLayerGen):
    """A layer whose projections have its heads."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        inner = self.num_heads * self.head_dim
        out, qkv = self.out_weights.type.shape, self.qkv_weights.type.shape
        if out and not may_be_equal(out[0], inner):
            yield Problem(
                f"out_weights have {out[0]} rows, and {self.num_heads} heads of {self.head_dim} {inner}", "out_weights"
            )
        if qkv is not None and len(qkv) == 2 and not may_be_equal(qkv[1], 3 * inner):
            yield Problem(
                f"qkv_weights have {qkv[1]} columns; expected {3 * inner}, three for each element", "qkv_weights"
            )
