"""Attentions: what the gradients of their operands are like."""

from __future__ import annotations

from runtime.types import Type


def attention_gradient_type(query: Type, key: Type, value: Type, wrt: str) -> Type:
    """Return the type of the gradient of one operand: that of the operand."""
    return {"query": query, "key": key}.get(wrt, value)
