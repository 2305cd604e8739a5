"""The matrix product under the name that passes ask for; all that it asks of a program is in its definition."""

from __future__ import annotations

from generated.neuron.MatMulOpGen import MatMulOpGen


class MatMulOp(MatMulOpGen):
    """`stationary.T @ moving` on the tensor engine, accumulated in f32 in PSUM.

    Source: AWS Neuron documentation, `nki.isa.nc_matmul`.
    """

    __slots__ = ()
