"""What a copy by DMA asks of its offsets, and of the ways to make its descriptors."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.DMACopyOpGen import DMACopyOpGen
from runtime.access import NeuronAP
from runtime.infer.copies import reshaped_type
from runtime.instructions import Problem
from runtime.targets import Target
from runtime.transfer_rules import why_not_converted, why_not_transfer_on
from runtime.types import Type
from runtime.values import Operand


class DMACopyOp(DMACopyOpGen):
    """A copy by DMA, of as many elements as the destination has.

    Source: AWS Neuron documentation, `nki.isa.dma_copy`; its pages on descriptor generation and on NKI 0.3.
    """

    __slots__ = ()

    def infer_result_type(self) -> Type:
        dst: NeuronAP | None = getattr(self, "_dst", None)  # which the constructor sets after it has asked this
        return reshaped_type(self._src.type, None if dst is None else dst.type)

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_converted(self._src.type, self.type, adds=self._rmw_op is not None)
        yield from self._offset_problems("src", self._src, self._src_offset, self._src_dim)
        yield from self._offset_problems("dst", self.dst, self._dst_offset, self._dst_dim)
        is_static = self._src_offset is None and self._dst_offset is None
        if is_static and self._oob_mode == "skip":
            yield Problem("oob_mode is skip, and there is no run-time offset that could be out of bounds", "oob_mode")
        if not is_static and self._dge_mode == "none":
            message = "dge_mode is none; descriptors that the host has made know no run-time offset"
            yield Problem(message, "dge_mode")
        if self._trigger_engine is not None and self._dge_mode != "hwdge":
            message = f"trigger_engine is {self._trigger_engine}, which is for dge_mode hwdge, not {self._dge_mode}"
            yield Problem(message, "trigger_engine")
        here, there = self._src.type.dtype, self.type.dtype
        if self._dge_mode == "hwdge" and here is not None and there is not None and here is not there:
            message = f"dge_mode is hwdge, which moves bytes; src has elements of {here}, and the result of {there}"
            yield Problem(message, "dge_mode")

    def verify_on(self, target: Target) -> Iterator[Problem]:
        yield from why_not_transfer_on(self, target)

    def _offset_problems(self, side: str, held: Operand | None, offset: Operand | None, dim: int) -> Iterator[Problem]:
        if offset is None:
            return
        slot = f"{side}_offset"
        count = offset.type.n_elements
        if count is not None and count != 1:
            yield Problem(f"{slot} has {count} elements; one index is expected", slot)
        if not isinstance(held, NeuronAP):
            yield Problem(f"{slot} moves {side}, which is no access to a tensor", slot)
            return
        rank = len(held.tensor.known_shape)
        if dim >= rank:
            yield Problem(f"{side}_dim is {dim}, and %{held.tensor.name} has {rank} dimensions", f"{side}_dim")
        elif dim == 0 and held.tensor.memory != "dram":
            message = f"{slot} moves %{held.tensor.name} in {held.tensor.memory} along its partitions"
            yield Problem(message, slot)
