"""Hostile and damaged files at the command line: a clear error, status 2, nothing written, nothing read elsewhere."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import AttributeProto, ModelProto, helper

import passes
from frontends.onnx import OnnxError, load, to_proto
from frontends.onnx.equality import why_different
from passes.__main__ import main
from tests.frontends.onnx.hostile_models import HOSTILE, X, Y
from tests.frontends.onnx.models import BOOL, F32, chain, constant, graph, model, node, value

Said = pytest.CaptureFixture[str]
OPENED: list[str] | None = None  # what is opened while a test looks


def _note(event: str, arguments: Any) -> None:
    if OPENED is not None and event == "open":
        OPENED.append(str(arguments[0]))


sys.addaudithook(_note)  # there is no way to take one off


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is opened from here on."""
    found: list[str] = []
    monkeypatch.setattr(sys.modules[__name__], "OPENED", found)
    return found


@pytest.mark.parametrize("policy", ["autocast-f16", "autocast-bf16"])
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file(name: str, policy: str, tmp_path: Path, capsys: Said, opened: list[str]) -> None:
    build, message = HOSTILE[name]
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "secret.bin").write_bytes(b"secret!!")
    built = build(folder)
    path = folder / "m.onnx"
    path.write_bytes(built if isinstance(built, bytes) else built.SerializeToString())
    before = sorted(tmp_path.rglob("*"))
    opened.clear()
    assert main([str(path), "-o", str(tmp_path / "out.onnx"), "--policy", policy, "--report", str(tmp_path / "r")]) == 2
    out, err = capsys.readouterr()
    assert message in err and "error[" in err and "Traceback" not in err and out == ""
    assert sorted(tmp_path.rglob("*")) == before, "something was written"
    assert not [one for one in opened if "secret" in one or "out.onnx" in one]


def test_a_folder_is_no_model(tmp_path: Path, capsys: Said) -> None:
    (tmp_path / "m.onnx").mkdir()
    assert main([str(tmp_path / "m.onnx"), "-o", str(tmp_path / "o.onnx"), "--policy", "autocast-f16"]) == 2
    assert "error[P010]" in capsys.readouterr().err and not (tmp_path / "o.onnx").exists()


def rich_model() -> ModelProto:
    """Weights, a loop, a branch, and a call: something of each kind of message."""
    body = graph(
        [node("Identity", ["c"], ["d"]), node("Add", ["i", "x"], ["o"])],
        [value("n", 7, []), value("c", 9, []), value("i", F32, [2])],
        [value("d", 9, []), value("o", F32, [2])],
    )
    nodes = [
        node("Mul", ["x", "w"], ["a"], name="first"),
        node("Loop", ["", "", "a"], ["b"], body=body),
        node("F", ["b"], ["y"], domain="d"),
    ]
    imports = [helper.make_opsetid("", 17)]
    call = helper.make_function("d", "F", ["a"], ["b"], [node("LeakyRelu", ["a"], ["b"], alpha=0.5)], imports)
    return model(nodes, [X], [Y], [constant("w", np.ones(2, np.float32))], functions=[call], domains=["d"])


def told_or_converted(data: bytes, folder: Path, capsys: Said) -> int:
    """Convert damaged bytes, and return the status: what is said of them is clear, what is written can be read."""
    path, out = folder / "m.onnx", folder / "out.onnx"
    path.write_bytes(data)
    out.unlink(missing_ok=True)
    status = main([str(path), "-o", str(out), "--policy", "autocast-f16"])
    err = capsys.readouterr().err
    assert "Traceback" not in err and status in (0, 2)
    assert (status == 2) == ("error[" in err) == (not out.exists())
    if status == 0:
        ModelProto.FromString(out.read_bytes())
    return status


def test_a_file_that_ends_too_early(tmp_path: Path, capsys: Said) -> None:
    data = rich_model().SerializeToString()
    cuts = range(0, len(data), 13)
    found = [told_or_converted(data[:cut], tmp_path, capsys) for cut in cuts]
    assert found.count(2) > 0.8 * len(cuts)


def flipped(seed: int) -> bytes:
    source, data = random.Random(seed), bytearray(rich_model().SerializeToString())
    for _ in range(source.choice([1, 1, 2, 8])):
        data[source.randrange(len(data))] ^= 1 << source.randrange(8)
    return bytes(data)


@pytest.mark.parametrize("seed", range(20))
def test_bits_that_are_flipped(seed: int, tmp_path: Path, capsys: Said) -> None:
    told_or_converted(flipped(seed), tmp_path, capsys)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20, 220))
def test_many_bits_that_are_flipped(seed: int, tmp_path: Path, capsys: Said) -> None:
    told_or_converted(flipped(seed), tmp_path, capsys)


def odd_attributes(name: str) -> list[AttributeProto]:
    held = ["text", 1.5, -9, [1, 2], [0.5], ["a"], constant("t", np.ones(2, np.float32)), graph([], [], [])]
    return [*(helper.make_attribute(name, one) for one in held), AttributeProto(name=name)]


@pytest.mark.parametrize(
    ("op", "name", "inputs"),
    [
        ("Cast", "to", ["x"]),
        ("Transpose", "perm", ["x"]),
        ("LeakyRelu", "alpha", ["x"]),
        ("Softmax", "axis", ["x"]),
        ("Conv", "pads", ["x", "w"]),
        ("Constant", "value", []),
        ("Constant", "value_float", []),
        ("ConstantOfShape", "value", ["x"]),
        ("EyeLike", "dtype", ["x"]),
        ("If", "then_branch", ["x"]),
        ("Loop", "body", ["", "", "x"]),
        ("Scan", "num_scan_inputs", ["x"]),
    ],
)
def test_attributes_of_another_type_do_no_harm(op: str, name: str, inputs: list[str]) -> None:
    """What a schema does not allow is carried as it is, and nothing that is read is made worse."""
    for attribute in odd_attributes(name):
        made = node(op, inputs, ["t"])
        made.attribute.append(attribute)
        source = model([made, node("MatMul", ["t", "w"], ["y"])], [X], [Y], [constant("w", np.ones(2, np.float32))])
        try:
            module = load(source)
        except OnnxError as error:
            assert str(error)
            continue
        assert why_different(source, to_proto(module)) is None
        converted, _ = passes.convert(module, "autocast-f16")
        assert [one.op_type for one in to_proto(converted).graph.node if one.op_type == op]


@pytest.mark.parametrize("policy", ["autocast-f16", "autocast-bf16"])
@pytest.mark.parametrize("op", ["If", "Loop", "Scan"])
@pytest.mark.parametrize("n_inputs", range(5))
@pytest.mark.parametrize("n_outputs", range(4))
def test_regions_that_do_not_fit_their_node(op: str, n_inputs: int, n_outputs: int, policy: str) -> None:
    """More and fewer arguments and results than the node hands over, and any number of what is scanned."""
    names = [f"i{at}" for at in range(n_inputs)]
    nodes = [node("Mul", [names[0] if names else "x", "x"], [f"o{at}"]) for at in range(n_outputs)]
    region = graph(nodes, [value(name) for name in names], [value(one.output[0]) for one in nodes])
    numbers = [-9, 0, 1, 2, 7] if op == "Scan" else [0]
    attributes = {"If": ["then_branch", "else_branch"], "Loop": ["body"], "Scan": ["body"]}[op]
    for number in numbers:
        inputs = {"If": ["c"], "Loop": ["", "c", "a"], "Scan": ["a", "a"]}[op]
        made = node(op, inputs, ["t", "u"][: 1 + (op == "Scan")], **dict.fromkeys(attributes, region))
        made.attribute.extend([helper.make_attribute("num_scan_inputs", number)] * (op == "Scan"))
        product = [node("MatMul", ["x", "w"], ["a"]), made, node("MatMul", ["t", "w"], ["y"])]
        source = model(product, [X, value("c", BOOL, [])], [Y], [constant("w", np.eye(2, dtype=np.float32))])
        converted, _ = passes.convert(load(source), policy)
        assert why_different(source, to_proto(load(source))) is None
        assert op in {one.op_type for one in to_proto(converted).graph.node}


def test_a_file_of_many_nodes_in_a_row_is_no_deep_one(tmp_path: Path) -> None:
    """A chain, and a chain of calls, of more than a thousand: nothing goes down into it by calling itself."""
    names = ["x", *(f"v{at}" for at in range(1499)), "y"]
    nodes = [node("Relu", [a], [b]) for a, b in zip(names, names[1:], strict=False)]
    long = model(nodes, [X], [Y])
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    made = [
        helper.make_function(
            "local", f"F{at}", ["a"], ["b"], [node(f"F{at + 1}", ["a"], ["b"], domain="local")], imports
        )
        for at in range(1200)
    ]
    made.append(helper.make_function("local", "F1200", ["a"], ["b"], [node("Relu", ["a"], ["b"])], imports))
    calls = model([node("F0", ["x"], ["y"], domain="local")], [X], [Y], functions=made, domains=["local"])
    for source in (long, calls):
        result = to_proto(passes.convert(load(source), "autocast-f16")[0])
        assert list(result.functions) == list(source.functions)
        assert [one.op_type for one in result.graph.node if one.op_type != "Cast"] == [
            one.op_type for one in source.graph.node
        ]


def test_the_model_that_is_damaged_is_fine_before(tmp_path: Path, capsys: Said) -> None:
    onnx.checker.check_model(rich_model(), full_check=True)
    for proto in (rich_model(), chain()):
        assert told_or_converted(proto.SerializeToString(), tmp_path, capsys) == 0
