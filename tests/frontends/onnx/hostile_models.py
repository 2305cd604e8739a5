"""Models that somebody made to do harm, or that were damaged: each with what a user is told of it.

A builder gets the folder of the model, beside which `secret.bin` is, and returns the model or the bytes of its file.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from onnx import ModelProto, TensorProto, helper

from tests.frontends.onnx.models import BOOL, F32, constant, graph, model, node, value

Builder = Callable[[Path], "ModelProto | bytes"]
INSIDE: Final = "is not inside the folder of the model"
X, Y = value("x", F32, [2]), value("y", F32, [2])


def tensor(**fields: Any) -> TensorProto:
    """A weight `w` of two f32, where fields do not say otherwise."""
    return TensorProto(**{"name": "w", "data_type": F32, "dims": [2], **fields})


def product(*weights: TensorProto) -> ModelProto:
    return model([node("Mul", ["x", "w"], ["y"])], [X], [Y], list(weights))


def beside(**entries: str) -> TensorProto:
    """A weight with its data in another file."""
    found = tensor(data_location=TensorProto.EXTERNAL)
    for key, text in entries.items():
        found.external_data.add(key=key, value=text)
    return found


def data(folder: Path, *, target: str = "", hard: str = "", **entries: str) -> ModelProto:
    """A model whose data is in `w.bin`, which is 8 bytes or a link to a target."""
    place = folder / "w.bin"
    if target:
        place.symlink_to(folder / target)
    elif hard:
        os.link(folder / hard, place)
    else:
        place.write_bytes(bytes(8))
    return product(beside(location="w.bin", **entries))


def in_linked_folder(folder: Path) -> ModelProto:
    (folder / "inner").symlink_to(folder.parent)
    return product(beside(location="inner/secret.bin"))


def in_attribute(folder: Path) -> ModelProto:
    constant = node("Constant", [], ["c"])
    constant.attribute.add(name="value", type=4).t.CopyFrom(beside(location="../secret.bin"))
    return model([constant, node("Mul", ["x", "c"], ["y"])], [X], [Y])


def in_branch(folder: Path) -> ModelProto:
    inner = graph([node("Mul", ["x", "w"], ["p"])], [], [value("p", F32, [2])])
    inner.initializer.append(beside(location="../secret.bin"))
    branches = node("If", ["c"], ["y"], then_branch=inner, else_branch=inner)
    return model([branches], [X, value("c", BOOL, [])], [Y])


def called(name: str, result: str = "y") -> Any:
    return node(name, ["x" if result == "y" else "a"], [result], domain="local")


def functions(**calls: str) -> ModelProto:
    """Local functions that each call another one."""
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    made = [
        helper.make_function("local", name, ["a"], ["b"], [called(other, "b")], imports)
        for name, other in calls.items()
    ]
    return model([called(next(iter(calls)))], [X], [Y], functions=made, domains=["local"])


def circle_through_a_branch(folder: Path) -> ModelProto:
    inner = graph([node("Relu", ["z"], ["p"])], [], [value("p", F32, [2])])
    nodes = [node("If", ["c"], ["y"], then_branch=inner, else_branch=inner), node("Neg", ["y"], ["z"])]
    return model(nodes, [value("c", BOOL, [])], [value("z", F32, [2])])


def nested(depth: int) -> bytes:
    """Branches in branches, as bytes, since protobuf does not build what it does not read."""
    inner = graph([node("Relu", ["x"], ["v"])], [], [value("v", F32, [2])]).SerializeToString()
    for _ in range(depth):
        attribute = field(1, b"then_branch") + field(6, inner) + number(20, 5)
        inner = field(1, field(1, b"c") + field(2, b"v") + field(4, b"If") + field(5, attribute)) + field(2, b"b")
    return number(1, 8) + field(7, inner) + field(8, number(2, 17))


def field(tag: int, content: bytes) -> bytes:
    return varint(tag << 3 | 2) + varint(len(content)) + content


def number(tag: int, held: int) -> bytes:
    return varint(tag << 3) + varint(held)


def varint(held: int) -> bytes:
    return (bytes([held & 127 | 128]) + varint(held >> 7)) if held > 127 else bytes([held])


def no_utf8(proto: ModelProto) -> bytes:
    return bytes(proto.SerializeToString().replace(b"zzzz", b"zz\xffz"))


HOSTILE: Final[dict[str, tuple[Builder, str]]] = {
    "above the folder": (lambda d: product(beside(location="../secret.bin")), INSIDE),
    "up and down again": (lambda d: product(beside(location="a/../../secret.bin")), INSIDE),
    "an absolute path": (lambda d: product(beside(location=str(d.parent / "secret.bin"))), INSIDE),
    "an absolute path into the folder": (lambda d: product(beside(location=str(d / "w.bin"))), INSIDE),
    "a path of Windows": (lambda d: product(beside(location="..\\secret.bin")), INSIDE),
    "a file that is a link": (lambda d: data(d, target="../secret.bin"), '"w.bin" is a link'),
    "a folder that is a link": (in_linked_folder, '"inner" is a link'),
    "a file with two names": (lambda d: data(d, hard="../secret.bin"), '"w.bin" is linked from elsewhere'),
    "a path in an attribute": (in_attribute, INSIDE),
    "a path in a branch": (in_branch, INSIDE),
    "no path": (lambda d: product(beside(offset="0")), "its external data has no usable location"),
    "a file that is not there": (lambda d: product(beside(location="w.bin")), "No such file or directory"),
    "a negative offset": (lambda d: data(d, offset="-8"), 'the offset of its external data is "-8"'),
    "an offset behind the end": (lambda d: data(d, offset="9"), 'needs 8 bytes at offset 9, but "w.bin" has 8'),
    "a huge offset": (lambda d: data(d, offset=str(2**63 - 4)), "needs 8 bytes at offset 9223372036854775804"),
    "a negative length": (lambda d: data(d, length="-1"), 'the length of its external data is "-1"'),
    "a huge length": (
        lambda d: data(d, length=str(2**60)),
        "needs 8 bytes, but states a length of 1152921504606846976",
    ),
    "a negative extent": (lambda d: product(tensor(dims=[-2], raw_data=bytes(8))), "negative extent -2"),
    "a huge extent": (lambda d: product(tensor(dims=[2**62, 4], raw_data=bytes(8))), "holds 8 bytes, not 73786976294"),
    "too many bytes": (lambda d: product(tensor(raw_data=bytes(12))), "of shape [2] holds 12 bytes, not 8"),
    "too few bytes": (lambda d: product(tensor(raw_data=bytes(7))), "of shape [2] holds 7 bytes, not 8"),
    "no bytes": (lambda d: product(tensor()), "of shape [2] holds 0 bytes, not 8"),
    "elements of another type": (lambda d: product(tensor(int64_data=[1, 2])), "of shape [2] holds 0 bytes, not 8"),
    "nodes in a circle": (
        lambda d: model(
            [node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["y"]), node("Neg", ["y"], ["b"])], [X], [Y]
        ),
        "nodes need each other in a circle: node 0 (ai.onnx::Add) -> node 2 (ai.onnx::Neg) -> node 1",
    ),
    "a node that needs itself": (lambda d: model([node("Add", ["x", "y"], ["y"])], [X], [Y]), "in a circle: node 0"),
    "a circle through a branch": (circle_through_a_branch, "in a circle: node 0 (ai.onnx::If) -> node 1"),
    "a function that calls itself": (lambda d: functions(F="F"), "in a circle: local::F -> local::F"),
    "functions in a circle": (
        lambda d: functions(F="G", G="H", H="F"),
        "in a circle: local::F -> local::G -> local::H -> local::F",
    ),
    "an operand that is not there": (
        lambda d: model([node("Relu", ["wieght"], ["y"])], [value("weight")], [Y]),
        'uses "wieght", which is not defined; did you mean "weight"?',
    ),
    "an output that is not there": (
        lambda d: model([], [X], [Y]),
        'the list of outputs uses "y", which is not defined',
    ),
    "two producers": (
        lambda d: model([node("Relu", ["x"], ["y"]), node("Neg", ["x"], ["y"])], [X], [Y]),
        'node 1 (ai.onnx::Neg): result "y": the graph has another value of that name',
    ),
    "one name for two results": (lambda d: model([node("TopK", ["x"], ["y", "y"])], [X], [Y]), 'result "y": the graph'),
    "two inputs of one name": (lambda d: model([], [X, X], [X]), 'input "x": the graph has another value'),
    "two weights of one name": (
        lambda d: product(*[constant("w", np.ones(2, np.float32))] * 2),
        'initializer "w": the graph has another value of that name',
    ),
    "a result called as an input": (lambda d: model([node("Relu", ["x"], ["x"])], [X], [X]), 'result "x": the graph'),
    "an input without a name": (
        lambda d: model([], [X, value("", F32, [2])], [X]),
        "input has the name '', which is none",
    ),
    "a weight without a name": (lambda d: product(tensor(name="", raw_data=bytes(8))), "which is none"),
    "a node without an operator": (lambda d: model([node("", ["x"], ["y"])], [X], [Y]), '"op_type" is empty'),
    "an attribute of another type": (
        lambda d: model([node("Softmax", ["x"], ["y"], axis=1.5)], [X], [Y]),
        'node 0 (ai.onnx::Softmax), attribute "axis": is of the type float; expected int',
    ),
    "operators of nobody": (
        lambda d: model([node("Op", ["x"], ["y"], domain="nobody")], [X], [Y]),
        'no version of the operator set "nobody" is stated',
    ),
    "a name in bytes": (lambda d: no_utf8(model([node("Relu", ["x"], ["zzzz"])], [X], [X])), "which is no UTF-8"),
    "an operator in bytes": (lambda d: no_utf8(model([node("zzzz", ["x"], ["y"])], [X], [Y])), "is no UTF-8"),
    "an extent in bytes": (lambda d: no_utf8(model([], [value("x", F32, ["zzzz"])], [X])), "which is no UTF-8"),
    "nothing": (lambda d: b"", "holds no graph"),
    "zeros": (lambda d: bytes(999), "is no ONNX model, or not all of one"),
    "a text": (lambda d: b"this is no model\n", "is no ONNX model, or not all of one"),
    "a model without a graph": (lambda d: ModelProto(ir_version=8), "holds no graph"),
    "100 branches in each other": (lambda d: nested(100), "graphs inside of each other deeper than protobuf reads"),
    "1000 branches in each other": (lambda d: nested(1000), "graphs inside of each other deeper than protobuf reads"),
}
