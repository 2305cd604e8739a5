"""What the tensor engine asks of a matrix product beyond its operands."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.MatMulOpGen import MatMulOpGen
from runtime.instructions import Problem


class MatMulOp(MatMulOpGen):
    """`stationary.T @ moving` on the tensor engine, accumulated in f32 in PSUM.

    Source: AWS Neuron documentation, `nki.isa.nc_matmul`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        dst = self.dst
        if dst is not None and dst.tensor.memory != "psum":
            yield Problem(
                f"dst %{dst.tensor.name} is in {dst.tensor.memory}; the tensor engine writes psum only", "dst"
            )
