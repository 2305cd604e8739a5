"""Types of what is computed in windows that move over spatial dimensions."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.types import Shape, Type
from runtime.windows import Windows, why_not_windows


def conv_type(
    src: Type,
    weights: Type,
    strides: Sequence[int] | None,
    padding: Sequence[int] | None,
    dilations: Sequence[int] | None,
) -> Type:
    """Return the type of a convolution.

    Shapes: [N, C, ...] and [O, C / groups, ...] give [N, O, ...] with the number of windows along each dimension.
    """
    if src.shape is None or weights.shape is None or not 2 < len(src.shape) == len(weights.shape):
        return Type.tensor(src.dtype, None)
    window = weights.shape[2:]
    known = tuple(extent for extent in window if isinstance(extent, int))
    spatial = _windowed(src.shape[2:], known, strides, padding, dilations)
    return Type.tensor(src.dtype, (src.shape[0], weights.shape[0], *spatial))


def pool_type(src: Type, window: Sequence[int], strides: Sequence[int] | None, padding: Sequence[int] | None) -> Type:
    """Return the type of a pool.

    Shapes: [N, C, ...] keeps N and C, and has the number of windows along each further dimension.
    """
    if src.shape is None or len(src.shape) < 3:
        return Type.tensor(src.dtype, None)
    return Type.tensor(src.dtype, (*src.shape[:2], *_windowed(src.shape[2:], window, strides, padding)))


def _windowed(
    spatial: Shape,
    window: Sequence[int],
    strides: Sequence[int] | None,
    padding: Sequence[int] | None,
    dilations: Sequence[int] | None = None,
) -> Shape:
    rank = len(spatial)
    lists = why_not_windows(rank, window, strides, padding, dilations=dilations)
    if next(lists, None) is not None or min((*window, *(strides or ()), *(dilations or ())), default=1) < 1:
        return (None,) * rank  # the verifier says why
    return Windows.along(window, strides, padding, dilations).extents(spatial)
