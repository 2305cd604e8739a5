"""Means and variances of partitions on the vector engine.

The engine works in f32, in an order that is not said. Here sums are taken in f64, and each of the numbers is rounded to
f32 once.
Source: AWS Neuron documentation, `nki.isa.bn_stats`, `nki.isa.bn_aggr`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array
from runtime.semantics.scalars import rows


def bn_stats(inst: Any, operands: Sequence[Any]) -> Array:
    """Return count, mean and squared deviations of the even elements, then of the odd ones.

    Shapes: a tile of P partitions gives [P, 6].
    Raises: InterpreterError without an odd element, of which the source gives no mean.
    """
    elements = rows(operands[0]).astype(np.float64)
    columns = []
    for part in (elements[:, 0::2], elements[:, 1::2]):
        if not part.shape[1]:
            raise InterpreterError("a partition has no odd element, of which no mean is said")
        mean = part.mean(axis=1)
        columns += [np.full(len(part), part.shape[1]), mean, ((part - mean[:, None]) ** 2).sum(axis=1)]
    return np.stack(columns, axis=1).astype(np.float32)


def bn_aggr(inst: Any, operands: Sequence[Any]) -> Array:
    """Return mean and variance of all elements that the triples stand for.

    Shapes: [P, 3 N] gives [P, 2].
    Raises: InterpreterError where the triples stand for no element.
    """
    triples = rows(operands[0]).astype(np.float64)
    triples = triples.reshape(len(triples), triples.shape[1] // 3, 3)
    counts, means, deviations = (triples[:, :, index] for index in range(3))
    total = counts.sum(axis=1)
    if not total.all():
        raise InterpreterError("the counts of a partition add up to 0")
    mean = (counts * means).sum(axis=1) / total
    between = (counts * (means - mean[:, None]) ** 2).sum(axis=1)
    return np.stack([mean, (deviations.sum(axis=1) + between) / total], axis=1).astype(np.float32)
