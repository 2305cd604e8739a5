"""How long it takes to read and write a model, by the processor's clock, since the machine is shared."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import numpy as np
import pytest
from onnx import ModelProto

from frontends.onnx import load, to_proto
from tests.frontends.onnx.models import F32, constant, model, node, value


def residual(blocks: int) -> ModelProto:
    """Return a network of the shape of ResNet-50 (22 blocks of 7 nodes, weights of hardly any size)."""
    nodes, constants, x = [], [], "x"
    for at in range(blocks):
        y = x
        for step in range(3):
            name = f"{at}_{step}"
            constants.append(constant(f"w{name}", np.zeros((4, 4, 3, 3), np.float32)))
            constants.append(constant(f"b{name}", np.zeros(4, np.float32)))
            settings = {"kernel_shape": [3, 3], "pads": [1] * 4, "strides": [1, 1], "dilations": [1, 1], "group": 1}
            nodes.append(node("Conv", [y, f"w{name}", f"b{name}"], [f"c{name}"], name=f"conv{name}", **settings))
            y = f"c{name}"
            if step < 2:
                nodes.append(node("Relu", [y], [f"r{name}"]))
                y = f"r{name}"
        nodes.append(node("Add", [y, x], [f"s{at}"]))
        nodes.append(node("Relu", [f"s{at}"], [f"o{at}"]))
        x = f"o{at}"
    return model(nodes, [value("x", F32, [1, 4, 8, 8])], [value(x, F32, [1, 4, 8, 8])], constants)


def seconds(action: Callable[[], object]) -> float:
    times = []
    for _ in range(5):
        start = process_time()
        action()
        times.append(process_time() - start)
    return min(times)


@pytest.mark.bench
def test_reading_and_writing_takes_milliseconds_a_hundred_nodes_and_grows_with_the_model() -> None:
    small, large = residual(22), residual(22 * 8)
    once, eight = (seconds(lambda proto=proto: to_proto(load(proto))) for proto in (small, large))  # type: ignore[misc]
    per_hundred = once / len(small.graph.node) * 100
    print(f"{per_hundred * 1000:.1f} ms for 100 nodes; {eight / once:.1f} times as long for 8 times as many")
    assert per_hundred < 0.020
    assert eight / once < 12
