"""What the two run-time-addressed copies have in common beyond their fields."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from generated.neuron.TensorCopyDynamicBaseGen import TensorCopyDynamicBaseGen
from runtime.access import NeuronAP
from runtime.instructions import Problem
from runtime.values import Operand


class TensorCopyDynamicBase(TensorCopyDynamicBaseGen):
    """Stands between the brewed base and its two brewed children, `TensorCopyDynamicSrc` and `TensorCopyDynamicDst`.

    Source: seed document on the TensorCopyDynamic generators; the rule on `offset_scale` is the code generator's own.
    """

    __slots__ = ()

    @property
    def addressed(self) -> Operand | None:
        """Where the indices point into: the source of a gather, the destination of a scatter, if there is one."""
        return self._src

    @property
    def window_name(self) -> str:
        """The name of the operand that is the window which the indices move."""
        return "src"

    @property
    def n_indices(self) -> int | None:
        """Number of run-time indices; 0 for a static copy, None where the shape of the indices is not known."""
        return 0 if self._generic_addrs is None else self._generic_addrs.type.n_elements

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        window = self.addressed
        if window is None or window.type.shape is None:
            return
        whole = window.tensor.known_shape if isinstance(window, NeuronAP) else window.shape
        rank, dim = len(whole), self._generic_dim
        if dim >= rank:
            yield Problem(f"generic_dim is {dim}, but {self.window_name} addresses {rank} dimensions", "generic_dim")
            return
        inner = [extent for extent in whole[dim + 1 :] if isinstance(extent, int)]
        if len(inner) == rank - dim - 1 and self._offset_scale != prod(inner):
            yield Problem(
                f"offset_scale is {self._offset_scale}, but the extents right of dimension {dim} of "
                f"[{','.join(map(str, whole))}] make {prod(inner)} elements",
                "offset_scale",
            )
        count = self.n_indices
        if count == 0 and self._generic_addrs is not None:
            yield Problem(f"generic_addrs is {self._generic_addrs.type}; expected at least one index", "generic_addrs")
        if count is not None and count > 1 and len(window.shape) == rank and window.shape[dim] != 1:
            yield Problem(
                f"{self.window_name} has extent {window.shape[dim]} along generic_dim {dim}; "
                f"with {count} indices the window has extent 1 there",
                self.window_name,
            )
