"""When a copy is a cast."""

from __future__ import annotations

from generated.neuron.TensorCopyOpGen import TensorCopyOpGen


class TensorCopyOp(TensorCopyOpGen):
    """A copy between on-chip tensors or values; a cast where the dtypes differ."""

    __slots__ = ()

    @property
    def is_cast(self) -> bool:
        """Whether the elements change their dtype on the way."""
        return self.dtype is not self._src.dtype
