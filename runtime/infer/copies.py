"""Types of copies."""

from __future__ import annotations

from runtime.types import Type


def gathered_type(src: Type, generic_dim: int, generic_addrs: Type | None) -> Type:
    """Return the type of a copy from a run-time address.

    Shapes: one index, or none, gives the window `src`; n indices give `src` with extent n along `generic_dim`.
    """
    count = 1 if generic_addrs is None else generic_addrs.n_elements
    if src.shape is None or count == 1 or generic_dim >= len(src.shape):
        return src
    return Type.tensor(src.dtype, (*src.shape[:generic_dim], count, *src.shape[generic_dim + 1 :]))
