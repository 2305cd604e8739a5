"""What the offloaded memory intrinsics ask of their source and destination beyond their fields."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.OffloadedMemIntrGen import OffloadedMemIntrGen
from runtime.access import NeuronAP
from runtime.instructions import Problem
from runtime.types import Type
from runtime.values import Operand


class OffloadedMemIntr(OffloadedMemIntrGen):
    """Stands between the brewed base and the intrinsics: what several of them ask."""

    __slots__ = ()

    def _as_many_elements(self, src: Type) -> Iterator[Problem]:
        """Say so where a source and the destination do not have the same number of elements."""
        found, expected = src.n_elements, self.type.n_elements
        if found is not None and expected is not None and found != expected:
            yield Problem(f"src has {found} elements, and the destination {expected}", "src")

    def _whole(self, *slots: tuple[str, Operand | None]) -> Iterator[Problem]:
        """Say so of each access in these slots that does not reach all of its tensor, in its own order."""
        for slot, held in slots:
            if isinstance(held, NeuronAP) and not held.is_whole:
                yield Problem(f"{_shown(slot)} is a part of its tensor; this works on whole ones", slot)


def _shown(slot: str) -> str:
    return "the destination" if slot == "dst" else slot
