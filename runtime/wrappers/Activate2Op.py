"""Which operations, scalars and reductions go together on the scalar engine."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.Activate2OpGen import Activate2OpGen
from runtime.instructions import Problem
from runtime.tile_rules import why_not_one_a_partition


class Activate2Op(Activate2OpGen):
    """Operations with scalars, a function, and a reduction.

    Source: AWS Neuron documentation, `nki.isa.activate2`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        for number, op, operand, constant, reverse in (
            (0, self._op0, self._operand0, self._scalar0, self._reverse0),
            (1, self._op1, self._operand1, self._scalar1, self._reverse1),
        ):
            yield from why_not_one_a_partition(f"operand{number}", operand, self._src.type)
            has_scalar = operand is not None or constant is not None
            if op is not None and not has_scalar:
                yield Problem(f"op{number} is {op}, and there is no scalar for it", f"op{number}")
            elif op is None and (has_scalar or reverse):
                yield Problem(f"there is no op{number} for a scalar, or to reverse", f"scalar{number}")
        if self._op1 is not None and self._op0 != "mult":
            yield Problem(f"op1 is {self._op1} and op0 is {self._op0 or 'none'}; it follows mult", "op1")
        yield from why_not_one_a_partition("reduce_res", self._reduce_res, self._src.type)
        if self._reduce_op is None and self._reduce_cmd != "idle":
            yield Problem(f"reduce_cmd is {self._reduce_cmd}, and there is no reduce_op", "reduce_cmd")
