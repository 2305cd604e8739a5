"""What a scatter adds to the run-time-addressed copies: the indices point into what it writes."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.TensorCopyDynamicDstGen import TensorCopyDynamicDstGen
from runtime.instructions import Problem
from runtime.types import Type
from runtime.values import Operand


class TensorCopyDynamicDst(TensorCopyDynamicDstGen):
    """Writes `src` into `dst` at an address known only at run time; what it does not write keeps its bytes.

    Shapes: with one index or none, `src` has the shape of `dst`'s access pattern, the window; with n indices, `src` has
    n and the window 1 along `generic_dim`.
    """

    __slots__ = ()

    @property
    def addressed(self) -> Operand | None:
        return self.dst

    @property
    def window_name(self) -> str:
        return "dst"

    def infer_result_type(self) -> Type:
        """Return the type of the window: that of `src`, but with n indices it has extent 1 along `generic_dim`."""
        src, dim, count = self._src.type, self._generic_dim, self.n_indices
        if count == 0 or count == 1 or src.shape is None or not 0 <= dim < len(src.shape):
            return src
        return Type.tensor(src.dtype, (*src.shape[:dim], 1 if count else None, *src.shape[dim + 1 :]))

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        count, dim = self.n_indices, self._generic_dim
        if self.dst is None or count is None or self._src.type.shape is None or dim >= len(self.dst.shape):
            return
        expected = list(self.dst.shape)
        if count > 1:
            expected[dim] = count
        if self._src.shape != tuple(expected):
            found, wanted = (",".join(map(str, shape)) for shape in (self._src.shape, expected))
            yield Problem(f"src is [{found}], but {max(count, 1)} windows of dst along {dim} are [{wanted}]", "src")
