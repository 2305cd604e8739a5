"""What scales ask of what they are taken from."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.ScaledQuantScaleGen import ScaledQuantScaleGen
from runtime.instructions import Problem
from runtime.scale_layouts import why_not_scaled


class ScaledQuantScale(ScaledQuantScaleGen):
    """Scales of a value that has the dimension along which they are taken."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        for name, message in why_not_scaled(self.src.type.shape, self.scale_layout, self.block):
            yield Problem(message, name)
