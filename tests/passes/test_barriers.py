"""Nothing is moved over a barrier: who has read a tensor in front of one does not read it behind it."""

from typing import ClassVar

import runtime
from passes.eliminate_casts import NeuronEliminateCasts
from passes.later_reads import why_not_read_later
from runtime.info import InstructionInfo
from runtime.instructions import GraphInst
from runtime.types import Type
from runtime.wrappers.TensorCopyOp import TensorCopyOp

PROGRAM = """
func @main(%x: f32[128,512]) {
  tensor %t: bf16[128,512] sbuf
  %t = activation gelu %x
  %c: f32[128,512] = tensor_copy %t
  %u: f32[128,512] = activation exp %c
  return %u
}
"""


class Fence(GraphInst):
    """Nothing is moved over it."""

    __slots__ = ()
    INFO: ClassVar = InstructionInfo("Fence", "test", "fence", results=(), capabilities=frozenset({"is_barrier"}))

    def __init__(self) -> None:
        super().__init__(Type.none())


def test_a_cast_in_front_of_a_barrier_stays_where_its_user_stands_behind_it() -> None:
    function = runtime.parse(PROGRAM).functions["main"]
    cast = next(inst for inst in function.insts if isinstance(inst, TensorCopyOp))
    tensor = function.tensors["t"]
    assert why_not_read_later(tensor, [cast]) is None
    fence = Fence()
    fence.insertAfter(cast)
    assert why_not_read_later(tensor, [cast]) == "a barrier stands between the cast and a user of it"
    assert not NeuronEliminateCasts().transformStmts(function)
    fence.moveBefore(cast)
    assert why_not_read_later(tensor, [cast]) is None
    assert NeuronEliminateCasts().transformStmts(function)
