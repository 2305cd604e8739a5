"""Models through text: print, parse and print give the same text, the same program, the same model. No exceptions."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, external_data_helper, helper

import frontends.onnx.equality as models
import runtime
from frontends.onnx import BrokenModelError, ExternalDataError, load, save, to_proto
from frontends.onnx.evaluate import evaluator
from runtime.constants import Constant
from runtime.dtypes import f16, f32
from runtime.equality import why_different
from runtime.functions import Module
from runtime.generic import Initializer
from runtime.lazy_tensors import LazyTensor
from runtime.text.printer import print_module, write_module
from tests.frontends.onnx.models import (
    BOOL,
    F32,
    I64,
    chain,
    check_uses,
    constant,
    graph,
    initializers_of,
    model,
    node,
    nodes_of,
    value,
)
from tests.frontends.onnx.node_cases import cases
from tests.frontends.onnx.test_corpus import FILES
from tests.frontends.onnx.test_lossless import random_graphs
from tests.tree import ROOT


def through_text(module: Module) -> Module:
    """Return what is read from the text of a module; it is the same program, and its text is the same."""
    text = print_module(module)
    again = runtime.parse(text)
    assert print_module(again) == text
    assert why_different(again, module) is None
    check_uses(again)
    return again


def why_lost(proto: ModelProto) -> str | None:
    """Return what of a model is not the same after text, or None."""
    module = load(proto)
    text = print_module(module)
    again = runtime.parse(text)
    if print_module(again) != text:
        return "the text"
    return why_different(again, module) or models.why_different(to_proto(again), to_proto(module))


def lost(chosen: Iterable[tuple[str, ModelProto]]) -> dict[str, str]:
    return {name: why for name, proto in chosen if (why := why_lost(proto))}


def corpus() -> list[tuple[str, ModelProto]]:
    """The model files in the installed onnx, and the models of its node tests."""
    files = [(str(path), onnx.load(path, load_external_data=False)) for path in FILES]
    return files + [(case.name, case.model) for case in cases()]


def test_some_models_come_back() -> None:
    chosen = corpus()[::17]
    assert len(chosen) >= 100
    assert lost(chosen) == {}


@pytest.mark.long
def test_all_models_come_back() -> None:
    chosen = corpus()
    assert len(chosen) >= 2000
    assert lost(chosen) == {}


@given(random_graphs())
@settings(max_examples=40)
def test_models_at_random_come_back(proto: GraphProto) -> None:
    assert why_lost(helper.make_model(proto, opset_imports=[helper.make_opsetid("", 17)])) is None


@pytest.mark.long
@given(random_graphs())
@settings(max_examples=1000)
def test_many_models_at_random_come_back(proto: GraphProto) -> None:
    assert why_lost(helper.make_model(proto, opset_imports=[helper.make_opsetid("", 17)])) is None


# What the text shows, one kind a test.


def lines_of(proto: ModelProto) -> list[str]:
    """Return the lines of the text of a model that comes back, without what is carried."""
    assert why_lost(proto) is None
    return [line.strip() for line in print_module(load(proto)).splitlines() if "carried" not in line]


def test_a_chain() -> None:
    assert lines_of(chain()) == [
        'func @main(%x: f32[2]) opset {"ai.onnx" = 17} {',
        "%w: f32[2] = onnx.initializer {value = dense<1.0>}",
        '%s: f32[2] = onnx.node "ai.onnx::Add" %x, %w {node_name = "add"}',
        '%y: f32[2] = onnx.node "ai.onnx::Relu" %s {node_name = "relu"}',
        "return %y",
        "}",
        "",
    ]


def test_absent_operands_and_results() -> None:
    nodes = [node("Clip", ["x", "", "hi"], ["c"]), node("Unique", ["c"], ["", "", "inverse", ""])]
    inputs = [value("x"), value("hi", F32, [])]
    found = lines_of(model(nodes, inputs, [value("c"), value("inverse", I64, ["n"])]))
    assert found[1:3] == [
        '%c: f32[2] = onnx.node "ai.onnx::Clip" %x, none, %hi',
        '%0: unknown, %1: unknown, %inverse: i64[n], %2: unknown = onnx.node "ai.onnx::Unique" %c '
        "{absent = [0, 1, 3]}",
    ]


def test_the_dtype_of_a_cast_is_the_number_that_the_model_has_as_the_grammar_shows() -> None:
    found = lines_of(
        model([node("Cast", ["x"], ["b"], to=TensorProto.BOOL)], [value("x")], [value("b", TensorProto.BOOL)])
    )
    line = found[1].partition(" = ")[2]
    assert line == 'onnx.node "ai.onnx::Cast" %x {to = 9}'
    assert line.replace("%x", "%k") in (ROOT / "runtime/text/grammar.md").read_text(encoding="utf-8")


def test_attributes_of_every_kind() -> None:
    tensor = constant("", np.ones(2, np.float32))
    sparse = helper.make_sparse_tensor(constant("v", np.ones(1, np.float32)), constant("i", np.zeros(1, np.int64)), [4])
    plain = helper.make_tensor_type_proto(F32, [2, "n", None])
    attributes = {
        **{"i": -3, "f": 0.5, "s": "text", "b": b"\xff\x00", "t": tensor, "type": plain, "loc": 1, "a b": 2},
        **{"ints": [1, 2**62], "floats": [2.0, float("inf"), -0.0], "strings": ["a", ""], "types": [plain, plain]},
        **{"tensors": [tensor, tensor], "sparse": sparse, "map": helper.make_map_type_proto(I64, plain)},
    }
    one = NodeProto(op_type="Op", input=["x"], output=["y"], domain="d")
    one.attribute.extend(helper.make_attribute(name, held) for name, held in attributes.items())
    one.attribute.add(name="none", type=AttributeProto.INTS)
    one.attribute.add(name="two", type=AttributeProto.INT, i=1, f=1.0)
    one.attribute.add(name="documented", type=AttributeProto.INT, i=1, doc_string="one")
    text = print_module(load(model([one], [value("x")], [value("y")], domains=["d"])))
    assert lines_of(model([one], [value("x")], [value("y")], domains=["d"]))
    for shown in (
        '{i = -3, f = 0.5, s = "text", b = bytes<"ff00">, t = f32[2] dense<1.0>, type = f32[2,n,?], "loc" = 1,',
        '"a b" = 2, ints = [1, 4611686018427387904], floats = [2.0, inf, -0.0], strings = ["a", ""],',
        "types = [f32[2,n,?], f32[2,n,?]],",
        "tensors = [f32[2] dense<1.0>, f32[2] dense<1.0>], sparse = f32[4] dense<[1.0, 0.0, 0.0, 0.0]> carried<",
        "none = empty<int>, two = encoded<",
    ):
        assert shown in text


def test_regions_stand_under_the_names_of_their_attributes() -> None:
    then = graph([node("Add", ["x", "s"], ["t"])], outputs=[value("t")], name="then")
    other = graph([], outputs=[value("s")], name="else")
    nodes = [node("Neg", ["x"], ["s"]), node("If", ["c"], ["y"], then_branch=then, else_branch=other)]
    found = lines_of(model(nodes, [value("x"), value("c", BOOL, [])], [value("y")]))
    assert found[2:8] == [
        '%y: f32[2] = onnx.node "ai.onnx::If" %c else_branch {',
        "yield %s",
        "} then_branch {",
        '%t: f32[2] = onnx.node "ai.onnx::Add" %x, %s',
        "yield %t",
        "}",
    ]


def test_a_region_may_use_names_again_that_are_visible_or_will_be() -> None:
    body = graph(
        [node("Add", ["x", "i"], ["i2"]), node("Neg", ["i2"], ["x"]), node("Identity", ["x"], ["y"])],
        [value("n", I64, []), value("go", BOOL, []), value("i")],
        [value("go", BOOL, []), value("y")],
    )
    nodes = [node("Loop", ["m", "", "x"], ["y"], body=body)]
    found = lines_of(model(nodes, [value("x"), value("m", I64, [])], [value("y")]))
    assert found[3:5] == [
        '%x_1 "x": f32[*] = onnx.node "ai.onnx::Neg" %i2',
        '%y: f32[2] = onnx.node "ai.onnx::Identity" %x_1',
    ]


def test_names_of_digits_are_names() -> None:
    proto = model([node("Relu", ["12"], ["13"]), node("Neg", ["13"], ["0"])], [value("12")], [value("0")])
    assert lines_of(proto)[1] == '%"13": f32[2] = onnx.node "ai.onnx::Relu" %"12"'
    assert [one.name for one in nodes_of(through_text(load(proto)))] == ["13", "0"]


def test_defaults_of_arguments_keep_their_order_among_the_initializers() -> None:
    nodes = [node("Add", ["x", "b"], ["s"]), node("Mul", ["s", "a"], ["t"]), node("Add", ["t", "c"], ["y"])]
    constants = [constant(name, np.full(2, at, np.float32)) for at, name in enumerate("cba")]
    proto = model(nodes, [value("x"), value("a"), value("b", F32, ["n"])], [value("y")], constants, ir_version=3)
    expected = "func @main(%x: f32[2], %a: f32[2] = dense<2.0>, %b: f32[n] = f32[2] dense<1.0>)"
    assert lines_of(proto)[0].startswith(expected)


def test_local_functions() -> None:
    inner = node("Elu", ["a"], ["b"])
    inner.attribute.add(name="alpha", type=AttributeProto.FLOAT, ref_attr_name="slope")
    function = helper.make_function("local", "Act", ["a"], ["b"], [inner], [helper.make_opsetid("", 16)], ["slope"])
    function.overload = "scaled"
    call = node("Act", ["x"], ["y"], domain="local", slope=0.5)
    call.overload = "scaled"
    found = lines_of(model([call], [value("x")], [value("y")], functions=[function], domains=["local"], ir_version=10))
    assert found[1] == '%y: f32[2] = onnx.node "local::Act" %x {slope = 0.5, overload = "scaled"}'
    assert 'func @"local::Act::scaled"(%a: unknown) opset {"ai.onnx" = 16} {' in found
    assert '%b: unknown = onnx.node "ai.onnx::Elu" %a {alpha = @slope: float}' in found


# Tensors.


def tensor_of(name: str, code: int, elements: list[Any]) -> TensorProto:
    return helper.make_tensor(name, code, [len(elements)], elements)


def odd_tensors() -> list[TensorProto]:
    """Tensors of which the IR has no elements, or not each bit, or to which there is more than elements."""
    documented = constant("documented", np.ones(2, np.float32))
    documented.doc_string = "doc"
    typed = TensorProto(name="typed", data_type=TensorProto.FLOAT16, dims=[3], int32_data=[1, 2, 0x7E01])
    text = tensor_of("text", TensorProto.STRING, [b"a", b"\xff"])
    complex_ = tensor_of("complex", TensorProto.COMPLEX64, [1 + 2j])
    finite = TensorProto(name="finite", data_type=TensorProto.FLOAT8E4M3FNUZ, dims=[2], raw_data=b"\x01\x80")
    flags = TensorProto(name="flags", data_type=TensorProto.BOOL, dims=[3], raw_data=b"\x00\x01\x07")
    nibbles = TensorProto(name="nibbles", data_type=TensorProto.INT4, dims=[3], raw_data=b"\x21\xf8")
    nothing = constant("nothing", np.zeros((0, 2), np.int64))
    return [documented, typed, text, complex_, finite, flags, nibbles, nothing]


@pytest.mark.parametrize("tensor", odd_tensors(), ids=lambda tensor: tensor.name)
def test_an_odd_tensor_comes_back_from_an_attribute_an_initializer_and_a_default(tensor: TensorProto) -> None:
    given_tensor = TensorProto()
    given_tensor.CopyFrom(tensor)
    given_tensor.name = "given"
    operator = node("Op", [tensor.name, "given"], ["y"], domain="d", t=tensor, several=[tensor, tensor])
    inputs = [value("given", tensor.data_type, tensor.dims)]
    assert why_lost(model([operator], inputs, [value("y")], [tensor, given_tensor], domains=["d"])) is None


def test_text_that_only_the_front_end_reads_can_be_computed_with() -> None:
    text = tensor_of("text", TensorProto.STRING, [b"b", b"a"])
    nodes = [node("Constant", [], ["k"], value=text), node("StringConcat", ["text", "k"], ["y"])]
    module = through_text(load(model(nodes, [], [value("y", TensorProto.STRING)], [text], opset=20)))
    (result,) = runtime.run(module, {}, evaluator=evaluator(module)).values()
    assert result.tolist() == ["bb", "aa"]


def test_a_weight_is_equal_to_the_constant_that_its_text_is_read_as() -> None:
    module = load(chain())
    again = through_text(module)
    (weight,) = initializers_of(again)
    assert isinstance(weight.value, Constant)
    weight.value = Constant.of([1.0, 2.0], f32)
    why = why_different(module, again)
    assert why == "@main: body[0] onnx.initializer: value: two constants of type f32[2] differ in their elements"
    weight.value = Constant.of([1.0, 1.0], f16)
    assert why_different(module, again) == "@main: body[0] onnx.initializer: type: f32[2] and f16[2]"


def external_model(folder: Path) -> Path:
    """Write a model with its weights beside it."""
    weights = [constant("w", np.arange(2, dtype=np.float32)), constant("z", np.array([1 + 2j], np.complex64))]
    proto = model([node("Op", ["w", "z"], ["y"], domain="d")], [], [value("y")], weights, domains=["d"])
    external_data_helper.convert_model_to_external_data(proto, location="data", size_threshold=0)
    onnx.save(proto, folder / "model.onnx")
    return folder / "model.onnx"


def test_data_from_beside_a_model_is_in_the_text_and_in_the_model_afterwards(tmp_path: Path) -> None:
    path = external_model(tmp_path)
    module = through_text(load(path))
    (tmp_path / "elsewhere").mkdir()
    save(module, tmp_path / "elsewhere" / "model.onnx")
    expected = onnx.load(path)  # with its data
    for tensor in expected.graph.initializer:
        del tensor.external_data[:]
        tensor.ClearField("data_location")
    assert models.why_different(expected, onnx.load(tmp_path / "elsewhere" / "model.onnx")) is None


def test_data_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    module = load(external_model(tmp_path))
    (tmp_path / "data").unlink()
    with pytest.raises(ExternalDataError, match='tensor "w".*"data"'):
        print_module(module)
    assert "%w: f32[2] = onnx.initializer {value = dense<elided>}" in print_module(without(module, "z"), elide=0)


def without(module: Module, name: str) -> Module:
    """Return a module without the initializer of a name, which is not fetched."""
    copy = module.clone()
    nodes_of(copy)[0].set_value(1, None)
    next(inst for inst in initializers_of(copy) if inst.name == name).eraseFromParent()
    return copy


def test_a_tensor_with_too_few_bytes_is_an_error() -> None:
    broken = TensorProto(name="w", data_type=F32, dims=[3], raw_data=b"1234")
    with pytest.raises(BrokenModelError, match='tensor "w" of shape .3. holds 4 bytes, not 12'):
        print_module(load(model([node("Relu", ["w"], ["y"])], [], [value("y")], [broken])))


class Counted(LazyTensor):
    """A large tensor that counts how often it is fetched."""

    fetched = 0

    @property
    def parts(self) -> tuple[Constant | None, bytes]:
        Counted.fetched += 1
        return Constant.of(np.arange(self.shape[0]), f32), b""


def test_what_is_elided_is_not_fetched() -> None:
    module = load(chain())
    (weight,) = initializers_of(module)
    weight.replaceWith(added := Initializer(Counted(f32, (200,))))
    module.root_function.body.insert(added, before=module.root_function.body.first)
    assert "dense<elided>" in print_module(module, elide=199)
    assert Counted.fetched == 0
    assert "dense<elided>" not in print_module(module, elide=200) and Counted.fetched == 1


def test_one_tensor_at_a_time_is_in_memory() -> None:
    size = 4 << 20
    weights = [constant(f"w{at}", np.arange(at, at + size // 4, dtype=np.int32)) for at in range(6)]
    weights[5].name = "x"  # an argument with a default
    operator = node("Op", [weight.name for weight in weights], ["y"], domain="d", w=weights[0])
    module = load(model([operator], [value("x", F32, None)], [value("y")], weights, domains=["d"]))
    file = Measuring()
    tracemalloc.start()
    write_module(module, file)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert file.size > 7 * size * 2
    assert peak < 8 * size, "the digits of one tensor, three times at most; all of them are 14 times the size"


class Measuring(StringIO):
    """A file that keeps nothing but its size."""

    size = 0

    def write(self, text: str, /) -> int:
        self.size += len(text)
        return len(text)


def test_text_is_read_without_onnx() -> None:
    text = print_module(load(chain()))
    program = (
        f"import sys; sys.modules.update(onnx=None); import runtime; text = {text!r}\n"
        "assert runtime.print_module(runtime.parse(text)) == text"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=60)
