"""What the gradient of a bank of filters asks of its shapes."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.LogMelBackwardGen import LogMelBackwardGen
from runtime.infer.spectra import log_mel_type
from runtime.instructions import Problem
from runtime.operand_shapes import shown, why_not_filters
from runtime.relations import may_be_equal


class LogMelBackward(LogMelBackwardGen):
    """A gradient with a number for each filter and frame."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if why := why_not_filters(self.filters.type, self.src.type):
            yield Problem(why, "filters")
        given, expected = self.gradient.type.shape, log_mel_type(self.src.type, self.filters.type).shape
        if given is not None and expected is not None and not may_be_equal(given, expected):
            message = f"gradient has the shape {shown(given)}; expected {shown(expected)}, a number for each filter"
            yield Problem(message, "gradient")
