"""What regions receive and hand out, by the ports of `INFO`: the types, value by value.

Deliberately absent: generic instructions, of whose regions nothing is known here.
"""

from __future__ import annotations

from dataclasses import dataclass

from runtime.blocks import Block
from runtime.info import PortInfo
from runtime.instructions import Instruction
from runtime.types import Type
from runtime.values import BlockArgument, Operand


@dataclass(frozen=True, slots=True)
class Expected:
    """One value of a port: its type, where something gives it."""

    port: PortInfo
    type: Type | None


def expected_arguments(inst: Instruction, block: Block) -> list[Expected]:
    """Return what a region receives."""
    return [one for port in inst.INFO.regions[inst.blocks.index(block)].takes for one in _expected(inst, port)]


def expected_yields(inst: Instruction, block: Block) -> list[Expected]:
    """Return what a region hands out."""
    ports = inst.INFO.regions[inst.blocks.index(block)].yields
    if ports is None:
        return [Expected(PortInfo(f"result {at}"), result.type) for at, result in enumerate(inst.results)]
    return [one for port in ports for one in _expected(inst, port)]


def add_arguments(inst: Instruction, block: Block) -> list[BlockArgument]:
    """Give a region, which has none yet, the arguments that its definition states; of types that follow from fields."""
    return [block.add_argument(one.type or Type.unknown()) for one in expected_arguments(inst, block)]


def _expected(inst: Instruction, port: PortInfo) -> list[Expected]:
    source = port.same_as or port.item_of
    if not source:
        return [Expected(port, None)]
    types = [value.type for value in _values(inst, source)]
    return [Expected(port, type if port.same_as else _item(type, inst, port)) for type in types]


def _values(inst: Instruction, name: str) -> tuple[Operand, ...]:
    """Return the operands or results of a name."""
    info = inst.INFO
    if len(info.results) == 1 and info.results[0].name == name:
        return inst.results
    held = getattr(inst, name)
    return held if isinstance(held, tuple) else () if held is None else (held,)


def _item(type: Type, inst: Instruction, port: PortInfo) -> Type:
    """Return the type of an item of a value of `type`."""
    shape = type.shape
    along = getattr(inst, port.along) if port.along else 0
    if shape is None or not -len(shape) <= along < len(shape):
        return Type.tensor(type.dtype, None)
    along %= len(shape)
    return Type.tensor(type.dtype, (*shape[:along], *shape[along + 1 :]))
