"""How an instruction reads or writes a tensor: access modes, access-pattern indices, access patterns.

Deliberately absent: sharing. An access belongs to one operand slot; whoever moves it to another slot copies it, so
changing one can never change what another instruction touches. Run-time offsets are absent too: a run-time address is
an operand of the dynamic copies until they are lowered. So is the tensor indirection of trn3, by which instructions of
the compute engines gather or scatter on the chip.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from runtime.affine import Affine, Axis
from runtime.dtypes import DType
from runtime.names import Names
from runtime.quoting import described, spelled_name
from runtime.types import Type
from runtime.values import Operand

if TYPE_CHECKING:
    from runtime.instructions import Instruction
    from runtime.tensors import Tensor

Pairs = tuple[tuple[int, int], ...]


class AccessMode(Enum):
    """Whether an access reads its tensor, writes it, or both."""

    LOAD = "load"
    STORE = "store"
    LOAD_STORE = "load_store"

    @property
    def is_load(self) -> bool:
        """Whether the access reads."""
        return self is not AccessMode.STORE

    @property
    def is_store(self) -> bool:
        """Whether the access writes."""
        return self is not AccessMode.LOAD


@dataclass(frozen=True, slots=True)
class APIndex:
    """The name of one dimension of an access pattern, for passes that renumber or materialize dimensions."""

    name: str

    def __str__(self) -> str:
        return f"@{spelled_name(self.name)}"


class NeuronAP(Operand):
    """An access pattern: `tensor`, an offset, and `(step, num)` pairs, the partition pair first.

    Shapes: the extents are the `num` of the pairs, in order; a pair with step 0 repeats its element.
    Units: offset and steps count elements of the access's own dtype, which is `reinterpret` where that is set.
    Source: Neuron NKI documentation, access patterns; facts on penguin's NeuronAP.
    """

    __slots__ = ("indices", "mode", "offset", "owner", "pairs", "reinterpret", "tensor")

    tensor: Tensor
    offset: Affine
    pairs: Pairs
    reinterpret: DType | None  # the same bits read as another type of the same width or a divisor of it
    indices: tuple[APIndex | None, ...]  # one a pair, or empty where the pattern names none
    mode: AccessMode
    owner: Instruction | None  # the instruction whose slot holds this; None while it is in no slot

    def __init__(
        self,
        tensor: Tensor,
        pairs: Iterable[tuple[int, int]] | None = None,
        offset: Affine | Axis | int = 0,
        *,
        reinterpret: DType | None = None,
        indices: Iterable[APIndex | None] = (),
    ) -> None:
        self.tensor = tensor
        try:
            self.pairs = whole_pairs(tensor.known_shape) if pairs is None else tuple(pairs)
        except AttributeError:
            raise TypeError(f"a NeuronAP accesses a tensor, not {described(tensor)}") from None
        self.offset = Affine.of(offset)
        self.reinterpret = reinterpret
        self.indices = tuple(indices)
        self.mode = AccessMode.LOAD
        self.owner = None

    @property
    def type(self) -> Type:  # type: ignore[override]  # derived from the tensor, so that it follows a change of its dtype
        """Tensor type of what the access touches."""
        try:
            return Type.tensor(self.reinterpret or self.tensor.dtype, tuple(num for _, num in self.pairs))
        except (TypeError, ValueError):
            raise TypeError(f"the pairs of an access are (step, num), not {described(self.pairs)}") from None

    @property
    def dtype(self) -> DType:
        """Element type; as that of `type`, without making one."""
        return self.reinterpret or self.tensor.dtype

    @property
    def is_whole(self) -> bool:
        """Whether this touches the whole tensor in its own order, as printed `%t`."""
        return (
            self.reinterpret is None
            and not self.indices
            and not self.offset.terms
            and self.offset.constant == 0
            and self.pairs == whole_pairs(self.tensor.known_shape)
        )

    @property
    def par_indices(self) -> tuple[APIndex, ...]:
        """The index of the partition pair, where it is named."""
        return tuple(index for index in self.indices[:1] if index is not None)

    @property
    def free_indices(self) -> tuple[APIndex, ...]:
        """The indices of the free pairs that are named, outermost first."""
        return tuple(index for index in self.indices[1:] if index is not None)

    @property
    def bounds(self) -> tuple[int, int]:
        """Smallest and largest element touched over all iterations, both included; (0, -1) for an empty access."""
        if not prod(num for _, num in self.pairs):
            return (0, -1)
        low, high = self.offset.bounds
        reach = [step * (num - 1) for step, num in self.pairs]
        return low + sum(r for r in reach if r < 0), high + sum(r for r in reach if r > 0)

    def elements(self, axes: Mapping[Axis, int]) -> Iterator[int]:
        """Yield the position of each element touched, in row-major order, where the axes have these values."""
        start = self.offset.evaluate(axes)
        for place in product(*(range(num) for _, num in self.pairs)):
            yield start + sum(step * at for (step, _), at in zip(self.pairs, place, strict=True))

    def addUser(self, user: Instruction) -> None:
        if self.owner is not None:
            raise ValueError(f"{self!r} is in a slot of {self.owner!r} already: give {user!r} a copy()")
        self.owner = user
        self.tensor.add_access(self)

    def removeUser(self, user: Instruction) -> None:
        assert self.owner is user, f"{self!r} is in no slot of {user!r}"
        self.tensor.remove_access(self)
        self.owner = None

    def set_access_mode(self, mode: AccessMode) -> None:
        assert self.owner is None or mode is self.mode, f"{self!r} is in a slot: its mode is fixed"
        self.mode = mode

    def for_slot(self) -> NeuronAP:
        return self if self.owner is None else self.copy()

    def copy(self, tensor: Tensor | None = None, axes: Mapping[Axis, Axis] | None = None) -> NeuronAP:
        """Return an equal access that is in no slot, over another tensor or other axes where given."""
        offset = self.offset.with_axes(axes) if axes else self.offset
        new = NeuronAP(tensor or self.tensor, self.pairs, offset, reinterpret=self.reinterpret, indices=self.indices)
        new.mode = self.mode
        return new

    def use_str(self, names: Names | None = None) -> str:
        """Return `%t` for the whole tensor, else `%t[offset | step:num, ... | as dtype]`."""
        name = self.tensor.use_str(names)
        if self.is_whole:
            return name
        pairs = [f"{step}:{num}" for step, num in self.pairs]
        if self.indices:
            pairs = [f"{pair} {index}" if index else pair for pair, index in zip(pairs, self.indices, strict=True)]
        parts = [self.offset.use_str(names), ", ".join(pairs)]
        if self.reinterpret is not None:
            parts.append(f"as {self.reinterpret}")
        return f"{name}[{' | '.join(parts)}]"

    def __repr__(self) -> str:
        return f"<{self.mode.value} of {self.use_str(Names())}>"


@cache  # shapes are few, and accesses ask often whether they are of the whole: 0.2 instead of 1.5 microseconds
def whole_pairs(shape: tuple[int, ...]) -> Pairs:
    """Return the pairs that walk a contiguous row-major tensor of this shape."""
    pairs = []
    step = 1
    for extent in reversed(shape):
        pairs.append((step, extent))
        step *= extent
    return tuple(reversed(pairs))
