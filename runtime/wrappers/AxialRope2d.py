"""What a rotation by places in an image asks of its heads and tokens."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.AxialRope2dGen import AxialRope2dGen
from runtime.heads import why_not_heads
from runtime.instructions import Problem
from runtime.relations import may_be_equal


class AxialRope2d(AxialRope2dGen):
    """A rotation of as many tokens as there are places, times how often each is there."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        wrong = why_not_heads(self.src.type, "bshd", self.num_heads, self.head_dim)
        if wrong is not None:
            yield Problem(wrong, "src")
        if not self.theta > 0:
            yield Problem(f"the base of the frequencies is {self.theta}; expected a number above 0", "theta")
        shape, tokens = self.src.type.shape, self.end_x * self.end_y * self.repeat_factor
        if shape is not None and len(shape) == 3 and not may_be_equal(shape[1], tokens):
            yield Problem(f"src has {shape[1]} tokens; expected {tokens}", "src")
