"""What a transposition by DMA asks, by itself, of hardware descriptors, and of a gather."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.DMATransposeOpGen import DMATransposeOpGen
from runtime.access import NeuronAP
from runtime.infer.copies import DMA_TRANSPOSE_AXES
from runtime.instructions import Problem
from runtime.targets import Target, trn2
from runtime.transfer_rules import why_not_transfer_on


class DMATransposeOp(DMATransposeOpGen):
    """A transposition of a tile, or of rows that `indices` choose.

    Source: AWS Neuron documentation, `nki.isa.dma_transpose`, its lists of constraints.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        shape = self._src.type.shape
        expected = None if shape is None else DMA_TRANSPOSE_AXES.get(len(shape))
        if expected is None:
            return
        if self._axes is not None and tuple(self._axes) != expected:
            wanted = list(expected)
            yield Problem(f"axes is {list(self._axes)}; {len(expected)} dimensions are transposed by {wanted}", "axes")
        if self._indices is not None:
            yield from self._gather_problems()
        else:
            yield from self._direct_problems()

    def verify_on(self, target: Target) -> Iterator[Problem]:
        yield from why_not_transfer_on(self, target)
        if self._indices is not None and target < trn2:
            yield Problem(f"indices choose rows from trn2 on, and not on {target}", "indices")

    def _direct_problems(self) -> Iterator[Problem]:
        if self._oob_mode == "skip":
            yield Problem("oob_mode is skip, and there are no indices that could be out of bounds", "oob_mode")
        if self._dge_mode == "swdge":
            yield Problem("dge_mode is swdge, which transposes rows that indices choose only", "dge_mode")
        elif self._dge_mode == "hwdge":
            yield from self._two_byte_problem("a transposition by hardware descriptors")
            shape = self._known_shape()
            if shape is None:
                return
            if len(shape) == 2 and shape[0] != 16:
                yield Problem(f"src has {shape[0]} rows; hwdge transposes 16 of them", "src")
            elif len(shape) > 2 and (shape[0] not in (1, 2, 4, 8, 16) or shape[0] * shape[-2] % 16):
                message = f"src is [{_listed(shape)}]; hwdge takes 1, 2, 4, 8 or 16 along the first dimension, which"
                yield Problem(f"{message} times the last but one is a multiple of 16", "src")
            yield from self._width_problem(shape)

    def _gather_problems(self) -> Iterator[Problem]:
        if self._dge_mode not in ("unknown", "swdge"):
            yield Problem(f"dge_mode is {self._dge_mode}; rows that indices choose need swdge", "dge_mode")
        if not isinstance(self._src, NeuronAP) or self._src.tensor.memory != "dram":
            yield Problem("src is not in dram, where indices choose rows", "src")
        yield from self._two_byte_problem("a transposition of rows that indices choose")
        shape = self._known_shape()
        if shape is not None:
            yield from self._width_problem(shape)
            if shape[0] % 16:
                yield Problem(f"src has {shape[0]} rows; expected a multiple of 16", "src")
            if len(shape) == 4 and 1 not in shape[1:3]:
                yield Problem(f"src is [{_listed(shape)}]; one of the two middle dimensions is 1", "src")
        assert self._indices is not None
        taken = self._indices.type.shape
        if taken is None or len(taken) != 2 or not all(isinstance(extent, int) for extent in taken):
            return
        rows, columns = (extent for extent in taken if isinstance(extent, int))
        if rows not in range(16, 129, 16):
            yield Problem(f"indices has {rows} partitions; expected a multiple of 16, at most 128", "indices")
        elif columns > 1 and rows != 128:
            yield Problem(f"indices has {rows} partitions; {columns} columns need 128", "indices")
        elif shape is not None and rows * columns < shape[0]:
            yield Problem(f"indices has {rows * columns} elements for {shape[0]} rows of src", "indices")

    def _two_byte_problem(self, what: str) -> Iterator[Problem]:
        dtype = self._src.type.dtype
        if dtype is not None and dtype.bits != 16:
            yield Problem(f"src has elements of {dtype}; {what} takes elements of 2 bytes", "src")

    def _width_problem(self, shape: tuple[int, ...]) -> Iterator[Problem]:
        if shape[-1] > 128:
            yield Problem(f"src has {shape[-1]} elements along its last dimension; expected at most 128", "src")

    def _known_shape(self) -> tuple[int, ...] | None:
        shape = self._src.type.shape
        known = tuple(extent for extent in shape or () if isinstance(extent, int))
        return known if shape is not None and len(known) == len(shape) else None


def _listed(shape: tuple[int, ...]) -> str:
    return ",".join(map(str, shape))
