"""Reductions beside numpy."""

import itertools
from typing import Any

import numpy as np

from generated.vocabulary import REDUCE_OPS
from tests.runtime.semantics.check import Check, Pairs, outputs

FUNCTIONS: dict[str, Any] = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min, "prod": np.prod}


def reduce() -> Pairs:
    x = np.random.default_rng(1).normal(size=(2, 3, 4))
    for op, axes, keep in itertools.product(REDUCE_OPS, ((0,), (1, 2), (0, 1, 2)), (False, True)):
        expected = np.asarray(FUNCTIONS[op](x, axis=axes, keepdims=keep))
        shape = ",".join(map(str, expected.shape))
        text = f"""func @main(%x: f64[2,3,4]) {{
          %y: f64[{shape}] = graph.reduce {op} %x axes {list(axes)} {{keepdims = {str(keep).lower()}}}
          return %y
        }}"""
        yield outputs(text, x=x)[0], expected


CHECKS = (Check("graph.reduce", "numpy", reduce, 1e-14),)
