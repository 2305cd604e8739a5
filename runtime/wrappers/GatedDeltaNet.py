"""What the gated delta rule asks of its gate."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.GatedDeltaNetGen import GatedDeltaNetGen
from runtime.instructions import Problem
from runtime.operand_shapes import shown
from runtime.relations import may_be_equal


class GatedDeltaNet(GatedDeltaNetGen):
    """One with a gate for each head, or for each key of each head."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        gate, queries = self.gate.type.shape, self.queries.type.shape
        if gate is None or queries is None or len(queries) != 4 or len(gate) not in (3, 4):
            return
        if not may_be_equal(gate, queries[: len(gate)]):
            per_head, per_key = shown(queries[:3]), shown(queries)
            yield Problem(f"gate has the shape {shown(gate)}; expected {per_head} or {per_key}", "gate")
