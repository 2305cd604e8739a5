"""Generic instructions, without onnx: what the core promises of an instruction holds for them too."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from onnx import TensorProto

from runtime.builtin import Opaque, Yield
from runtime.constants import Constant
from runtime.dtypes import f16, f32, i64
from runtime.functions import Function
from runtime.generic import Initializer, OnnxNode, Region, function_name
from runtime.onnx_codes import CODE_OF_DTYPE, DTYPE_OF_CODE
from runtime.types import Type
from tests.tree import ROOT

T = Type.tensor(f32, (2,))


def conv() -> tuple[Function, OnnxNode]:
    function = Function("main")
    x, w = (function.body.add_argument(T, name) for name in "xw")
    node = OnnxNode("Conv", [x, w, None, x], {"group": 1}, result_types=[T])
    function.body.append(node)
    return function, node


def test_whatever_sets_the_fields_of_an_instruction_by_itself_sets_all() -> None:
    """An `Opaque` goes through the constructor of `Instruction`; nodes, of which models have many, do not."""
    x = Opaque("test.op", result_types=[T])
    nodes = (OnnxNode("Neg", [x], result_types=[T]), OnnxNode.of_one("Neg", x, {}, T))
    for inst in (*nodes, x):
        slots = {slot for cls in type(inst).__mro__ for slot in getattr(cls, "__slots__", ())}
        assert (
            slots >= {"extras", "loc", "name", "type"} and {slot for slot in slots if not hasattr(inst, slot)} == set()
        )


def test_text_shows_operands_by_position() -> None:
    _, node = conv()
    assert node.rhs_str() == 'onnx.node "ai.onnx::Conv" %x, %w, none, %x'
    assert OnnxNode("Op", [], domain="com.example").rhs_str() == 'onnx.node "com.example::Op"'


def test_operands_are_replaced_wherever_they_stand() -> None:
    function, node = conv()
    x, w = function.args
    assert x.n_uses == 2 and node.operands() == (x, w, x)
    x.replaceAllUsesWith(w)
    assert list(node.values) == [w, w, None, w] and w.n_uses == 3 and not x.has_users
    node.set_value(0, x)
    node.set_value(2, x)
    node.set_value(3, None)
    assert list(node.values) == [x, w, x, None] and (x.n_uses, w.n_uses) == (2, 1)
    node.eraseFromParent()
    assert not x.has_users and not w.has_users


def test_a_clone_has_all_of_it() -> None:
    function = Function("main")
    (x,) = (function.body.add_argument(T, name) for name in "x")
    x.default = Constant.of(np.ones(2, np.float32), f32)
    node = OnnxNode(
        "Op",
        [x, None],
        {"body": Region(0), "k": 1, "more": (Region(1),)},
        result_types=[Type.unknown(), T],
        domain="d",
        overload="o",
        node_name="n",
        absent=[0],
        n_regions=2,
        loc="file:1",
    )
    node.carried = b"rest"
    node.rounding = "user"
    node.results[1].name = "r"
    function.body.append(node)
    for block in node.blocks:
        argument = block.add_argument(T, "a")
        relu = OnnxNode("Relu", [argument], result_types=[T])
        block.carried = b"shell"
        block.append(relu)
        block.append(Yield([relu, x]))
    copy = function.clone()
    (again,) = [inst for inst in copy.body if isinstance(inst, OnnxNode)]
    for field in ("op_type", "domain", "overload", "node_name", "absent", "attributes", "carried", "rounding", "loc"):
        assert getattr(again, field) == getattr(node, field)
    assert again.region_names == ("body", "more[0]") and again.callee == "d::Op::o"
    assert again.values == (copy.args[0], None) and copy.args[0].default is x.default
    assert [result.type for result in again.results] == [Type.unknown(), T] and again.results[1].name == "r"
    assert [block.carried for block in again.blocks] == [b"shell", b"shell"]
    assert [inst.operands()[-1] for inst in again.region("body") if isinstance(inst, Yield)] == [copy.args[0]]
    again.attributes["k"] = 2
    assert node.attributes["k"] == 1
    with pytest.raises(KeyError):
        node.region("k")


def test_an_initializer_follows_its_value() -> None:
    weight = Initializer(Constant.of(np.ones(2, np.float32), f32))
    assert weight.type is T
    weight.value = Constant.of(np.ones(3, np.float32), f16)
    assert weight.type is Type.tensor(f16, (3,))
    assert weight.clone({}).value is weight.value


def test_functions_are_called_by_domain_and_name() -> None:
    assert function_name("d", "F") == "d::F" and function_name("d", "F", "o") == "d::F::o"


def test_element_types_have_the_numbers_that_onnx_gives_them() -> None:
    names = {
        "FLOAT": "f32",
        "DOUBLE": "f64",
        "BFLOAT16": "bf16",
        "BOOL": "bool",
        "FLOAT8E4M3FN": "f8e4m3fn",
        "FLOAT8E5M2": "f8e5m2",
        "FLOAT8E8M0": "f8e8m0",
        "FLOAT4E2M1": "f4e2m1",
        "FLOAT16": "f16",
    }
    for code, dtype in DTYPE_OF_CODE.items():
        name = TensorProto.DataType.Name(code)
        assert dtype.name == names.get(name, name.lower().replace("uint", "u").replace("int", "i"))
    assert CODE_OF_DTYPE[i64] == 7 and len(CODE_OF_DTYPE) == len(DTYPE_OF_CODE)


def test_generic_instructions_need_no_onnx() -> None:
    program = (
        "import sys; sys.modules.update(onnx=None); import runtime.generic, runtime.onnx_codes, runtime.lazy_tensors"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=60)
