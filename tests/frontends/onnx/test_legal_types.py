"""The types that operators may have, as the changelog of the specification tells them, and who gets to know them."""

import pytest

from frontends.onnx import SIGNATURES, load
from runtime.dtypes import bf16, dtype_of, f16, f32, i64
from runtime.signatures import Signature
from tests.passes.precision.models import chain, node


def signature(op_type: str, version: int) -> Signature:
    found = SIGNATURES.signature("ai.onnx", op_type, version)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("op_type", "low", "since"),
    [
        ("MatMul", f16, 1),
        ("MatMul", bf16, 13),
        ("Conv", bf16, 22),
        ("Pow", bf16, 13),
        ("LeakyRelu", bf16, 16),
        ("MaxPool", bf16, 22),
        ("CumSum", f16, 14),
        ("IsInf", f16, 20),
        ("Range", f16, 27),
        ("QuantizeLinear", f16, 19),
    ],
)
def test_since_when_an_operator_has_a_type(op_type: str, low: object, since: int) -> None:
    for version in range(max(1, since - 4), since + 2):
        found = SIGNATURES.signature("ai.onnx", op_type, version)
        slot = None if found is None else found.operand(0)
        assert (slot is not None and low in slot.dtypes) == (version >= since), version


def test_slots_of_one_type_variable() -> None:
    for version, variables in ((9, "TTTTT"), (14, "TTTUU"), (15, ["T", "T1", "T1", "T2", "T2"])):
        found = signature("BatchNormalization", version)
        assert [slot.variable for slot in found.operands] == [*variables]
    quantize = [signature("QuantizeLinear", version).operands[1] for version in (10, 19, 23)]
    assert [(slot.name, slot.variable) for slot in quantize] == [
        ("y_scale", None),
        ("y_scale", "T1"),
        ("y_scale", "T2"),
    ]
    assert quantize[0].dtypes == {f32}


def test_variadic_slots() -> None:
    concat, loop = signature("Concat", 13), signature("Loop", 16)
    assert concat.operand(7) is concat.operands[0] and concat.operands[0].variable == "T"
    carried = loop.operand(9)
    assert carried is not None and carried.variable is None  # each value that is carried has a type of its own
    assert loop.operand(0) is not None and loop.operands[0].dtypes == {i64} and bf16 in carried.dtypes
    relu = signature("Relu", 17)
    assert relu.operand(1) is None and relu.result(1) is None


def test_what_has_no_signature() -> None:
    for domain, op_type, version in (
        ("ai.onnx", "Relu", 0),
        ("ai.onnx", "Gelu", 19),  # since 20
        ("ai.onnx", "Upsample", 10),  # deprecated
        ("ai.onnx", "NoSuchOperator", 17),
        ("com.example", "Relu", 17),
    ):
        assert SIGNATURES.signature(domain, op_type, version) is None, op_type


def test_tensors_of_types_that_the_ir_does_not_have_are_left_out() -> None:
    found = signature("Identity", 25).operands[0]
    assert dtype_of("f8e4m3fn") in found.dtypes and all(one is not None for one in found.dtypes)


def test_a_model_that_is_read_knows_its_signatures_and_so_do_its_clones() -> None:
    module = load(chain(node("Relu", ["x"], "y")))
    assert module.signatures is SIGNATURES and module.clone().signatures is SIGNATURES
