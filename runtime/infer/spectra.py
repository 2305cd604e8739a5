"""Types of what is made of spectra."""

from __future__ import annotations

from runtime.types import Type


def log_mel_type(src: Type, filters: Type) -> Type:
    """Return the type of what a bank of filters finds in spectra.

    Shapes: [..., 2n] and [M, n / 2 + 1] give [..., M].
    """
    known = src.shape and filters.shape is not None and len(filters.shape) == 2
    return Type.tensor(
        src.dtype, (*src.shape[:-1], filters.shape[0]) if known and src.shape and filters.shape else None
    )
