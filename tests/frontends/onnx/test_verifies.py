"""The verifier and models: what the checker of onnx accepts has nothing wrong, and what an edit breaks is found."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import AttributeProto, ModelProto, helper

from frontends.onnx import load
from passes.precision.convert import convert
from runtime.bir import bir_text, read_bir
from runtime.builtin import Return, Terminator, Yield
from runtime.constants import Constant
from runtime.dtypes import f16, f32, i64
from runtime.functions import Function, Module
from runtime.generic import EmptyList, Initializer, OnnxNode, Region
from runtime.instruction_set import standard
from runtime.instructions import Instruction
from runtime.types import Type
from runtime.verifier import verify
from tests.frontends.onnx.models import BOOL, F32, I64, constant, graph, initializers_of, model, node, nodes_of, value
from tests.frontends.onnx.test_bir_law import corpus
from tests.frontends.onnx.test_speed import residual


def found(module: Module) -> list[str]:
    return [diagnostic.render() for diagnostic in verify(module)]


def wrong(models: list[tuple[str, ModelProto]]) -> dict[str, list[str]]:
    """What the verifier says of models as they are read, as they come back from BIR, and after a conversion."""
    mistakes = {}
    for name, proto in models:
        onnx.checker.check_model(proto)
        module = load(proto)
        again = read_bir(bir_text(module), standard())
        converted = [convert(module, policy)[0] for policy in ("autocast-f16", "autocast-bf16")]
        mistakes[name] = [said for each in (module, again, *converted) for said in found(each)]
    return {name: said for name, said in mistakes.items() if said}


def test_some_models_have_nothing_wrong() -> None:
    assert wrong(corpus()[::17]) == {}


@pytest.mark.long
def test_all_models_have_nothing_wrong() -> None:
    models = corpus()
    assert len(models) >= 2000
    assert wrong(models) == {}


def everything() -> ModelProto:
    """A model with regions, captures, absent operands and results, a default, and a local function."""
    then_branch = graph([node("Add", ["c", "w"], ["t"])], outputs=[value("t")])
    else_branch = graph([node("Neg", ["c"], ["e"])], outputs=[value("e")])
    step = graph(
        [node("Add", ["v", "t0"], ["v2"])],
        [value("i", I64, []), value("go", BOOL, []), value("v")],
        [value("go", BOOL, []), value("v2"), value("v2")],
    )
    elu = node("Elu", ["a"], ["b"])
    elu.attribute.add(name="alpha", type=AttributeProto.FLOAT, ref_attr_name="slope")
    function = helper.make_function("d", "F", ["a"], ["b"], [elu], [helper.make_opsetid("", 17)], ["slope"])
    nodes = [
        node("Clip", ["x", "", "hi"], ["c"], name="clip"),
        node("Top", ["c", "k"], ["", "index"], domain="d", axis=0),
        node("If", ["p"], ["t0"], then_branch=then_branch, else_branch=else_branch),
        node("Loop", ["n", "", "c"], ["r", "s"], body=step),
        node("F", ["r"], ["y"], domain="d", slope=0.5),
    ]
    inputs = [value("x"), value("p", BOOL, []), value("n", I64, []), value("w")]
    outputs = [value("y"), value("s", F32, ["m", 2]), value("index", I64, [1])]
    weights = [
        constant("w", np.ones(2, np.float32)),
        constant("hi", np.float32(6)),
        constant("k", np.ones(1, np.int64)),
    ]
    return model(nodes, inputs, outputs, weights, functions=[function], domains=["d"])


class Broken:
    """The model above as a module, and ways to reach its parts."""

    def __init__(self) -> None:
        self.module = load(everything())
        self.main = self.module.root_function
        self.clip, self.top, self.branch, self.loop = (
            nodes_of(self.module, op)[0] for op in ("Clip", "Top", "If", "Loop")
        )
        self.call = next(one for one in nodes_of(self.module) if one.op_type == "F")
        self.weight = initializers_of(self.module)[0]
        self.function: Function = self.module.functions["d::F"]

    def inside(self, op: str) -> OnnxNode:
        """The node in the branch that adds, or in the one that negates."""
        return next(one for one in nodes_of(self.module, op) if self.branch in one.enclosing)

    @property
    def end(self) -> Terminator:
        """The end of the body of the loop."""
        end = self.loop.region("body").terminator
        assert isinstance(end, Terminator)
        return end


def poke(holder: Any, **fields: Any) -> None:
    """Set fields that nobody may set."""
    for name, held in fields.items():
        setattr(holder, name, held)


def _return_in_region(b: Broken) -> None:
    b.end.eraseFromParent()
    b.loop.blocks[0].append(Return([b.clip]))


def _behind_the_end(b: Broken) -> None:
    b.loop.blocks[0].append(OnnxNode("Relu", [b.clip], result_types=[b.clip.type]))


def _in_another_function(b: Broken) -> None:
    b.function.body.first.set_value(0, b.clip)  # type: ignore[union-attr]


def _in_another_region(b: Broken) -> None:
    b.end.replaceUseOfWith(b.end.values[0], b.inside("Neg"))


F = Type.tensor(f32, (2,))

WAYS: dict[str, tuple[Callable[[Broken], object], list[str]]] = {
    # Structure.
    "a link is cut": (lambda b: poke(b.top, prev=None), ["V001"]),
    "a region of somebody else": (lambda b: poke(b.branch.blocks[0], owner=b.loop), ["V001"]),
    "a function under another name": (lambda b: poke(b.function, name="d::G"), ["V002"]),
    "a region without an end": (lambda b: b.end.eraseFromParent(), ["V003"]),
    "a return in a region": (_return_in_region, ["V003"]),
    "a node behind the end": (_behind_the_end, ["V003", "V003"]),
    "a yield at the end of a graph": (lambda b: b.main.body.append(Yield([])), ["V003", "V003"]),
    # Regions and attributes.
    "a region that is not there": (lambda b: b.loop.attributes.update(body=Region(1)), ["V006"]),
    "a region counted from the end": (lambda b: b.loop.attributes.update(body=Region(-1)), ["V006"]),
    "a region by a text": (lambda b: b.loop.attributes.update(body=Region("0")), ["V006"]),  # type: ignore[arg-type]
    "a region twice": (lambda b: b.branch.attributes.update(then_branch=b.branch.attributes["else_branch"]), ["V006"]),
    "a region twice in a list": (lambda b: b.loop.attributes.update(more=(Region(0),)), ["V006"]),
    "a region of no attribute": (lambda b: b.branch.attributes.pop("else_branch"), ["V006"]),
    # Names, and what is carried.
    "a name that is a number": (lambda b: poke(b.clip, name=12), ["V007"]),
    "a name in bytes": (lambda b: poke(b.main.args[0], name=b"x"), ["V007"]),
    "a node that carries text": (lambda b: poke(b.clip, carried="doc"), ["V007"]),
    "a graph that carries an object": (lambda b: poke(b.main.body, carried=everything().graph), ["V007"]),
    "a program that carries text": (lambda b: poke(b.module, carried=""), ["V007"]),
    # Uses.
    "a use-list that lacks a use": (lambda b: poke(b.weight, _uses=None), ["V010"]),
    "a use-list with one too many": (lambda b: b.clip.addUser(b.top), ["V010"]),
    "an operand that was taken out behind its back": (lambda b: poke(b.clip, _values=(None,) * 3), ["V010", "V010"]),
    "a node before what it uses": (lambda b: b.call.moveBefore(b.clip), ["V020"]),
    "a region before what it captures": (lambda b: b.branch.moveBefore(b.clip), ["V020", "V020"]),
    "a node in its own region": (lambda b: b.inside("Add").set_value(1, b.branch), ["V020"]),
    "a value of a region outside": (lambda b: b.call.set_value(0, b.inside("Add")), ["V021"]),
    "a value of another region": (_in_another_region, ["V021"]),
    "an argument of a region outside": (lambda b: b.call.set_value(0, b.loop.blocks[0].arguments[2]), ["V021"]),
    "a value of another function": (_in_another_function, ["V022"]),
    "a value that stands nowhere": (lambda b: b.call.set_value(0, OnnxNode("Op", result_types=[F])), ["V022"]),
    "an operand that is no value": (lambda b: poke(b.top, _values=(b.clip, "k")), ["V010", "V034"]),
    # Attributes.
    "a bool": (lambda b: b.top.attributes.update(sorted=True), ["V040"]),
    "a number of numpy": (lambda b: b.top.attributes.update(axis=np.int64(1)), ["V040"]),
    "an array": (lambda b: b.top.attributes.update(value=np.ones(2)), ["V040"]),
    "nothing": (lambda b: b.top.attributes.update(axis=None), ["V040"]),
    "a list in Python": (lambda b: b.top.attributes.update(axes=[1, 2]), ["V040"]),
    "an empty tuple": (lambda b: b.top.attributes.update(axes=()), ["V040"]),
    "a tuple of two kinds": (lambda b: b.top.attributes.update(axes=(1, "a")), ["V040"]),
    "an empty list in a list": (lambda b: b.top.attributes.update(axes=(EmptyList("int"),)), ["V040"]),
    "a block in place of a region": (lambda b: b.loop.attributes.update(body=b.loop.blocks[0]), ["V040", "V006"]),
    "an attribute without a name": (lambda b: b.top.attributes.update({1: 1}), ["V040"]),  # type: ignore[dict-item]
    "an operator that is no text": (lambda b: poke(b.top, op_type=7), ["V040"]),
    "an operator without a name": (lambda b: poke(b.top, op_type=""), ["V041"]),
    "no domain": (lambda b: poke(b.top, domain=""), ["V041"]),
    "absent results by name": (lambda b: poke(b.top, _absent=("index",)), ["V040"]),
    # Results.
    "an absent result that is not there": (lambda b: poke(b.top, _absent=(0, 2)), ["V054"]),
    "an absent result counted from the end": (lambda b: poke(b.top, _absent=(-2,)), ["V054"]),
    "an absent result twice": (lambda b: poke(b.top, _absent=(0, 0)), ["V054"]),
    "an absent result that is used": (lambda b: b.call.set_value(0, b.top), ["V054"]),
    "an absent result with a name": (lambda b: poke(b.top, name="values"), ["V054"]),
    "an absent result with a type": (lambda b: poke(b.top, type=b.clip.type), ["V054"]),
    # Operator sets.
    "an operator of no set": (lambda b: poke(b.top, domain="com.exampel"), ["V063"]),
    "no set of the operators of a function": (lambda b: poke(b.function, operator_sets={"d": 1}), ["V063"]),
    "a domain that is no text": (lambda b: poke(b.function, operator_sets={1: 17}), ["V063", "V063"]),
    "a version in text": (lambda b: b.main.operator_sets.update({"ai.onnx": "17"}), ["V063"]),  # type: ignore[dict-item]
    # Tensors.
    "an initializer with another type": (lambda b: b.weight.mutateDstTy(f16), ["V082"]),
    "an initializer with another tensor": (lambda b: poke(b.weight, _value=Constant.of([1, 2], i64)), ["V082"]),
    "a default with another type": (lambda b: poke(b.main.args[3], default=Constant.of([1, 2], i64)), ["V082"]),
    "a default of another shape": (lambda b: poke(b.main.args[3], default=Constant.of([1, 2, 3], f32)), ["V082"]),
    "a default that is no tensor": (lambda b: poke(b.main.args[3], default=1.0), ["V082"]),
    "an initializer that holds an array": (lambda b: poke(b.weight, _value=np.ones(2)), ["V040"]),
}  # fmt: skip


def test_the_model_that_is_broken_has_nothing_wrong_before() -> None:
    onnx.checker.check_model(everything(), full_check=True)
    assert found(Broken().module) == []
    assert found(convert(Broken().module)[0]) == []


@pytest.mark.parametrize("way", WAYS)
def test_a_module_that_was_broken_by_hand(way: str) -> None:
    broken = Broken()
    edit, expected = WAYS[way]
    edit(broken)
    diagnostics = verify(broken.module)
    assert [diagnostic.code for diagnostic in diagnostics] == expected, "\n\n".join(map(str, diagnostics))
    assert all(diagnostic.place is not None for diagnostic in diagnostics)


def test_how_much_a_region_yields_is_not_asked() -> None:
    broken = Broken()
    end = broken.end
    end.eraseFromParent()
    broken.loop.blocks[0].append(Yield([]))
    assert found(broken.module) == []  # the front end knows what a Loop needs; here it is a node like any other


def test_onnx_refuses_too_what_states_no_version() -> None:
    proto = everything()
    proto.graph.node[1].domain = "com.exampel"
    with pytest.raises(onnx.checker.ValidationError, match=r"No opset import for domain 'com.exampel'"):
        onnx.checker.check_model(proto)
    (said,) = found(load(proto))
    assert 'error[V063]: no version of the operator set "com.exampel" is stated; @main has "ai.onnx" and "d"' in said


def test_a_model_from_before_operator_sets_states_none() -> None:
    proto = model([node("Relu", ["x"], ["y"])], [value("x")], [value("y")], ir_version=2)
    del proto.opset_import[:]
    onnx.checker.check_model(proto)
    assert found(load(proto)) == []


def test_a_program_that_was_built_needs_no_model() -> None:
    module = Module()
    function = module.add_function(Function("main"))
    weight = Initializer(Constant.of([1.0, 2.0], f32))
    relu = OnnxNode("Relu", [weight], result_types=[Type.tensor(f32, (2,))])
    statements: list[Instruction] = [weight, relu, Return([relu])]
    for each in statements:
        function.body.append(each)
    assert found(module) == []


@pytest.mark.bench
def test_the_time_grows_with_the_model() -> None:
    """Nodes as in a network of convolutions, with their weights."""
    seconds = []
    for blocks in (1429, 1429 * 4):
        module = load(residual(blocks))
        times = []
        for _ in range(3):
            start = process_time()
            assert verify(module) == []
            times.append(process_time() - start)
        seconds.append(min(times))
    print(f"{seconds[0]:.3f} s for 10,003 nodes; {seconds[1] / seconds[0]:.1f} times as long for 4 times as many")
    assert seconds[0] < 1.0
    assert seconds[1] / seconds[0] < 6
