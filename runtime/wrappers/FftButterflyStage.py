"""What a stage of a Fourier transform asks of its extents."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.FftButterflyStageGen import FftButterflyStageGen
from runtime.instructions import Problem


class FftButterflyStage(FftButterflyStageGen):
    """A stage whose butterflies fit into N numbers, with a gate and a factor for each of them."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if 0 <= self.stage < 63 and self.n_fft % (2 << self.stage):
            yield Problem(f"stage {self.stage} takes elements {1 << self.stage} apart, of {self.n_fft}", "stage")
        shape = self.gate.type.shape
        count = shape[0] if shape is not None and len(shape) == 1 else None
        if isinstance(count, int) and 2 * count != self.n_fft:
            yield Problem(f"there are {count} gates; expected one for each two of {self.n_fft} numbers", "gate")
