"""What an Elman network asks of weights, biases and states."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.RnnGen import RnnGen
from runtime.instructions import Problem
from runtime.recurrent_blocks import Blocks


class Rnn(RnnGen):
    """A network whose packed operands hold a block for each layer and direction."""

    __slots__ = ()

    @property
    def packing(self) -> Blocks:
        """How the weights are packed."""
        return Blocks(self.hidden_size, self.hidden_size, self.layers, 2 if self.bidirectional else 1)

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        biases = {"bias": self.bias.type}
        states = {"initial_hidden": self.initial_hidden}
        types = {name: None if state is None else state.type for name, state in states.items()}
        weights = self.input_weights.type, self.hidden_weights.type
        for name, message in self.packing.problems(self.src.type, *weights, biases, types):
            yield Problem(message, name)
