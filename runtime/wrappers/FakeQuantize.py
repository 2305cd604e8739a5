"""What a quantization for training asks of its state."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.FakeQuantizeGen import FakeQuantizeGen
from runtime.instructions import Problem
from runtime.quantized_axes import why_not_axis, why_not_count


class FakeQuantize(FakeQuantizeGen):
    """A quantization that has what its mode needs, and nothing else."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        wrong = why_not_axis(self.src.type.shape, self.axis)
        if wrong is not None:
            yield Problem(wrong, "axis")
        for name, value, needed in (
            ("state", self.state, self.scale_mode != "per_batch"),
            ("decay", self.decay, self.scale_mode == "ema"),
        ):
            if needed and value is None:
                yield Problem(f"the scale mode {self.scale_mode} needs {name}", "scale_mode")
            elif value is not None and not needed:
                yield Problem(f"the scale mode {self.scale_mode} has no {name}", name)
        shape = None if self.state is None else self.state.type.shape
        if shape is not None and len(shape) == 1:
            wrong = why_not_count(shape[0], self.src.type.shape, self.axis)
            if wrong is not None:
                yield Problem(wrong, "state")
