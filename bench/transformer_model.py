"""A transformer-like ONNX model of so many nodes, its weights held as initializers, as exporters write one.

A layer is attention and a feed-forward part of `LAYER` nodes: layer normalization, projections with biases, reshapes
and transpositions around the product of queries and keys, softmax, and a tanh GELU written out.

Deliberately absent: weights of a real size. What conversion costs a node is measured, not what it costs a megabyte.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

HEADS, WIDTH, TOKENS = 2, 16, 4
KEPT = "Softmax"
"""The kind that is kept in f32."""


class _Builds:
    """Adds nodes and weights, and numbers their results."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        self._random = np.random.default_rng(0)

    def node(self, op_type: str, *inputs: str, **attributes: Any) -> str:
        name = f"{op_type.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op_type, list(inputs), [name], name=name, **attributes))
        return name

    def weight(self, *shape: int) -> str:
        name = f"weight_{len(self.weights)}"
        values = self._random.normal(0, 0.05, shape).astype(np.float32)
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def constant(self, name: str, values: list[float] | list[int]) -> str:
        array = np.array(values, np.float32 if isinstance(values[0], float) else np.int64)
        self.weights.append(numpy_helper.from_array(array.reshape(()) if array.dtype == np.float32 else array, name))
        return name


def transformer(nodes: int, hub: bool = False) -> Any:
    """Return a model of about so many nodes; with `hub`, each one of the layers' first nodes reads the model's input.

    Of a hub, the 10,000 users are softmaxes and activations that all read one value; their results are added up.
    """
    build = _Builds()
    last = _readers(build, nodes) if hub else _layers(build, nodes)
    build.node("Identity", last)
    build.nodes[-1].output[0] = "y"
    x, y = (helper.make_tensor_value_info(each, TensorProto.FLOAT, [1, TOKENS, WIDTH]) for each in "xy")
    graph = helper.make_graph(build.nodes, "g", [x], [y], build.weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _readers(build: _Builds, nodes: int) -> str:
    product = build.node("MatMul", "x", build.weight(WIDTH, WIDTH))
    return build.node("Sum", *(build.node((KEPT, "Relu")[at % 2], product) for at in range(nodes)))


def _layers(build: _Builds, nodes: int) -> str:
    split = build.constant("split", [1, TOKENS, HEADS, WIDTH // HEADS])
    joined = build.constant("joined", [1, TOKENS, WIDTH])
    scale = build.constant("scale", [(WIDTH // HEADS) ** -0.5])
    gelu = [build.constant(f"gelu_{at}", [one]) for at, one in enumerate((0.044715, 0.7978845608, 1.0, 0.5))]
    last = "x"
    while len(build.nodes) + 1 < nodes:
        last = build.node("Add", last, _attention(build, last, split, joined, scale))
        last = build.node("Add", last, _feed_forward(build, last, gelu))
    return last


def _normalized(build: _Builds, x: str) -> str:
    return build.node("LayerNormalization", x, build.weight(WIDTH), build.weight(WIDTH), axis=-1)


def _projected(build: _Builds, x: str, wide: int, narrow: int) -> str:
    return build.node("Add", build.node("MatMul", x, build.weight(wide, narrow)), build.weight(narrow))


def _attention(build: _Builds, x: str, split: str, joined: str, scale: str) -> str:
    source = _normalized(build, x)
    heads = []
    for order in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]):
        reshaped = build.node("Reshape", _projected(build, source, WIDTH, WIDTH), split)
        heads.append(build.node("Transpose", reshaped, perm=order))
    queries, keys, values = heads
    scores = build.node(KEPT, build.node("Mul", build.node("MatMul", queries, keys), scale), axis=-1)
    mixed = build.node("Transpose", build.node("MatMul", scores, values), perm=[0, 2, 1, 3])
    return _projected(build, build.node("Reshape", mixed, joined), WIDTH, WIDTH)


def _feed_forward(build: _Builds, x: str, gelu: list[str]) -> str:
    cubic, factor, one, half = gelu
    h = _projected(build, _normalized(build, x), WIDTH, 4 * WIDTH)
    cube = build.node("Mul", build.node("Mul", build.node("Mul", h, h), h), cubic)
    gate = build.node("Tanh", build.node("Mul", build.node("Add", h, cube), factor))
    active = build.node("Mul", build.node("Mul", h, half), build.node("Add", gate, one))
    return _projected(build, active, 4 * WIDTH, WIDTH)
