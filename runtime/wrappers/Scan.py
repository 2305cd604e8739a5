"""What a scan asks of its items."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.ScanGen import ScanGen
from runtime.instructions import Problem


class Scan(ScanGen):
    """A scan whose items all have the dimension along which the rounds go, and one number of rounds."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        known, who = self.rounds, "rounds"
        if known is None and not self.items:
            yield Problem("there are no items, so nothing says how many rounds are run; expected `rounds`", "rounds")
        for index, item in enumerate(self.items):
            shape, slot = item.type.shape, f"items[{index}]"
            if shape is None:
                continue
            if not -len(shape) <= self.axis < len(shape):
                dimensions = f"{len(shape)} dimension{'s' * (len(shape) != 1)}"
                yield Problem(f"{slot} has {dimensions}, and the rounds go along axis {self.axis}", slot)
                continue
            extent = shape[self.axis]
            if not isinstance(extent, int):
                continue
            if known is None:
                known, who = extent, slot
            elif extent != known:
                yield Problem(f"{slot} has items for {extent} rounds, and {who} {_says(known, who)}", slot)


def _says(rounds: int, who: str) -> str:
    return f"is {rounds}" if who == "rounds" else f"for {rounds}"
