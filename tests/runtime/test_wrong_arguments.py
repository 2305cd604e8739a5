"""Whoever builds a program and gives the wrong thing is told what it was, and what was expected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from generated.graph.BinaryGen import BinaryGen
from generated.graph.CastGen import CastGen
from generated.neuron.SBAtomStoreGen import SBAtomStoreGen
from generated.neuron.TensorReduceOpGen import TensorReduceOpGen
from generated.neuron.TensorTensorOpGen import TensorTensorOpGen
from runtime.access import NeuronAP
from runtime.builder import Builder
from runtime.builtin import Opaque, Return
from runtime.dtypes import bf16, f32
from runtime.functions import Function, Module
from runtime.generic import OnnxNode
from runtime.predicates import AffinePredicate
from runtime.tensors import DRAMTensor
from runtime.types import Type
from runtime.verifier import verify
from runtime.wrappers.ActivationOp import ActivationOp
from runtime.wrappers.TensorCopyDynamicDst import TensorCopyDynamicDst
from runtime.wrappers.TensorCopyOp import TensorCopyOp
from runtime.wrappers.TensorScalarPtrOp import TensorScalarPtrOp

BLOCK = (4, 8)


class Program:
    """A function with an argument %x and a tensor %t, and a builder for it."""

    def __init__(self) -> None:
        self.module = Module()
        self.function = self.module.add_function(Function("main"))
        self.x = self.function.body.add_argument(Type.tensor(f32, BLOCK), "x")
        self.build = Builder(self.function)
        self.t = self.build.tensor("t", bf16, BLOCK, "sbuf")


Mistake = Callable[[Any], object]  # what somebody does, with a Program

MISTAKES: dict[str, tuple[Mistake, type[Exception], str]] = {
    "a dtype by its name": (
        lambda p: ActivationOp(p.x, "gelu", dtype="bf16"),  # type: ignore[arg-type]
        TypeError,
        '"bf16", a str, is no dtype of runtime.dtypes; give dtype_of("bf16")',
    ),
    "a dtype by another system's name": (
        lambda p: Type.tensor("float32", BLOCK),  # type: ignore[arg-type]
        TypeError,
        '"float32", a str, is no dtype of runtime.dtypes; did you mean "f32"?',
    ),
    "a numpy type as a dtype": (
        lambda p: Type.tensor(np.float32, BLOCK),  # type: ignore[arg-type]
        TypeError,
        "<class 'numpy.float32'>, a type, is no dtype of runtime.dtypes; did you mean \"f32\"?",
    ),
    "a numpy dtype as a dtype": (
        lambda p: p.build.tensor("y", np.dtype(ml_dtypes.bfloat16), BLOCK, "sbuf"),
        TypeError,
        'is no dtype of runtime.dtypes; did you mean "bf16"?',
    ),
    "a list as a shape": (
        lambda p: Type.tensor(f32, [4, 8]),  # type: ignore[arg-type]
        TypeError,
        "[4, 8], a list, is no shape; give a tuple of extents, such as (128, 512)",
    ),
    "a number as a shape": (
        lambda p: p.build.tensor("y", f32, 4, "sbuf"),
        TypeError,
        "4, an int, is no shape; give a tuple of extents",
    ),
    "half an element": (
        lambda p: Type.tensor(f32, (1.5, 8)),  # type: ignore[arg-type]
        TypeError,
        "1.5, a float, is no extent in (1.5, 8); an extent is a whole number, a name, or None",
    ),
    "a tensor of unknown extent": (
        lambda p: p.build.tensor("y", f32, (4, None), "sbuf"),
        ValueError,
        "a tensor has elements of a known dtype and known extents: %y cannot be f32[4,?]",
    ),
    "a tensor without a name": (
        lambda p: DRAMTensor(None, f32, BLOCK),  # type: ignore[arg-type]
        TypeError,
        "a tensor has a name, a str, not None",
    ),
    "a tensor of a name that is taken": (
        lambda p: p.build.tensor("t", f32, BLOCK, "sbuf"),
        ValueError,
        "function main has a tensor %t already",
    ),
    "a memory that there is not": (
        lambda p: p.build.tensor("y", f32, BLOCK, "hbm"),
        ValueError,
        'no memory is called "hbm"; there are dram, sbuf and psum; HBM is dram',
    ),
    "a misspelt memory": (
        lambda p: p.build.tensor("y", f32, BLOCK, "SBUF"),
        ValueError,
        'no memory is called "SBUF"; did you mean "sbuf"?',
    ),
    "a memory that is no word": (
        lambda p: p.build.tensor("y", f32, BLOCK, ["dram"]),
        ValueError,
        "no memory is called \"['dram']\"",
    ),
    "a dtype as the type of an argument": (
        lambda p: p.function.body.add_argument(f32, "y"),
        TypeError,
        "an argument has a Type, such as Type.tensor(f32, (128, 512)), not f32, a DType",
    ),
    "a word as a number": (
        lambda p: ActivationOp(p.x, "gelu", scale="two"),  # type: ignore[arg-type]
        TypeError,
        '"scale" of ActivationOp is a number, not "two", a str',
    ),
    "nothing as a number": (
        lambda p: ActivationOp(p.x, "gelu", scale=None),  # type: ignore[arg-type]
        TypeError,
        '"scale" of ActivationOp is a number, not None',
    ),
    "a number as a list": (
        lambda p: TensorReduceOpGen(p.x, "add", 1),  # type: ignore[arg-type]
        TypeError,
        '"reduce_dims" of TensorReduceOp is a list, not 1, an int',
    ),
    "a loop by a float": (
        lambda p: p.build.loop("i", 4.0).__enter__(),
        TypeError,
        "the trip count of an axis is a whole number, not 4.0, a float",
    ),
    "the arguments of a loop the other way round": (
        lambda p: p.build.loop(4, "i").__enter__(),
        TypeError,
        "the name of an axis is text, not 4, an int",
    ),
    "an axis by its name": (
        lambda p: AffinePredicate.pred_ge("i", 1),  # type: ignore[arg-type]
        TypeError,
        'what stands in an affine form is an axis, such as that of build.loop, or a whole number, not "i", a str',
    ),
    "an array as an operand": (
        lambda p: ActivationOp(np.ones(3), "gelu"),  # type: ignore[arg-type]
        TypeError,
        '"src" of ActivationOp is a value, or an access to a tensor (NeuronAP), not array([1., 1., 1.]), a ndarray; '
        "contents are given to runtime.run, or to a tensor as its init",
    ),
    "an array as an optional operand": (
        lambda p: ActivationOp(p.x, "gelu", np.ones(3)),  # type: ignore[arg-type]
        TypeError,
        '"bias" of ActivationOp is a value',
    ),
    "a number as an operand": (
        lambda p: TensorScalarPtrOp(p.x, "add", 0.5),  # type: ignore[arg-type]
        TypeError,
        '"operand0" of TensorScalarPtrOp is a value, or an access to a tensor (NeuronAP), not 0.5, a float; '
        "what takes numbers: scalar0, scalar1",
    ),
    "nothing as an operand": (
        lambda p: BinaryGen(p.x, None, "add"),  # type: ignore[arg-type]
        TypeError,
        '"rhs" of Binary is a value, not None',
    ),
    "a name as an operand, with a type": (
        lambda p: CastGen("%x", result_type=p.x.type),  # type: ignore[arg-type]
        TypeError,
        '"src" of Cast is a value, not "%x", a str',
    ),
    "an array where a base class takes it": (
        lambda p: TensorCopyDynamicDst(np.ones(3), p.x, 0),  # type: ignore[arg-type]
        TypeError,
        "of TensorCopyDynamicDst is a value, or an access to a tensor (NeuronAP), not array([1., 1., 1.]), a ndarray",
    ),
    "an array that is stored": (
        lambda p: SBAtomStoreGen(np.ones(3)),  # type: ignore[arg-type]
        TypeError,
        "of SBAtomStore is a value, or an access to a tensor (NeuronAP), not array",
    ),
    "an array in a node": (
        lambda p: OnnxNode("Relu", [p.x, np.ones(3)]),  # type: ignore[list-item]
        TypeError,
        'each of "values" of OnnxNode is a value, not array([1., 1., 1.]), a ndarray',
    ),
    "an array in an opaque instruction": (
        lambda p: Opaque("vendor.topk", [np.ones(3)]),  # type: ignore[list-item]
        TypeError,
        'each of "values" of Opaque is a value, not array([1., 1., 1.]), a ndarray',
    ),
    "one value where there may be several": (
        lambda p: Return(p.x),
        TypeError,
        '"values" of Return is a sequence of values, not <BlockArgument %x: f32[4,8]>, a BlockArgument',
    ),
    "an array that is returned": (
        lambda p: Return([np.float32(3)]),  # type: ignore[list-item]
        TypeError,
        'each of "values" of Return is a value, not np.float32(3.0), a float32',
    ),
    "a bare tensor as an operand": (
        lambda p: ActivationOp(p.t, "gelu"),
        TypeError,
        "a slot takes an access to a tensor, not the tensor %t itself; an access to all of it is NeuronAP(t)",
    ),
    "a bare tensor where only values may stand": (
        lambda p: Return([p.t]),
        TypeError,
        "Return takes a value, not the tensor %t",
    ),
    "a bare tensor as dst": (
        lambda p: ActivationOp(p.x, "gelu", dst=p.t),
        TypeError,
        "ActivationOp takes an access to a tensor (NeuronAP) as dst, not <NeuronSBTensor %t",
    ),
    "a value as dst": (
        lambda p: ActivationOp(p.x, "gelu", dst=p.x),
        TypeError,
        "ActivationOp takes an access to a tensor (NeuronAP) as dst, not <BlockArgument %x: f32[4,8]>, a BlockArgument",
    ),
    "an access to a value": (
        lambda p: NeuronAP(p.x),
        TypeError,
        "a NeuronAP accesses a tensor, not <BlockArgument %x: f32[4,8]>, a BlockArgument",
    ),
    "one pair in place of pairs": (
        lambda p: TensorCopyOp(NeuronAP(p.t, (1, 8))),  # type: ignore[arg-type]
        TypeError,
        "the pairs of an access are (step, num), not (1, 8), a tuple",
    ),
    "an access in two slots": (
        lambda p: (access := NeuronAP(p.t)) and (TensorCopyOp(access), TensorCopyOp(access)),
        ValueError,
        "give <TensorCopyOp %?: bf16[4,8]> a copy()",
    ),
    "a builder for a module": (
        lambda p: Builder(p.module),
        TypeError,
        "a Builder puts statements into a Function, not <runtime.functions.Module",
    ),
    "a class in place of an instruction": (
        lambda p: p.build.insert(TensorCopyOp),
        TypeError,
        "insert takes a statement, such as TensorCopyOp(value), not <class 'runtime.wrappers.TensorCopyOp",
    ),
    "a value in place of an instruction": (
        lambda p: p.build.insert(p.x),
        TypeError,
        "insert takes a statement, such as TensorCopyOp(value), not <BlockArgument %x: f32[4,8]>, a BlockArgument",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_wrong_argument_is_named(name: str) -> None:
    do, error, said = MISTAKES[name]
    program = Program()
    with pytest.raises(error) as caught:
        do(program)
    assert said in str(caught.value)


def test_after_a_mistake_the_program_is_as_it_was() -> None:
    program = Program()
    for name, (do, error, _) in MISTAKES.items():
        if name != "an access in two slots":  # the first of which is right
            with pytest.raises(error):
                do(program)
    with pytest.raises(TypeError, match="a slot takes an access"):
        TensorScalarPtrOp(program.x, "add", program.t, dst=NeuronAP(program.t))
    held = TensorCopyOp(NeuronAP(program.t)).src
    with pytest.raises(ValueError, match="copy"):
        TensorTensorOpGen(program.x, held, "add", dst=NeuronAP(program.t))
    assert program.t.n_stores == 0 and program.t.n_loads == 1
    held.removeUser(held.owner)  # type: ignore[attr-defined]
    assert not program.t.has_users and not program.x.has_users
    program.build.insert(Return([program.x]))
    assert verify(program.module) == []


def test_what_is_not_about_operands_is_said_as_python_says_it() -> None:
    program = Program()
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'function'"):
        ActivationOp(program.x)  # type: ignore[call-arg]


def test_numpy_integers_are_extents_and_lists_the_shapes_of_tensors() -> None:
    assert Type.tensor(f32, (np.int64(611), 3)) is Type.tensor(f32, (611, 3))  # type: ignore[arg-type]
    assert "np.int64" not in repr(Type.tensor(f32, (np.int64(612), 3)).shape)  # type: ignore[arg-type]
    assert DRAMTensor("y", f32, [4, 8]).type is Type.tensor(f32, BLOCK)  # type: ignore[arg-type]


WRONG_FIELDS: dict[str, tuple[Mistake, str, str]] = {
    "an engine by its name": (
        lambda p: ActivationOp(p.x, "gelu", engine="scalar"),  # type: ignore[arg-type]
        'the engine is "scalar", a str; expected a NeuronEngine or None',
        "give NeuronEngine.SCALAR",
    ),
    "an engine that there is not": (
        lambda p: ActivationOp(p.x, "gelu", engine=3),  # type: ignore[arg-type]
        "the engine is 3, an int; expected a NeuronEngine or None",
        "one is NeuronEngine.VECTOR",
    ),
    "a place that is no text": (
        lambda p: ActivationOp(p.x, "gelu", loc=7),  # type: ignore[arg-type]
        "the place in the source is 7, an int; expected text or None",
        "",
    ),
    "a type as it is printed": (
        lambda p: ActivationOp(p.x, "gelu", result_type="f32[4,8]"),  # type: ignore[arg-type]
        'the type of the result is "f32[4,8]", a str; expected a Type, such as Type.tensor(f32, (128, 512))',
        "",
    ),
}


@pytest.mark.parametrize("name", WRONG_FIELDS)
def test_what_a_constructor_takes_all_the_same_the_verifier_names(name: str) -> None:
    """It is one mistake, also where the program cannot be printed."""
    mistake, message, help = WRONG_FIELDS[name]
    program = Program()
    inst: Any = mistake(program)
    program.build.insert(inst)
    program.build.insert(Return([inst]))
    assert [(found.code, found.message, found.help) for found in verify(program.module)] == [("V040", message, help)]


def test_an_engine_is_not_assigned_by_its_name() -> None:
    inst: Any = ActivationOp(Program().x, "gelu")
    with pytest.raises(TypeError, match='None, not "scalar", a str; give NeuronEngine.SCALAR'):
        inst.engine = "scalar"
    assert inst.assigned_engine is None


def test_a_rounding_that_is_none() -> None:
    program = Program()
    inst = program.build.insert(ActivationOp(program.x, "gelu"))
    inst.rounding = "nearest"
    assert [(found.code, found.message) for found in verify(program.module)] == [
        ("V040", 'the rounding is "nearest", a str; expected "user" or None')
    ]
