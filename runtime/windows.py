"""Windows that move over the spatial dimensions of a value, as convolutions and pools have them.

Deliberately absent: channels and batches; a window covers the last dimensions only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runtime.instructions import Problem
from runtime.types import Dim, Type


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

    def spread(self, axis: int, count: int, more: int = 0) -> int:
        """Return the least extent of a dimension over which so many windows lie, and more, without the padding."""
        reach = (count - 1) * self.strides[axis] + (self.window[axis] - 1) * self.dilations[axis] + 1
        return max(0, reach + more - self.before[axis] - self.after[axis])

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


def why_not_output_padding(
    output_padding: Sequence[int] | None, strides: Sequence[int] | None, dilations: Sequence[int] | None
) -> Iterator[str]:
    """Yield for each spatial dimension why a transposed convolution cannot add so much behind it.

    Source: ONNX operator specification, ConvTranspose; PyTorch documentation, ConvTranspose2d.
    """
    for axis, more in enumerate(output_padding or ()):
        each = [values[axis] if axis < len(values) else 1 for values in (strides or (), dilations or ())]
        if more >= max(each):
            yield (
                f"output_padding has {more} along spatial dimension {axis}; expected less than the stride, "
                f"{each[0]}, or the dilation, {each[1]}"
            )


def problems_of_transposed(
    weights: Type,
    strides: Sequence[int] | None,
    padding: Sequence[int] | None,
    dilations: Sequence[int] | None,
    output_padding: Sequence[int] | None,
    rank: int,
) -> Iterator[Problem]:
    """Yield what is wrong with a transposed convolution over `rank` spatial dimensions.

    Shapes: weights [C, O, ...].
    """
    more = {"dilations": dilations, "output_padding": output_padding}
    for name, message in why_not_windows(rank, None, strides, padding, **more):
        yield Problem(message, name)
    for message in why_not_output_padding(output_padding, strides, dilations):
        yield Problem(message, "output_padding")
    if weights.shape is not None and 0 in weights.shape[2:]:
        yield Problem(f"weights of {weights} have a window without elements", "weights")


def why_not_convolved(
    src: Type,
    weights: Type,
    strides: Sequence[int] | None,
    padding: Sequence[int] | None,
    dilations: Sequence[int] | None,
    groups: int,
) -> Iterator[tuple[str, str]]:
    """Yield the field at fault, and what is wrong, where weights are not for such a convolution of such a value.

    Shapes: [N, C, ...] and [O, C / groups, ...]; of other ranks nothing is said.
    """
    shape, window = src.shape, weights.shape
    if shape is None or window is None or len(shape) < 3 or len(window) != len(shape):
        return  # which the definition's own rules say
    yield from why_not_windows(len(shape) - 2, None, strides, padding, dilations=dilations)
    if 0 in window[2:]:
        yield "weights", f"weights of {weights} have a window without elements"
    channels, taken = shape[1], window[1]
    if isinstance(channels, int) and isinstance(taken, int) and channels != taken * groups:
        each = f" in each of {groups} groups" if groups > 1 else ""
        yield "weights", f"src has {channels} channels, and weights take {taken}{each}"


def why_not_counts(windows: Windows, spatial: Sequence[Dim], counts: Sequence[Dim]) -> str | None:
    """Return why there are not so many windows over these extents; None where there may be."""
    for axis, found in enumerate(windows.extents(spatial)):
        if isinstance(found, int) and isinstance(counts[axis], int) and found != counts[axis]:
            return f"gradient has {counts[axis]} windows along spatial dimension {axis}, and there are {found}"
    return None
