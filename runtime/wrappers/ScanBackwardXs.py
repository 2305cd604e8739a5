"""What the cotangents of items ask of the operands of a scan from back to front."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.ScanBackwardXsGen import ScanBackwardXsGen
from runtime.fitting import counted
from runtime.instructions import Problem
from runtime.wrappers.ScanBackward import why_not_backward


class ScanBackwardXs(ScanBackwardXsGen):
    """The cotangents of the items of one operand that is there."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_backward(self)
        if self.xs_index >= len(self.items):
            yield Problem(
                f"xs_index is {self.xs_index}, and items has {counted(len(self.items), 'operand')}", "xs_index"
            )
