"""Windows that move over the spatial dimensions of a value, as convolutions and pools have them.

Deliberately absent: channels and batches; a window covers the last dimensions only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runtime.types import Dim


@dataclass(frozen=True, slots=True)
class Windows:
    """Where windows lie along each spatial dimension.

    Units: elements.
    """

    window: tuple[int, ...]
    strides: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    dilations: tuple[int, ...]

    @classmethod
    def along(
        cls,
        window: Sequence[int],
        strides: Sequence[int] | None,
        padding: Sequence[int] | None,
        dilations: Sequence[int] | None = None,
    ) -> Windows:
        """Return them with what is meant where nothing is said: strides and dilations of 1, and no padding."""
        rank = len(window)
        ones = (1,) * rank
        padded = tuple(padding or (0,) * (2 * rank))
        return cls(tuple(window), tuple(strides or ones), padded[:rank], padded[rank:], tuple(dilations or ones))

    def count(self, axis: int, extent: int) -> int:
        """Return how many windows fit along one dimension of an extent, padding included."""
        reach = (self.window[axis] - 1) * self.dilations[axis] + 1
        return max(0, (extent + self.before[axis] + self.after[axis] - reach) // self.strides[axis] + 1)

    def extents(self, spatial: Sequence[Dim]) -> tuple[Dim, ...]:
        """Return the numbers of windows along all dimensions; None where an extent is not known."""
        return tuple(self.count(axis, size) if isinstance(size, int) else None for axis, size in enumerate(spatial))


def why_not_windows(
    rank: int,
    window: Sequence[int] | None,
    strides: Sequence[int] | None,
    padding: Sequence[int] | None,
    **more: Sequence[int] | None,
) -> Iterator[tuple[str, str]]:
    """Yield the name of each list that does not have an entry for each of `rank` dimensions, and what is wrong."""
    for name, values in {"window": window, "strides": strides, "padding": padding, **more}.items():
        expected = 2 * rank if name == "padding" else rank
        if values is not None and len(values) != expected:
            each = "two" if name == "padding" else "one"
            found = f"{len(values)} value{'s' * (len(values) != 1)}"
            yield name, f"{name} has {found}; expected {expected}, {each} for each spatial dimension"
