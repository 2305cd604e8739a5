"""What goes into a program and comes out of it: names, inputs, refusals, an evaluator for foreign instructions."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from generated.graph.BinaryGen import BinaryGen
from generated.graph.CastGen import CastGen
from generated.graph.IfGen import IfGen
from generated.graph.InputGen import InputGen
from generated.vocabulary import BinaryOp
from runtime.access import NeuronAP
from runtime.affine import Axis
from runtime.builtin import Opaque, Return, Yield
from runtime.constants import Constant
from runtime.dtypes import bf16, f32
from runtime.functions import Function, Module
from runtime.generic import OnnxNode
from runtime.interpreter import InputError, InterpreterError, MissingSemanticsError, run
from runtime.tensors import NeuronSBTensor
from runtime.types import Type
from runtime.wrappers.TensorCopyOp import TensorCopyOp
from tests.runtime.interpreter.programs import Program, type_of

ONES = np.ones(2, np.float32)


def test_what_is_returned_comes_by_position_then_the_output_tensors_by_name() -> None:
    program = Program()
    x = program.argument("x", "f32", 2)
    product = program.insert(BinaryGen(x, x, "mul"), "m")
    program.insert(TensorCopyOp(program.input("t", "f32", 2), dst=program.output("z", "f32", 2)))
    program.insert(TensorCopyOp(program.input("u", "f32", 2), dst=program.output("a", "f32", 2)))
    program.returns(product, x, product)
    results = run(program.module, {"x": 3 * ONES, "t": ONES, "u": 2 * ONES})
    expected: dict[int | str, list[int]] = {0: [9, 9], 1: [3, 3], 2: [9, 9], "z": [1, 1], "a": [2, 2]}
    assert {name: value.tolist() for name, value in results.items()} == expected
    assert list(results) == [0, 1, 2, "z", "a"]


def test_inputs_of_the_graph_go_by_their_own_names() -> None:
    program = Program()
    program.returns(program.insert(InputGen("pixels", result_type=type_of("f32", 2)), "p"))
    assert program.run(pixels=ONES)["p"].tolist() == [1, 1]


def test_an_input_that_is_an_output_too_keeps_what_is_not_written() -> None:
    program = Program()
    tensor = program.function.add_tensor(NeuronSBTensor("t", f32, (2, 2), isInput=True, isOutput=True))
    program.insert(TensorCopyOp(program.argument("x", "f32", 2), dst=NeuronAP(tensor, ((1, 2),), 2)))
    given = np.array([[1, 2], [3, 4]], np.float32)
    assert program.run(t=given, x=9 * ONES)["t"].tolist() == [[1, 2], [9, 9]]
    assert given.tolist() == [[1, 2], [3, 4]]  # the caller's array is the caller's


def test_constant_tensors_hold_their_contents() -> None:
    program = Program()
    tensor = program.function.add_tensor(NeuronSBTensor("c", bf16, (2,), init=Constant.of([1, 2], bf16)))
    program.returns(program.insert(TensorCopyOp(NeuronAP(tensor), dtype=f32), "y"))
    assert program.run()["y"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("given", "messages"),
    [
        ({}, ['argument "image": f32[N,2] is missing', 'tensor "weight": f32[2] is missing']),
        ({"img": ONES}, ['argument "image": f32[N,2] is missing', 'function @main has no input "img"; its inputs:']),
        ({"imag": ONES}, ['"image": f32[N,2] is missing; did you mean "imag"?', 'did you mean "image"?']),
        ({"image": [[1.0]]}, ["is given a list; it takes a numpy array"]),
        ({"image": np.ones((1, 2))}, ["is given elements of float64; f32 is float32"]),
        ({"image": np.ones((1, 3), np.float32)}, ["is given the shape [1,3]"]),
        ({"image": ONES}, ['argument "image": f32[N,2] is given the shape [2]']),
        (
            {"image": np.ones((1, 2), np.float32), "mask": np.ones(2, bool)},
            ['"mask": bool[N] is given the shape [2], so N is 2; input "image" makes it 1'],
        ),
        ({"rounded": ONES + np.float32(2**-20)}, ["f32 values that are not values of tf32"]),
    ],
)
def test_inputs_must_be_what_the_program_says(given: dict[str, Any], messages: list[str]) -> None:
    program = Program()
    program.argument("image", "f32", "N", 2)
    program.argument("mask", "bool", "N")
    program.argument("rounded", "tf32", 2)
    program.input("weight", "f32", 2)
    with pytest.raises(InputError) as caught:
        program.run(**given)
    for message in messages:
        assert message in str(caught.value)


def test_the_function_is_chosen_by_name() -> None:
    module = Module()
    operations: dict[str, BinaryOp] = {"double": "add", "square": "mul"}
    for name, op in operations.items():
        function = module.add_function(Function(name))
        x = function.body.add_argument(type_of("f32", 2), "x")
        y = BinaryGen(x, x, op)
        function.body.append(y)
        function.body.append(Return([y]))
    assert run(module, {"x": 3 * ONES}, function="square")[0].tolist() == [9, 9]
    with pytest.raises(InputError, match='no function "sqare"; did you mean "square"?'):
        run(module, {"x": ONES}, function="sqare")
    with pytest.raises(InputError, match="no function @main among the 2 functions"):
        run(module, {"x": ONES})


def test_instructions_without_semantics_are_refused_all_at_once() -> None:
    program = Program()
    x = program.argument("x", "f32", 2)
    program.insert(Opaque("vendor.topk", [x], result_types=[type_of("f32", 1)], loc="model.py:3"), "v")
    program.insert(Opaque("vendor.topk", [x], result_types=[type_of("f32", 1)]))
    program.insert(Opaque("vendor.barrier"))
    with pytest.raises(MissingSemanticsError) as caught:
        program.run(x=ONES)
    assert str(caught.value).splitlines() == [
        "these instructions have no semantics:",
        '  opaque "vendor.barrier": 1, first `opaque "vendor.barrier"` in @main',
        '  opaque "vendor.topk": 2, first `%v: f32[1] = opaque "vendor.topk" %x` in @main at model.py:3',
        "help: run asks its evaluator, where it is given one, about opaque instructions",
    ]


def test_who_computes_the_nodes_of_a_model_is_said_without_its_front_end() -> None:
    program = Program()
    x = program.argument("x", "f32", 2)
    program.insert(OnnxNode("Relu", [x], result_types=[type_of("f32", 2)]), "y")
    with pytest.raises(MissingSemanticsError) as caught:
        program.run(x=ONES)
    assert str(caught.value).splitlines() == [
        "these instructions have no semantics:",
        '  onnx.node "ai.onnx::Relu": 1, first `%y: f32[2] = onnx.node "ai.onnx::Relu" %x` in @main',
        "help: module.signatures = frontends.onnx.SIGNATURES lets ONNX nodes run; frontends.onnx.load sets it",
    ]


def test_an_evaluator_is_asked_first() -> None:
    program = Program()
    x = program.argument("x", "f32", 2)
    types = [type_of("bf16", 2), Type.sequence(type_of("f32", 2)), type_of("i32")]
    split = program.insert(Opaque("split", [x], result_types=types))
    program.insert(Opaque("print", [x]))
    program.returns(*split.results, program.insert(BinaryGen(x, x, "add"), "s"))

    def evaluator(inst: Any, operands: Any) -> Any:
        if getattr(inst, "label", "") == "split":
            return operands[0][0] * 1.001, [operands[0][0], operands[0][0]], np.int32(7)
        return "printed" if inst.INFO.mnemonic == "opaque" else None

    rounded, sequence, count, total = program.run(x=ONES, evaluator=evaluator).values()
    assert rounded.dtype == ml_dtypes.bfloat16
    assert rounded.astype(float).tolist() == [1, 1]
    assert [one.tolist() for one in sequence] == [[1, 1], [1, 1]]
    assert (count, total.tolist()) == (7, [2, 2])


def test_what_an_evaluator_does_not_know_either_is_refused() -> None:
    program = Program()
    program.insert(Opaque("vendor.topk", [program.argument("x", "f32", 2)]))
    with pytest.raises(
        MissingSemanticsError, match='opaque "vendor.topk" has no semantics\n  in `opaque "vendor.topk" %x`'
    ):
        program.run(x=ONES, evaluator=lambda inst, operands: None)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (np.ones(3, np.float32), r"gives the shape \[3\], which is not that of f32\[2\]"),
        ((ONES, ONES), "gives 2 results, but has 1"),
        (np.ones(2, complex), "gives elements of complex128, which is the numpy dtype of no data type"),
        ((None,), r"gives no value for a result of type f32\[2\]"),  # the forgotten return of a semantics function
    ],
)
def test_a_result_must_be_what_the_instruction_says(result: Any, message: str) -> None:
    program = Program()
    program.insert(Opaque("f", result_types=[type_of("f32", 2)]))
    with pytest.raises(InterpreterError, match=message):
        program.run(evaluator=lambda inst, operands: result)


def test_semantics_that_read_a_field_which_is_gone_are_an_error_with_the_instruction() -> None:
    program = Program()
    program.insert(Opaque("f", result_types=[type_of("f32", 2)]), "s")
    with pytest.raises(
        InterpreterError, match="'Opaque' object has no attribute 'function'\n  in `%s: f32.2. = opaque"
    ):
        program.run(evaluator=lambda inst, operands: inst.function)


def test_operands_that_do_not_fit_are_an_error_with_the_instruction() -> None:
    program = Program()
    x, y = program.argument("x", "f32", 2), program.argument("y", "f32", 3)
    program.insert(BinaryGen(x, y, "add", result_type=type_of("f32", 2)), "s")
    with pytest.raises(
        InterpreterError, match="cannot be computed: .*broadcast.*\n  in `%s: f32.2. = graph.binary add %x, %y`"
    ):
        program.run(x=ONES, y=np.ones(3, np.float32))


def test_a_word_without_meaning_is_an_error_with_near_words() -> None:
    program = Program()
    x = program.argument("x", "f32", 2)
    program.insert(BinaryGen(x, x, "subb"))  # type: ignore[arg-type]  # the mistake of this test
    with pytest.raises(InterpreterError, match='nothing says what "subb" computes; did you mean "sub"?'):
        program.run(x=ONES)


def test_a_value_must_be_computed_before_it_is_used() -> None:
    program = Program()
    late = CastGen(program.argument("x", "f32", 2))
    program.insert(BinaryGen(late, late, "add"))
    program.insert(late, "late")
    with pytest.raises(InterpreterError, match="uses %late before it has a value"):
        program.run(x=ONES)


@pytest.mark.parametrize("condition", [True, False])
def test_only_the_chosen_region_runs(condition: bool) -> None:
    program = Program()
    a, b = program.argument("a", "i32"), program.argument("b", "i32")
    choice = program.insert(IfGen(program.argument("c", "bool"), result_types=[type_of("i32"), type_of("i32")]))
    with program.at(choice.then):
        quotient = program.insert(BinaryGen(a, b, "div"))
        program.insert(Yield([quotient, a]))
    with program.at(choice.else_):
        program.insert(Yield([b, b]))
    program.returns(*choice.results)
    given = {"a": np.int32(7), "b": np.int32(2 if condition else 0), "c": np.bool_(condition)}
    assert [int(value) for value in program.run(**given).values()] == ([3, 7] if condition else [0, 0])
    given["b"] = np.int32(0)
    if condition:
        with pytest.raises(InterpreterError, match="an integer is divided by zero\n  in `%.*graph.binary div %a, %b`"):
            program.run(**given)


def test_an_axis_means_something_only_in_its_loop() -> None:
    program = Program()
    x = program.input("x", "i32", 8).tensor
    stray = Axis("i", 4)
    program.insert(TensorCopyOp(NeuronAP(x, ((1, 2),), stray)))
    with pytest.raises(InterpreterError, match="the access to %x uses %i outside its loop"):
        program.run(x=np.arange(8, dtype=np.int32))
