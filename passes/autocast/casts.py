"""The casts that a rewriting puts in: one for a value and a dtype, right behind what gives the value.

    %x_bf16: bf16[4,8] = tensor_copy %x

Whatever is dominated by the value is dominated by the cast, regions included. A cast of what an access reads stands in
front of the instruction that reads it, since it takes a snapshot; another instruction further on in the same block
shares it where nothing has written the tensor in between, and no barrier stands there.

Deliberately absent: decisions. Also absent: a cast of what was widened from the dtype that is asked for: that value
itself is handed out, which holds the same elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from generated.graph.CastGen import CastGen
from passes.autocast.facts import widened_from
from runtime.access import NeuronAP
from runtime.blocks import Block, Statement
from runtime.dtypes import DType, holds
from runtime.instructions import GraphInst, Instruction
from runtime.targets import TARGETS, Target
from runtime.tensors import Tensor
from runtime.types import Type
from runtime.values import BlockArgument, Result, Value
from runtime.verifier.on_target import unaligned_start
from runtime.wrappers.DMACopyOp import DMACopyOp
from runtime.wrappers.TensorCopyOp import TensorCopyOp

MOST_PARTITIONS: Final = min(target.sbuf_partitions for target in TARGETS)
"""Of a tile of a compute engine."""


class Casts:
    """The casts of one function."""

    def __init__(self, targets: Sequence[Target]) -> None:
        self._targets = targets  # whose engines read what is cast
        self.made: dict[Instruction, None] = {}
        self._of: dict[tuple[Value, DType], Value] = {}
        self._of_accesses: dict[tuple[object, ...], tuple[int, Instruction]] = {}
        self._at_head: dict[Block, Statement] = {}  # the last cast of an argument that a block begins with
        self._writes: dict[Tensor, int] = {}
        self._barriers = 0

    def of(self, value: Value, dtype: DType, user: Instruction) -> Value:
        """Return the one cast of a value to a dtype; `user` says of which dialect it is where the value does not."""
        found = self._of.get((value, dtype))
        if found is None:
            found = self._of[value, dtype] = widened_from(value, dtype) or self._make(value, dtype, user)
        return found

    def of_access(self, access: NeuronAP, dtype: DType, user: Instruction) -> Value:
        """Return a cast of what an access of `user` reads, as it stands when `user` runs."""
        tensor = access.tensor
        key = (tensor, access.offset, access.pairs, dtype, user.parent)
        now = self._writes.get(tensor, 0) + self._barriers
        written, cast = self._of_accesses.get(key, (-1, None))
        if cast is None or written != now or not _comes_after_all(cast, user):
            kind = TensorCopyOp if self._is_in_reach(access) else DMACopyOp
            cast = kind(access.copy(), dtype=dtype, loc=user.loc)
            cast.insertBefore(user)
            for edge in user.dependencies:  # what comes before the read comes before the cast, which reads now
                cast.addDependency(edge.src, edge.kind)
            self._add(cast, tensor.name, dtype)
            self._of_accesses[key] = now, cast
        return cast

    def note_writes(self, inst: Instruction) -> None:
        """Remember what an instruction writes: what was read before is not what is there now."""
        for access in (*inst.operands(), inst.dst):
            if isinstance(access, NeuronAP) and access.mode.is_store:
                self._writes[access.tensor] = self._writes.get(access.tensor, 0) + 1
        if "is_barrier" in inst.INFO.capabilities:
            self._barriers += 1

    def _make(self, value: Value, dtype: DType, user: Instruction) -> Instruction:
        home = value.owner if isinstance(value, Result) else value
        around = home.block.owner if isinstance(home, BlockArgument) else home
        by_graph = isinstance(around, GraphInst) or (isinstance(home, BlockArgument) and isinstance(user, GraphInst))
        cast = cast_class(value.type, by_graph=by_graph)(value, dtype=dtype, loc=getattr(home, "loc", None))
        if isinstance(home, BlockArgument):
            self._insert_at_head(cast, home.block)
        else:
            assert isinstance(home, Instruction)
            cast.insertAfter(home)
        return self._add(cast, value.name, dtype)

    def _is_in_reach(self, access: NeuronAP) -> bool:
        """Whether a compute engine reads what an access reads, as one tile; DMA reads from any partition on."""
        if access.tensor.memory == "dram" or cast_class(access.type) is not TensorCopyOp:
            return False
        return all(unaligned_start(access, target, ()) is None for target in self._targets)

    def _insert_at_head(self, cast: Instruction, block: Block) -> None:
        last = self._at_head.get(block)
        if last is not None:
            cast.insertAfter(last)
        else:
            block.insert(cast, before=block.first)
        self._at_head[block] = cast

    def _add(self, cast: Instruction, name: str | None, dtype: DType) -> Instruction:
        cast.name = f"{name}_{dtype}" if name else None
        self.made[cast] = None
        return cast


def _comes_after_all(cast: Instruction, user: Instruction) -> bool:
    """Whether a cast comes after all that `user` must come after."""
    if user.extras is None:
        return True
    earlier = {edge.src for edge in cast.dependencies}
    return all(edge.src in earlier for edge in user.dependencies)


def cast_class(source: Type, *, by_graph: bool = False) -> type[CastGen] | type[TensorCopyOp] | type[DMACopyOp]:
    """Return what converts a value: of the chip, DMA where it is more than a tile of an engine."""
    if by_graph:
        return CastGen
    extent = source.shape[0] if source.shape else None
    return DMACopyOp if isinstance(extent, int) and extent > MOST_PARTITIONS else TensorCopyOp


def rounds(cast: Instruction) -> bool:
    """Whether a cast may change values."""
    return not holds(cast.dtype, cast.operands()[0].dtype)
