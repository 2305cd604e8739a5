"""What the gradient of squared magnitudes asks of its shapes."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.ComplexNormSqBackwardGen import ComplexNormSqBackwardGen
from runtime.instructions import Problem
from runtime.operand_shapes import shown
from runtime.relations import may_be_equal


class ComplexNormSqBackward(ComplexNormSqBackwardGen):
    """A gradient with one number for both parts of each complex one."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        numbers, given = self.src.type.shape, self.gradient.type.shape
        if numbers and given is not None and not may_be_equal(given, numbers[:-1]):
            message = f"gradient has the shape {shown(given)}; expected {shown(numbers[:-1])}, a number for each of src"
            yield Problem(message, "gradient")
