"""What an attention with projections asks of its heads and tables."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.FusedAttentionBlockGen import FusedAttentionBlockGen
from runtime.instructions import Problem
from runtime.relations import may_be_equal


class FusedAttentionBlock(FusedAttentionBlockGen):
    """An attention whose projections have its heads, and whose tables have its places."""

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
        hidden = self.hidden.type.shape
        for name, table in (("cos", self.cos), ("sin", self.sin)):
            shape = None if table is None else table.type.shape
            if shape is None or hidden is None or len(shape) != 2 or len(hidden) != 3:
                continue
            if self.head_dim % 2:
                yield Problem(f"heads of {self.head_dim} elements are not made of pairs", "head_dim")
            elif not may_be_equal(shape[0], hidden[1]) or not may_be_equal(shape[1], self.head_dim // 2):
                expected = [hidden[1], self.head_dim // 2]
                yield Problem(f"{name} has the extents {list(shape)}; expected {expected}", name)
