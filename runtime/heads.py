"""Heads of attentions: where they stand among the dimensions of a value, and what masks must fit.

Deliberately absent: numbers, which `runtime/semantics/attention.py` computes.
"""

from __future__ import annotations

from collections.abc import Iterator

from runtime.relations import may_be_equal
from runtime.types import Dim, Shape, Type


def sequence(shape: Shape, layout: str) -> Dim:
    """Return how many places a value of three or four dimensions has in its sequence."""
    return shape[2] if len(shape) == 4 and layout == "bhsd" else shape[1]


def why_not_heads(value: Type, layout: str, num_heads: int | None, head_dim: int) -> str | None:
    """Return why a value has no such heads; None where it has, or where too little is known.

    Shapes: [B, S, heads * elements], [B, S, heads, elements] or [B, heads, S, elements]; of others nothing is said.
    """
    shape = value.shape
    if shape is None or len(shape) not in (3, 4):
        return None
    if len(shape) == 3:
        whole = num_heads is None and isinstance(shape[2], int) and shape[2] % head_dim == 0
        fits = whole or (num_heads is not None and may_be_equal(shape[2], num_heads * head_dim))
        fits = fits or not isinstance(shape[2], int)
        each = f"heads of {head_dim} elements" if num_heads is None else f"{num_heads} heads of {head_dim} elements"
        return None if fits else f"{value} has {shape[2]} elements at each place, which is not {each}"
    heads = shape[1] if layout == "bhsd" else shape[2]
    if may_be_equal(shape[3], head_dim) and (num_heads is None or may_be_equal(heads, num_heads)):
        return None
    number = "" if num_heads is None else f"{num_heads} heads of "
    return (
        f"{value} has {heads} heads of {shape[3]} elements in the order {layout}; expected {number}{head_dim} elements"
    )


def why_not_mask(
    kind: str, window: int | None, mask: Type | None, query: Type, key: Type, layout: str, num_heads: int
) -> Iterator[tuple[str, str]]:
    """Yield the field at fault, and what is wrong with the mask of an attention."""
    for name, value, needed in (
        ("window", window, kind == "sliding_window"),
        ("mask", mask, kind in ("custom", "bias")),
    ):
        if needed and value is None:
            yield "mask_kind", f"the mask kind {kind} needs a {name}"
        elif value is not None and not needed:
            yield name, f"the mask kind {kind} has no {name}"
    known = all(value.shape is not None and len(value.shape) in (3, 4) for value in (query, key))
    if mask is None or mask.shape is None or not known or kind not in ("custom", "bias"):
        return
    assert query.shape is not None and key.shape is not None
    keys, batch = sequence(key.shape, layout), query.shape[0]
    expected = (batch, keys) if kind == "custom" else (batch, num_heads, sequence(query.shape, layout), keys)
    if len(mask.shape) != len(expected) or not all(map(may_be_equal, mask.shape, expected)):
        yield "mask", f"a mask of the kind {kind} has the extents {list(expected)}, and here {list(mask.shape)}"
