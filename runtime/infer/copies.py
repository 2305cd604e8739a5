"""Types of copies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from runtime.types import Type


def gathered_type(src: Type, generic_dim: int, generic_addrs: Type | None) -> Type:
    """Return the type of a copy from a run-time address.

    Shapes: one index, or none, gives the window `src`; n indices give `src` with extent n along `generic_dim`.
    """
    count = 1 if generic_addrs is None else generic_addrs.n_elements
    if src.shape is None or count == 1 or generic_dim >= len(src.shape):
        return src
    return Type.tensor(src.dtype, (*src.shape[:generic_dim], count, *src.shape[generic_dim + 1 :]))


def reshaped_type(src: Type, dst: Type | None) -> Type:
    """Return the type of a copy to `dst`: that of `src`, in the shape of `dst` where that has as many elements."""
    count = src.n_elements
    if dst is None or count is None or dst.n_elements != count:
        return src
    return Type.tensor(src.dtype, dst.shape)


def loaded_type(src: Type, has_partition_broadcast: bool) -> Type:
    """Return the type of a load: that of `src`, with any number of partitions where one fills all of them."""
    if not has_partition_broadcast or not src.shape:
        return src
    return Type.tensor(src.dtype, (None, *src.shape[1:]))


DMA_TRANSPOSE_AXES: Final[Mapping[int, tuple[int, ...]]] = {2: (1, 0), 3: (2, 1, 0), 4: (3, 1, 2, 0)}
"""By rank: for each dimension of what DMA transposes, which one it was before."""


def dma_transposed_type(src: Type, axes: Sequence[int] | None) -> Type:
    """Return the type of a transposition by DMA; axes that the rank does not have change nothing."""
    if src.shape is None or len(src.shape) not in DMA_TRANSPOSE_AXES:
        return Type.tensor(src.dtype, None)
    order = DMA_TRANSPOSE_AXES[len(src.shape)]
    given = tuple(axes or order)
    order = given if sorted(given) == sorted(order) else order
    return Type.tensor(src.dtype, tuple(src.shape[axis] for axis in order))
