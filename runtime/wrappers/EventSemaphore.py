"""What a semaphore instruction asks of its fields."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.EventSemaphoreGen import EventSemaphoreGen
from runtime.instructions import Problem


class EventSemaphore(EventSemaphoreGen):
    """A wait for a semaphore, a change of one, or both."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if self._wait_semaphore is None and self._update_semaphore is None:
            yield Problem("there is neither a semaphore to wait for nor one to change")
