"""Multiply-adds of the nodes that have most of them, from the shapes at their executions."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Final

from onnx import NodeProto

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Execution:
    """The shapes of the operands that were present, and of the results, in one execution of a node."""

    operands: tuple[Shape, ...]
    results: tuple[Shape, ...]


HEAVY: Final = frozenset({"Conv", "ConvTranspose", "Gemm", "GRU", "LSTM", "MatMul", "RNN"})
"""The operators that are counted; the rest of a model's arithmetic is small beside them."""


def multiply_adds(node: NodeProto, execution: Execution) -> int:
    """Return how many products of two operands an execution of a node adds up; gates and biases are left out.

    Source: ONNX operator specification, Operators.md.
    """
    first, second = execution.operands[:2]
    result, *_ = execution.results
    if node.op_type == "Conv":  # the filters are [maps, channels of a group, kernel...]
        return prod(result) * prod(second[1:])
    if node.op_type == "ConvTranspose":  # [channels, maps of a group, kernel...]
        return prod(first) * prod(second[1:])
    if node.op_type == "Gemm":
        return prod(first) * result[1]
    if node.op_type == "MatMul":
        return prod(result) * first[-1]
    if node.op_type in ("GRU", "LSTM", "RNN"):  # every weight of every direction, once a step and a sequence
        return first[0] * first[1] * (prod(second) + prod(execution.operands[2]))
    raise ValueError(f"{node.op_type} is not counted")
