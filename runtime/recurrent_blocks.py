"""How the weights of recurrent networks are packed: a block for each layer and direction, one behind the other.

Deliberately absent: what the rows of a block are; that is each network's own.
Source: RLX compiler, rlx-ir/src/op.rs, Op::Lstm.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from runtime.operand_shapes import shown
from runtime.relations import may_be_equal
from runtime.types import Type


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of one network. Units: elements."""

    rows: int  # of a block: hidden_size, or several times that
    hidden_size: int
    layers: int
    directions: int

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return self.layers * self.directions

    def widths(self, features: int) -> list[int]:
        """Return how many columns each block of the input weights has; what a layer yields goes into the next one."""
        above = self.directions * self.hidden_size
        return [features if at < self.directions else above for at in range(self.count)]

    def why_not_packed(self, name: str, packed: Type, widths: list[int]) -> str | None:
        """Return why an operand does not hold all blocks of these widths, or None."""
        if packed.shape is None or self.count == 1 and may_be_equal(packed.shape, (self.rows, widths[0])):
            return None
        expected = self.rows * sum(widths)
        if len(packed.shape) == 1 and may_be_equal(packed.shape, (expected,)):
            return None
        one = f" or {shown((self.rows, widths[0]))}" if self.count == 1 else ""
        return f"{name} has the shape {shown(packed.shape)}; expected [{expected}]{one}"

    def problems(
        self,
        src: Type,
        input_weights: Type,
        hidden_weights: Type,
        biases: dict[str, Type],
        states: dict[str, Type | None],
    ) -> Iterator[tuple[str, str]]:
        """Yield the name of each operand that does not have the shape that it must have, and what is wrong."""
        features = src.shape[2] if src.shape is not None and len(src.shape) == 3 else None
        if isinstance(features, int) and (
            why := self.why_not_packed("input_weights", input_weights, self.widths(features))
        ):
            yield "input_weights", why
        if why := self.why_not_packed("hidden_weights", hidden_weights, [self.hidden_size] * self.count):
            yield "hidden_weights", why
        for name, bias in biases.items():
            if bias.shape is not None and not may_be_equal(bias.shape, (self.rows * self.count,)):
                yield name, f"{name} has the shape {shown(bias.shape)}; expected [{self.rows * self.count}]"
        expected = (self.count, src.shape[0] if src.shape else None, self.hidden_size)
        for name, state in states.items():
            if state is not None and state.shape is not None and not may_be_equal(state.shape, expected):
                yield name, f"{name} has the shape {shown(state.shape)}; expected {shown(expected)}"
