"""Scales of small floats: which elements share one, and what extents the operand has that holds them.

Deliberately absent: numbers, which `runtime/semantics/scaled.py` computes.

Source: OCP Microscaling Formats (MX) Specification, version 1.0, section 5; RLX compiler, rlx-ir/src/quant.rs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from runtime.dtypes import DType, f32, u8
from runtime.instructions import Problem
from runtime.relations import may_be_equal
from runtime.types import Shape, Type

BLOCKS: Final[Mapping[str, int]] = {"mx_e8m0": 32, "nvfp4": 16}


def block_extent(layout: str, block: int | None) -> int | None:
    """Return how many elements along the last dimension share a scale; None where all of them do."""
    return None if layout not in BLOCKS else block or BLOCKS[layout]


def scale_dtype(layout: str) -> DType:
    """Return what a scale is stored in."""
    return u8 if layout in BLOCKS else f32


def scale_shape(shape: Shape | None, layout: str, block: int | None) -> Shape | None:
    """Return the extents of the scales of a value of these extents, as far as they are known."""
    each = block_extent(layout, block)
    if each is None:
        return (1,)
    if not shape:
        return None
    last = shape[-1]
    return (*shape[:-1], -(-last // each) if isinstance(last, int) else None)


def why_not_scaled(shape: Shape | None, layout: str, block: int | None) -> Iterator[tuple[str, str]]:
    """Yield the attribute at fault, and what is wrong, where a value of these extents has no such scales."""
    if layout not in BLOCKS and block is not None:
        yield "block", f"block is {block}, and with the layout {layout} all elements share one scale"
    if layout in BLOCKS and shape == ():
        yield "scale_layout", f"the layout {layout} is along the last dimension, and there is none"


def why_not_scales(scale: Type, shape: Shape | None, layout: str, block: int | None) -> str | None:
    """Return why a value cannot have these scales; None where it can, or where too little is known."""
    wanted = scale_dtype(layout)
    if scale.dtype is not None and scale.dtype is not wanted:
        return f"a scale of the layout {layout} is {wanted}, not {scale.dtype}"
    expected = scale_shape(shape, layout, block)
    if scale.shape is None or expected is None:
        return None
    known = (isinstance(a, int) and isinstance(b, int) and a != b for a, b in zip(scale.shape, expected, strict=False))
    if len(scale.shape) != len(expected) or any(known):
        return f"the scales have the type {scale}; expected the extents {list(expected)}"
    return None


def problems_with_scales(scale: Type, src: Type, layout: str, block: int | None) -> Iterator[Problem]:
    """Yield what is wrong with the operand `scale`, which holds the scales of `src`, or with their layout."""
    for name, message in why_not_scaled(src.shape, layout, block):
        yield Problem(message, name)
    wrong = why_not_scales(scale, src.shape, layout, block)
    if wrong is not None:
        yield Problem(wrong, "scale")


def why_not_groups(name: str, scale: Type, tile: Type) -> str | None:
    """Return why a tile cannot have these scales, one for 8 partitions by 4 elements; None where it can.

    Shapes: [P, F] has scales of [P, F / 4], or of [P / 8, F / 4] where P is at most 32.
    """
    if tile.shape is None or scale.shape is None or len(tile.shape) != 2:
        return None
    partitions, count = tile.shape
    if not isinstance(partitions, int) or not isinstance(count, int):
        return None
    legal = [(partitions, count // 4)] + [(partitions // 8, count // 4)] * (partitions <= 32)
    if any(may_be_equal(scale.shape, shape) for shape in legal):
        return None
    expected = " or ".join(str(list(shape)) for shape in legal)
    return f"{name} is {scale}; a tile of {list(tile.shape)} has scales of {expected}"
