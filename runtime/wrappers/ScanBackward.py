"""What a scan from back to front asks of its operands."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.ScanBackwardGen import ScanBackwardGen
from generated.graph.ScanBackwardXsGen import ScanBackwardXsGen
from runtime.fitting import counted, why_not_shape
from runtime.instructions import Problem
from runtime.types import Shape
from runtime.values import Operand


class ScanBackward(ScanBackwardGen):
    """A scan from back to front over one number of rounds, with a trajectory and a cotangent for each carried value."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_backward(self)


def why_not_backward(inst: ScanBackwardGen | ScanBackwardXsGen) -> Iterator[Problem]:
    """Yield what is wrong with the operands of a scan from back to front."""
    for name, values in (("trajectory", inst.trajectory), ("upstream", inst.upstream)):
        if len(values) != len(inst.init):
            yield Problem(f"{name} has {counted(len(values), 'value')}, and init {len(inst.init)}", name)
            return
    for index, (init, last) in enumerate(zip(inst.init, inst.upstream, strict=True)):
        expected = init.type.shape
        if not inst.save_trajectory and expected is not None and (why := why_not_shape(last.type.shape, expected)):
            yield Problem(f"upstream[{index}] has the shape {why}, that of the carried value", f"upstream[{index}]")
    known, who = inst.rounds, "rounds"
    counts_rounds = {"items": True, "trajectory": not inst.checkpoints, "upstream": inst.save_trajectory}
    if known is None and not any(getattr(inst, name) for name, counts in counts_rounds.items() if counts):
        yield Problem("no operand says how many rounds are run; expected `rounds`", "rounds")
    for slot, value, carried in _with_rounds(inst):
        shape = value.type.shape
        if shape is None:
            continue
        if not -len(shape) <= inst.axis < len(shape):
            dimensions = counted(len(shape), "dimension")
            yield Problem(f"{slot} has {dimensions}, and the rounds go along axis {inst.axis}", slot)
            continue
        if carried is not None and (why := why_not_shape(_item(shape, inst.axis), carried)):
            yield Problem(f"what {slot} has for a round has the shape {why}, that of the carried value", slot)
        extent = shape[inst.axis]
        if not isinstance(extent, int):
            continue
        if not counts_rounds[slot.partition("[")[0]]:
            if extent != inst.checkpoints:
                yield Problem(f"{slot} has rows for {extent} rounds, and checkpoints is {inst.checkpoints}", slot)
        elif known is None:
            known, who = extent, slot
        elif extent != known:
            yield Problem(f"{slot} is for {counted(extent, 'round')}, and {who} {_says(known, who)}", slot)
    if known is not None and inst.checkpoints > known:
        yield Problem(f"there are {inst.checkpoints} checkpoints, and {counted(known, 'round')}", "checkpoints")


def _with_rounds(inst: ScanBackwardGen | ScanBackwardXsGen) -> Iterator[tuple[str, Operand, Shape | None]]:
    """Yield what has something for each round: its slot, itself, and the shape that this has, where it is carried."""
    for index, item in enumerate(inst.items):
        yield f"items[{index}]", item, None
    carried = [value.type.shape for value in inst.init]
    for index, value in enumerate(inst.trajectory):
        yield f"trajectory[{index}]", value, carried[index]
    for index, value in enumerate(inst.upstream):
        if inst.save_trajectory:
            yield f"upstream[{index}]", value, carried[index]


def _item(shape: Shape, axis: int) -> Shape:
    axis %= len(shape)
    return (*shape[:axis], *shape[axis + 1 :])


def _says(rounds: int, who: str) -> str:
    return f"is {rounds}" if who == "rounds" else f"for {rounds}"
