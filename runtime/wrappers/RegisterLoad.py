"""What a load to a register asks of its source."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.RegisterLoadGen import RegisterLoadGen
from runtime.instructions import Problem


class RegisterLoad(RegisterLoadGen):
    """A load of one element."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from self._one_element(self._src.type, "src")
