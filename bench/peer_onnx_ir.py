"""onnx-ir's side: ONNX operators in one graph, the text form of ONNX for printing and parsing."""

from collections.abc import Callable, Mapping, Sequence

import onnx_ir as ir
from onnx_ir.passes.common import CheckerPass

from bench.contender import SHAPE, Contender

WIDE = ir.TensorType(ir.DataType.FLOAT)
NARROW = ir.TensorType(ir.DataType.BFLOAT16)
FIXED_SHAPE = ir.Shape(SHAPE, frozen=True)
"""A frozen shape may be shared by values."""


def contender() -> Contender[ir.Model]:
    return OnnxIrContender()


class OnnxIrContender(Contender[ir.Model]):
    distribution = "onnx-ir"

    def build_chain(self, size: int) -> ir.Model:
        inputs = _inputs()
        earlier, last = inputs
        nodes = []
        for _ in range(size):
            node = _node("Add", (earlier, last), WIDE)
            nodes.append(node)
            earlier, last = last, node.outputs[0]
        return _model(inputs, last, nodes)

    def count_instructions(self, program: ir.Model) -> int:
        return len(program.graph)

    def print_text(self, program: ir.Model) -> str:
        return ir.to_onnx_text(program)

    def parse_text(self, text: str) -> ir.Model:
        return ir.from_onnx_text(text)

    def walk(self, program: ir.Model) -> int:
        operands = 0
        for node in program.graph.all_nodes():
            for _ in node.inputs:
                operands += 1
        return operands

    @property
    def verifications(self) -> Mapping[str, Callable[[ir.Model], int]]:
        return {"CheckerPass": _check}

    def build_fan(self, users: int) -> ir.Model:
        inputs = _inputs()
        source, returned = inputs
        return _model(inputs, returned, [_node("Neg", (source,), WIDE) for _ in range(users)])

    def erase_users(self, program: ir.Model) -> None:
        graph = program.graph
        for node in graph:
            graph.remove(node, safe=True)

    def build_round_trips(self, count: int) -> ir.Model:
        inputs = _inputs()
        other, last = inputs
        to_narrow = ir.AttrInt64("to", ir.DataType.BFLOAT16)
        to_wide = ir.AttrInt64("to", ir.DataType.FLOAT)
        nodes: list[ir.Node] = []
        for _ in range(count):
            narrow = _node("Cast", (last,), NARROW, (to_narrow,))
            wide = _node("Cast", narrow.outputs, WIDE, (to_wide,))
            consumer = _node("Add", (wide.outputs[0], other), WIDE)
            nodes += (narrow, wide, consumer)
            last = consumer.outputs[0]
        return _model(inputs, last, nodes)

    @property
    def eliminations(self) -> Mapping[str, Callable[[ir.Model], int]]:
        return {"loop": _eliminate_in_a_loop}


def _eliminate_in_a_loop(program: ir.Model) -> int:
    graph = program.graph
    eliminated = 0
    for wide in graph:
        if wide.op_type != "Cast" or wide.domain != "":
            continue
        narrowed = wide.inputs[0]
        narrow = narrowed.producer() if narrowed is not None else None
        if narrow is None or narrow.op_type != "Cast" or narrow.domain != "":
            continue
        source, result = narrow.inputs[0], wide.outputs[0]
        if source is None or source.dtype != result.dtype or narrow.outputs[0].dtype != ir.DataType.BFLOAT16:
            continue
        result.replace_all_uses_with(source)
        graph.remove(wide, safe=True)
        if not narrow.outputs[0].uses():
            graph.remove(narrow, safe=True)
        eliminated += 1
    return eliminated


def _check(program: ir.Model) -> int:
    CheckerPass()(program)  # raises onnx.checker.ValidationError at the first mistake
    return 0


def _inputs() -> tuple[ir.Value, ir.Value]:
    return (
        ir.Value(name="x", type=WIDE, shape=FIXED_SHAPE),
        ir.Value(name="y", type=WIDE, shape=FIXED_SHAPE),
    )


def _node(
    op_type: str, inputs: Sequence[ir.Value], result: ir.TensorType, attributes: Sequence[ir.Attr] = ()
) -> ir.Node:
    node = ir.Node("", op_type, inputs, attributes)
    node.outputs[0].type = result
    node.outputs[0].shape = FIXED_SHAPE
    return node


def _model(inputs: tuple[ir.Value, ...], output: ir.Value, nodes: list[ir.Node]) -> ir.Model:
    graph = ir.Graph(inputs, (output,), nodes=nodes, opset_imports={"": 20}, name="main")
    return ir.Model(graph, ir_version=10)
