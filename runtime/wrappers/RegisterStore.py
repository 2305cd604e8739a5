"""What a store of a register asks of its destination."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.RegisterStoreGen import RegisterStoreGen
from runtime.instructions import Problem


class RegisterStore(RegisterStoreGen):
    """A store to one element."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from self._one_element(self.type, "dst")
