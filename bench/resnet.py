"""A graph of the shape of ResNet-50, with random weights: what the benchmark of the interpreter runs.

The bottleneck blocks, their strides and channels are those of the paper (He et al., "Deep residual learning for image
recognition", 2015, table 1); each convolution is followed by a batch normalization.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

STAGES = ((64, 3), (128, 4), (256, 6), (512, 3))
"""Channels in the middle of a block, and number of blocks, of each stage."""
EXPANSION = 4
CLASSES = 1000
SEED = 50


@dataclass
class _Graph:
    """The nodes and weights made until now."""

    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(SEED))
    nodes: list[NodeProto] = field(default_factory=list)
    weights: list[TensorProto] = field(default_factory=list)

    def weight(self, values: NDArray[Any]) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(values.astype(np.float32), name))
        return name

    def node(self, op_type: str, inputs: list[str], **attributes: Any) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op_type, inputs, [name], name=f"n{len(self.nodes)}", **attributes))
        return name

    def convolution(self, x: str, before: int, after: int, kernel: int, stride: int) -> str:
        """A convolution and the normalization of its result; activations keep their size through all layers."""
        shape = (after, before, kernel, kernel)
        scale = math.sqrt(2 / (before * kernel * kernel))
        weight = self.weight(self.random.standard_normal(shape) * scale)
        pads = [kernel // 2] * 4
        y = self.node("Conv", [x, weight], kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=pads)
        parameters = [np.ones(after), np.zeros(after), np.zeros(after), np.ones(after)]
        return self.node("BatchNormalization", [y, *map(self.weight, parameters)])

    def block(self, x: str, before: int, middle: int, stride: int) -> str:
        y = self.node("Relu", [self.convolution(x, before, middle, 1, 1)])
        y = self.node("Relu", [self.convolution(y, middle, middle, 3, stride)])
        y = self.convolution(y, middle, EXPANSION * middle, 1, 1)
        beside = x if before == EXPANSION * middle else self.convolution(x, before, EXPANSION * middle, 1, stride)
        return self.node("Relu", [self.node("Add", [y, beside])])


def build_resnet(size: int, stages: tuple[tuple[int, int], ...] = STAGES) -> ModelProto:
    """Return the model for square images of `size`, batch 1; fewer stages make a smaller one for a smoke test."""
    graph = _Graph()
    x = graph.node("Relu", [graph.convolution("image", 3, 64, 7, 2)])
    x = graph.node("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 64
    for stage, (middle, blocks) in enumerate(stages):
        for at in range(blocks):
            x = graph.block(x, channels, middle, 2 if stage and not at else 1)
            channels = EXPANSION * middle
    x = graph.node("Flatten", [graph.node("GlobalAveragePool", [x])], axis=1)
    weight = graph.weight(graph.random.standard_normal((channels, CLASSES)) / channels)
    y = graph.node("Softmax", [graph.node("Gemm", [x, weight, graph.weight(np.zeros(CLASSES))])], axis=-1)
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, size, size])
    result = helper.make_tensor_value_info(y, TensorProto.FLOAT, [1, CLASSES])
    made = helper.make_graph(graph.nodes, "resnet", [image], [result], graph.weights)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
