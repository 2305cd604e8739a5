"""How values pass between an instruction and its regions, by the ports of its definition.

    %r = graph.while (%init) condition(%a) { ... } body(%b) { ... yield %next }

Here %init and %next become %a, %b and %r: all of them have one type, so one gate has them all. A value that goes in by
two operands joins their gates, since an instruction is told of values, not of slots.

Deliberately absent: instructions whose regions have no ports; nothing is narrowed that goes into those.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from runtime.blocks import Block
from runtime.info import PortInfo
from runtime.instructions import Instruction
from runtime.values import Operand, Value


@dataclass
class Gate:
    """Values that have one element type."""

    operands: list[Operand] = field(default_factory=list)  # of the instruction
    targets: list[Value] = field(default_factory=list)  # its results, and the arguments of its regions
    yields: list[tuple[Instruction, int]] = field(default_factory=list)  # operands of what ends its regions
    ports: list[PortInfo] = field(default_factory=list)

    def takes(self, name: str) -> bool:
        """Whether every port lets through elements of the dtype of this name."""
        return all(not port.dtypes or name in port.dtypes for port in self.ports)

    @property
    def values(self) -> list[Operand]:
        """All values that pass."""
        return [*self.operands, *self.targets, *(end.operands()[at] for end, at in self.yields)]


def gates_of(inst: Instruction) -> list[Gate]:
    """Return the gates of an instruction with regions; none where they do not fit its ports."""
    sources = _sources(inst)
    gates = _Gates()
    names = {operand.name for operand in inst.INFO.operands}
    for name, values in sources.items():
        for at, value in enumerate(values):
            gates.of(name, at, value, is_result=name not in names)
    for info in inst.INFO.results:
        for at in range(len(sources.get(info.name, ())) if info.same_as else 0):
            gates.join((info.name, at), (info.same_as, at))
    for region, block in zip(inst.INFO.regions, inst.blocks, strict=True):
        end = block.terminator
        if end is None:
            return []
        outs = region.yields if region.yields is not None else _ports_of_results(inst)
        if not (_add(gates, sources, region.takes, block=block) and _add(gates, sources, outs, end=end)):
            return []
    return gates.all()


class _Gates:
    """Gates by the names and positions of the operands and results that pass through them."""

    def __init__(self) -> None:
        self._at: dict[tuple[str, int], Gate] = {}
        self._keys: dict[int, list[tuple[str, int]]] = {}  # of each gate; those of the smaller one move where two join
        self._holding: dict[Operand, tuple[str, int]] = {}

    def of(self, name: str, at: int, value: Operand, is_result: bool) -> None:
        gate = Gate()
        self._at[name, at] = gate
        self._keys[id(gate)] = [(name, at)]
        if is_result:
            assert isinstance(value, Value)
            gate.targets.append(value)
        else:
            gate.operands.append(value)
            self.join(self._holding.setdefault(value, (name, at)), (name, at))

    def join(self, one: tuple[str, int], other: tuple[str, int]) -> None:
        kept, gone = self._at.get(one), self._at.get(other)
        if kept is None or gone is None or kept is gone:
            return
        if len(self._keys[id(kept)]) < len(self._keys[id(gone)]):
            kept, gone = gone, kept
        kept.operands += gone.operands
        kept.targets += gone.targets
        for key in self._keys.pop(id(gone)):
            self._at[key] = kept
            self._keys[id(kept)].append(key)

    def get(self, name: str, at: int) -> Gate | None:
        return self._at.get((name, at))

    def all(self) -> list[Gate]:
        return list({id(gate): gate for gate in self._at.values()}.values())


def _sources(inst: Instruction) -> dict[str, tuple[Operand, ...]]:
    """Return the operands and results of an instruction by name, each as many as there are."""
    found: dict[str, tuple[Operand, ...]] = {}
    info = inst.INFO
    for operand in info.operands:
        held = getattr(inst, operand.name)
        found[operand.name] = held if isinstance(held, tuple) else () if held is None else (held,)
    if len(info.results) == 1:
        found[info.results[0].name] = inst.results
        return found
    for result in info.results:
        held = getattr(inst, result.name)
        found[result.name] = held if isinstance(held, tuple) else () if held is None else (held,)
    return found


def _ports_of_results(inst: Instruction) -> tuple[PortInfo, ...]:
    return tuple(PortInfo(result.name, same_as=result.name) for result in inst.INFO.results)


def _add(
    gates: _Gates,
    sources: dict[str, tuple[Operand, ...]],
    ports: tuple[PortInfo, ...],
    *,
    block: Block | None = None,
    end: Instruction | None = None,
) -> bool:
    """Add what a region receives, or hands out, to the gates; return whether there is as much of it as should be."""
    arguments = block.arguments if block is not None else []
    count = len(end.operands()) if end is not None else len(arguments)
    place = 0
    for port in ports:
        source = port.same_as or port.item_of
        for at in range(len(sources.get(source, ())) if source else 1):
            if place == count:
                return False
            gate = gates.get(source, at) if source else None
            if gate is not None:
                gate.ports.append(port)
                if end is not None:
                    gate.yields.append((end, place))
                else:
                    gate.targets.append(arguments[place])
            place += 1
    return place == count
