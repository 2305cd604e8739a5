"""What long short-term memory asks of weights, biases and states."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.LstmGen import LstmGen
from runtime.instructions import Problem
from runtime.recurrent_blocks import Blocks


class Lstm(LstmGen):
    """A network whose packed operands hold a block for each layer and direction."""

    __slots__ = ()

    @property
    def packing(self) -> Blocks:
        """How the weights are packed."""
        return Blocks(4 * self.hidden_size, self.hidden_size, self.layers, 2 if self.bidirectional else 1)

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        biases = {"bias": self.bias.type}
        states = {"initial_hidden": self.initial_hidden, "initial_cell": self.initial_cell}
        types = {name: None if state is None else state.type for name, state in states.items()}
        weights = self.input_weights.type, self.hidden_weights.type
        for name, message in self.packing.problems(self.src.type, *weights, biases, types):
            yield Problem(message, name)
