"""Types of the gradients of normalisations."""

from __future__ import annotations

from runtime.types import Type


def gamma_type(src: Type, axis: int) -> Type:
    """Return the type of the factors of a normalisation of `src` along `axis` and all dimensions behind it."""
    known = src.shape is not None and -len(src.shape) <= axis < len(src.shape)
    return Type.tensor(src.dtype, src.shape[axis:] if known and src.shape is not None else None)
