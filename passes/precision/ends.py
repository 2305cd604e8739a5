"""Letting the ends of a program be the lower float too: `--no-keep-io`.

Before:

    func @main(%x: f32[4]) {
      %a: f16[4] = graph.cast %x
      %b: f16[4] = graph.activation relu %a
      %y: f32[4] = graph.cast %b
      return %y
    }

After:

    func @main(%x: f16[4]) {
      %b: f16[4] = graph.activation relu %x
      return %b
    }

It must not touch casts that the program wrote, an input that is also read in f32, and an output that is also an input.
"""

from __future__ import annotations

from collections.abc import Container

from runtime.dtypes import DType, f32
from runtime.functions import Function
from runtime.instructions import Instruction
from runtime.operand_slots import set_values, values_of


def narrow_ends(function: Function, casts: Container[Instruction], low: DType) -> list[Instruction]:
    """Take casts out that stand at the ends of a function, and return them; `casts` are those that a pass put in."""
    taken: list[Instruction] = []
    for argument in function.args:
        users = set(argument.users)
        if argument.type.dtype is not f32 or argument.default is not None or len(users) != 1:
            continue
        (cast,) = users
        if cast in casts and cast.type.dtype is low:
            argument.type = argument.type.with_dtype(low)
            taken.append(_take_out(cast))
    end = function.body.terminator
    for at, value in enumerate(values_of(end) if end is not None else ()):
        if isinstance(value, Instruction) and value in casts and value.type.dtype is f32:
            source = values_of(value)[0]
            assert end is not None and source is not None
            set_values(end, {at: source})
            if not value.has_users:
                value.eraseFromParent()
                taken.append(value)
    return taken


def _take_out(cast: Instruction) -> Instruction:
    source = values_of(cast)[0]
    assert source is not None
    cast.replaceAllUsesWith(source)
    cast.eraseFromParent()
    return cast
