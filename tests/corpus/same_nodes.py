"""What a peer leaves where it is told to keep the nodes in f32 that a conversion kept: so the casts can be compared.

Written on `onnx` and the peer only, like `graph_view.py`. A node is kept where no value that it reads or gives is low.
"""

from __future__ import annotations

import warnings
from importlib import import_module

from onnx import ModelProto

from tests.corpus.graph_view import all_nodes, view_of
from tests.corpus.measure import LOW

PEER = "onnxruntime.transformers.float16"


def kept_nodes(source: ModelProto, converted: ModelProto) -> list[str]:
    """Return the names of the nodes of a model that read and give nothing low in the converted one."""
    own = {node.name for node in all_nodes(source)}
    view = view_of(converted)
    return [
        node.proto.name
        for node in view.nodes
        if node.proto.name in own
        and not LOW & {view.types.get(value) for value in (*node.operands, *node.results) if value}
    ]


def converted_with_kept(model: ModelProto, kept: list[str]) -> ModelProto:
    """Return what the peer makes of a model, which it may change, where exactly the nodes in `kept` stay f32."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a warning for each constant out of range
        convert = import_module(PEER).convert_float_to_float16
        converted: ModelProto = convert(model, keep_io_types=True, op_block_list=[], node_block_list=kept)
        return converted
