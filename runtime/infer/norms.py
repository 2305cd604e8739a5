"""Types of the gradients of normalisations."""

from __future__ import annotations

from runtime.types import Type


def gamma_type(src: Type, axis: int) -> Type:
    """Return the type of the factors of a normalisation of `src` along `axis` and all dimensions behind it."""
    known = src.shape is not None and -len(src.shape) <= axis < len(src.shape)
    return Type.tensor(src.dtype, src.shape[axis:] if known and src.shape is not None else None)


def ada_layer_norm_backward_type(src: Type, scale: Type) -> Type:
    """Return the type of the gradients of `src`, of a scale and of a shift like it, one behind the other."""
    counts = src.n_elements, scale.n_elements
    total = None if counts[0] is None or counts[1] is None else counts[0] + 2 * counts[1]
    return Type.tensor(src.dtype, (total,))
