"""Types of what recurrent networks and state spaces make of sequences."""

from __future__ import annotations

from runtime.types import Type


def recurrent_type(src: Type, hidden_size: int, bidirectional: bool) -> Type:
    """Return the type of the hidden states of the last layer.

    Shapes: [B, S, I] gives [B, S, directions * hidden_size].
    """
    known = src.shape is not None and len(src.shape) == 3
    width = hidden_size * (2 if bidirectional else 1)
    return Type.tensor(src.dtype, (*src.shape[:2], width) if known and src.shape else None)


def recurrent_state_type(src: Type, hidden_size: int, layers: int, bidirectional: bool) -> Type:
    """Return the type of the states of all layers and directions.

    Shapes: [B, S, I] gives [layers * directions, B, hidden_size].
    """
    batch = src.shape[0] if src.shape else None
    return Type.tensor(src.dtype, (layers * (2 if bidirectional else 1), batch, hidden_size))


def delta_state_type(queries: Type) -> Type:
    """Return the type of the memory of every head. Shapes: [B, S, H, N] gives [B, H, N, N]."""
    if queries.shape is None or len(queries.shape) != 4:
        return Type.tensor(queries.dtype, None)
    batch, _, heads, size = queries.shape
    return Type.tensor(queries.dtype, (batch, heads, size, size))
