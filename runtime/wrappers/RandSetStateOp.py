"""How large the states of a random generator are."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.RandSetStateOpGen import RandSetStateOpGen
from runtime.instructions import Problem
from runtime.tile_rules import why_not_states


class RandSetStateOp(RandSetStateOpGen):
    """States for the lanes of an engine.

    Source: AWS Neuron documentation, `nki.isa.rand_set_state`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from why_not_states(self, "src_seeds", self._src_seeds.type)
