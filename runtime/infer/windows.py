"""Types of what is computed in windows that move over spatial dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from runtime.types import Dim, Shape, Type
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


def conv_transpose_type(
    src: Type,
    weights: Type,
    strides: Sequence[int] | None,
    padding: Sequence[int] | None,
    dilations: Sequence[int] | None,
    output_padding: Sequence[int] | None,
    groups: int,
) -> Type:
    """Return the type of a transposed convolution.

    Shapes: [N, C, ...] and [C, O / groups, ...] give [N, O, ...], with the extents that have so many windows, and more.
    """
    if src.shape is None or weights.shape is None or not 2 < len(src.shape) == len(weights.shape):
        return Type.tensor(src.dtype, None)
    rank, window = len(src.shape) - 2, weights.shape[2:]
    channels = weights.shape[1] * groups if isinstance(weights.shape[1], int) else None
    known = tuple(extent if isinstance(extent, int) else 0 for extent in window)
    lists = why_not_windows(rank, None, strides, padding, dilations=dilations, output_padding=output_padding)
    if next(lists, None) is not None:
        return Type.tensor(src.dtype, (src.shape[0], channels, *(None,) * rank))
    spread, more = Windows.along(known, strides, padding, dilations), output_padding or (0,) * rank
    spatial = (
        spread.spread(axis, count, more[axis]) if isinstance(count, int) and isinstance(window[axis], int) else None
        for axis, count in enumerate(src.shape[2:])
    )
    return Type.tensor(src.dtype, (src.shape[0], channels, *spatial))


def im2col_type(
    src: Type,
    window: Sequence[int],
    strides: Sequence[int] | None,
    padding: Sequence[int] | None,
    dilations: Sequence[int] | None,
) -> Type:
    """Return the type of the matrix of all windows: a row for each, with all channels of all its elements."""
    if src.shape is None or len(src.shape) != 4:
        return Type.tensor(src.dtype, None)
    counts = _windowed(src.shape[2:], window, strides, padding, dilations)
    return Type.tensor(src.dtype, (_product(src.shape[0], *counts), _product(src.shape[1], *window)))


def _product(*extents: Dim) -> Dim:
    known = [extent for extent in extents if isinstance(extent, int)]
    return prod(known) if len(known) == len(extents) else None


def resized_2x_type(src: Type) -> Type:
    """Return the type of an image with both spatial extents doubled."""
    if src.shape is None or len(src.shape) != 4:
        return Type.tensor(src.dtype, None)
    doubled = (2 * extent if isinstance(extent, int) else None for extent in src.shape[2:])
    return Type.tensor(src.dtype, (*src.shape[:2], *doubled))


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
