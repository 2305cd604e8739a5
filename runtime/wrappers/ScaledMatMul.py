"""What a product of codes asks of their scales."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.ScaledMatMulGen import ScaledMatMulGen
from runtime.instructions import Problem
from runtime.scale_layouts import why_not_scaled, why_not_scales


class ScaledMatMul(ScaledMatMulGen):
    """A product whose scales fit the extents of its operands."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        for name, message in why_not_scaled(None, self.scale_layout, self.block):
            yield Problem(message, name)
        for name, scale, codes in (("lhs", self.lhs_scale, self.lhs), ("rhs", self.rhs_scale, self.rhs)):
            wrong = why_not_scales(scale.type, codes.type.shape, self.scale_layout, self.block)
            if wrong is not None:
                yield Problem(f"{wrong}, for {name}", f"{name}_scale")
