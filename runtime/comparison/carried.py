"""Which instructions feed their own operands of the next iteration, so that their errors add up.

    for %i = 0 step 1 times 4096 {
      %acc = tensor_tensor add %acc, %x[0 + 1*%i | 1:1]     // what this rounds, the next iteration reads
    }

A tensor is carried through a loop that reads it before it writes it, and writes it at the same place in each iteration.
What depends on such a tensor and leads back into one is on the way round. In a region that may run many times
everything counts as carried.
"""

from __future__ import annotations

from collections.abc import Iterator

from runtime.access import NeuronAP
from runtime.blocks import Block, Loop
from runtime.functions import Function
from runtime.instructions import Instruction
from runtime.tensors import Tensor
from runtime.values import Value


def carried(function: Function) -> frozenset[Instruction]:
    """Return the instructions of a function whose errors add up from iteration to iteration."""
    return frozenset(_in_block(function.body))


def _in_block(block: Block) -> Iterator[Instruction]:
    for statement in block:
        if isinstance(statement, Loop):
            yield from _on_the_way_round(statement)
        for inner in statement.blocks:
            if isinstance(statement, Instruction) and statement.may_repeat_regions:
                yield from inner.walk()
            else:
                yield from _in_block(inner)


def _on_the_way_round(loop: Loop) -> Iterator[Instruction]:
    insts = list(loop.body.walk())
    tensors = _carried_tensors(loop, insts)
    if not tensors:
        return
    reached: set[Value] = set(tensors)
    dependent = []
    for inst in insts:
        if any(read in reached for read in _read(inst)):
            dependent.append(inst)
            reached.update(_given(inst))
    needed: set[Value] = set(tensors)
    for inst in reversed(dependent):
        if any(value in needed for value in _given(inst)):
            needed.update(_read(inst))
            yield inst


def _carried_tensors(loop: Loop, insts: list[Instruction]) -> set[Tensor]:
    read_first: dict[Tensor, bool] = {}
    in_place: set[Tensor] = set()
    for inst in insts:
        for value in _read(inst):
            if isinstance(value, Tensor):
                read_first.setdefault(value, True)
        dst = inst.dst
        if dst is not None:
            read_first.setdefault(dst.tensor, False)
            if all(axis is not loop.axis for axis, _ in dst.offset.terms):
                in_place.add(dst.tensor)
    return {tensor for tensor in in_place if read_first[tensor]}


def _read(inst: Instruction) -> Iterator[Value]:
    for operand in inst.operands():
        if isinstance(operand, NeuronAP):
            yield operand.tensor
        elif isinstance(operand, Value):
            yield operand
    if inst.dst is not None and getattr(inst, "rmw_op", None) is not None:  # it adds to what is there
        yield inst.dst.tensor


def _given(inst: Instruction) -> tuple[Value, ...]:
    return (inst.dst.tensor,) if inst.dst is not None else inst.results
