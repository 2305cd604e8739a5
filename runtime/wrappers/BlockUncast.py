"""What is asked of the scales of blocks."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.BlockUncastGen import BlockUncastGen
from runtime.infer.block_scales import block_scales_type
from runtime.instructions import Problem
from runtime.relations import may_be_equal


class BlockUncast(BlockUncastGen):
    """A product of elements and scales that fit the blocks."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        expected, found = block_scales_type(self.src.type, self.rows, self.cols).shape, self.scales.type.shape
        if not may_be_equal(expected, found):
            assert expected is not None and found is not None
            yield Problem(
                f"there are {list(found)} scales; expected {list(expected)} for blocks of {self.src.type}", "scales"
            )
