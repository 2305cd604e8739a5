"""Reductions over partitions, copies between them, and gathers within the chip.

Elements that are moved keep their bits. An index that leads out of a partition is refused: the hardware leaves it
undefined.
Source: AWS Neuron documentation, `nki.isa.tensor_partition_reduce`, `nki.isa.nc_stream_shuffle`, `nki.isa.nc_n_gather`,
`nki.isa.local_gather`, `nki.isa.nonzero_with_count`, `nki.isa.sequence_bounds`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from runtime.arithmetic import ALU, BITVEC, widen
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array, Machine, Placed, Positions, uses_machine
from runtime.semantics.scalars import flat, like_result

QUADRANT: Final = 32
UNTOUCHED: Final = 255
CORE: Final = 16  # partitions of one core of the gpsimd engine


def tensor_partition_reduce(inst: Any, operands: Sequence[Any]) -> Array:
    """Return the partitions combined, from the first to the last.

    Shapes: [P, ...] gives [1, ...].
    Dtypes: f32; operations on bits stay in the integers of `src`.
    """
    (src,) = operands
    elements = src if inst.op in BITVEC else widen(src)
    operation = {**ALU, **BITVEC, "average": ALU["add"]}[inst.op]
    total = elements[0]
    for partition in elements[1:]:
        total = operation(total, partition)
    total = total / np.float32(len(elements)) if inst.op == "average" else total
    return np.asarray(total)[None]


@uses_machine
def nc_stream_shuffle(inst: Any, machine: Machine) -> Array | Placed:
    """Return the partitions that the mask picks, quadrant by quadrant.

    Raises: InterpreterError where the mask picks a partition that the source has not, or leaves one of a value alone.
    """
    src, mask = machine.value(inst.src), np.array(inst.shuffle_mask)
    targets: Positions = np.arange(inst.shape[0] if isinstance(inst.shape[0], int) else len(src))
    picked = mask[targets % QUADRANT]
    kept = picked != UNTOUCHED
    sources = targets // QUADRANT * QUADRANT + picked
    if (sources[kept] >= len(src)).any():
        at = int(targets[kept][sources[kept] >= len(src)][0])
        raise InterpreterError(f"partition {at} gets partition {sources[at]}, and the source has {len(src)}")
    if kept.all():
        return like_result(src[sources], inst)
    if inst.dst is None:
        raise InterpreterError("the mask leaves a partition as it is, which a value is not: give it a dst")
    return Placed(src[sources[kept]].reshape(-1), machine.positions(inst.dst)[kept].reshape(-1))


def nc_n_gather(inst: Any, operands: Sequence[Any]) -> Array:
    """Return elements by indices into their own partition, in the shape of the indices."""
    src, indices = operands
    elements = flat(src)
    at = flat(_within(indices.astype(np.int64), elements.shape[1]))
    return np.take_along_axis(elements, at, axis=1).reshape(indices.shape)


def local_gather(inst: Any, operands: Sequence[Any]) -> Array:
    """Return elements by the indices of 16 partitions, read column by column.

    Shapes: [P, indices, elements], in the shape of the result.
    """
    src, index = operands
    elements, numbers = flat(src), flat(index).astype(np.int64)
    span = np.arange(inst.num_elem_per_idx)
    gathered = []
    for start in range(0, len(src), CORE):
        listed = numbers[start : start + CORE].T.reshape(-1)[: inst.num_valid_indices]
        at = _within(listed[:, None] + span, elements.shape[1])
        gathered.append(elements[start : start + CORE][:, at])
    found = np.concatenate(gathered)
    return like_result(flat(found) if len(inst.shape) == 2 else found, inst)


@uses_machine
def nonzero_with_count(inst: Any, machine: Machine) -> Placed:
    """Write indices, padding and count to partitions 0, 16, 32 ... of `dst`.

    Shapes: [P, T] gives [P, T + 1].
    Raises: InterpreterError for an index that i32 does not hold.
    """
    if inst.dst is None:
        raise InterpreterError("it writes every sixteenth partition, which no value is: give it a dst")
    src, positions = machine.value(inst.src), machine.positions(inst.dst)
    rows = []
    for row in src[::CORE]:
        found = np.flatnonzero(row) + inst.index_offset
        if found.size and found[-1] > np.iinfo(np.int32).max:
            raise InterpreterError(f"index {found[-1]}, with its offset, is no number of i32")
        padding = np.full(row.size - found.size, inst.padding_val)
        rows.append(np.concatenate([found, padding, [found.size]]).astype(np.int32))
    return Placed(np.stack(rows), positions.reshape(len(src), -1)[::CORE])


def sequence_bounds(inst: Any, operands: Sequence[Any]) -> Array:
    """Return beginnings and ends of the runs of equal numbers.

    Shapes: [1, N] gives [1, 2, N].
    Raises: InterpreterError for a number that is negative or not whole.
    """
    numbers = operands[0].reshape(-1)
    wrong = numbers[~(np.isfinite(numbers) & (numbers >= 0) & (np.floor(numbers) == numbers))]
    if wrong.size:
        raise InterpreterError(f"a segment is called {wrong[0]}; expected a whole number that is not negative")
    count = numbers.size
    first = np.flatnonzero(np.diff(numbers, prepend=numbers[:1] + 1))
    lengths = np.diff(np.append(first, count))
    begins, ends = np.repeat(first, lengths), np.repeat(first + lengths, lengths)
    padding = numbers == 0
    return np.stack([np.where(padding, count, begins), np.where(padding, -1, ends)])[None].astype(np.int32)


def _within(indices: Positions, extent: int) -> Positions:
    """Return indices that all lead to one of so many elements.

    Raises: InterpreterError for one that does not.
    """
    outside = indices[(indices < 0) | (indices >= extent)]
    if outside.size:
        raise InterpreterError(f"index {outside.flat[0]} is out of range: a partition has elements 0 to {extent - 1}")
    return indices
