"""What repeating a tensor along some dimensions asks of the two sides."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.OffloadedBroadcastGen import OffloadedBroadcastGen
from runtime.instructions import Problem


class OffloadedBroadcast(OffloadedBroadcastGen):
    """Without `broadcast_dims`, the destination has the shape of the source; extents of 1 do not count."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        shape, dims = self.type.shape, list(self._broadcast_dims)
        if shape is None:
            return
        wrong = next((dim for dim in dims if dim >= len(shape)), None)
        if wrong is not None:
            message = f"broadcast_dims has {wrong}, and the destination has {len(shape)} dimensions"
            yield Problem(message, "broadcast_dims")
            return
        if len(set(dims)) < len(dims):
            yield Problem(f"broadcast_dims is {dims}; each dimension is named once", "broadcast_dims")
        if self._src.type.shape is None:
            return
        left = [extent for dim, extent in enumerate(shape) if dim not in dims and extent != 1]
        own = [extent for extent in self._src.type.shape if extent != 1]
        if all(isinstance(extent, int) for extent in (*left, *own)) and left != own:
            found = ",".join(map(str, self._src.type.shape))
            expected = ",".join(map(str, left))
            yield Problem(f"src is [{found}]; the other dimensions of the destination are [{expected}]", "src")
