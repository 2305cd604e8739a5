"""No node ever gets a type that its schema forbids: every operator of which something is known, at every version."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import defs

import passes
from frontends.onnx import SIGNATURES, load, to_proto
from generated.onnx.facts import FACTS
from passes.precision.definitions import Lowered
from passes.precision.legality import Legality
from passes.precision.survey import Survey
from runtime.dtypes import DType, bf16, f16, f32
from runtime.functions import Function
from runtime.generic import OnnxNode
from runtime.onnx_codes import CODE_OF_DTYPE, DTYPE_OF_CODE
from runtime.types import Type
from tests.passes.precision.models import F, chain, converted, model, node, precisions, value

NAMES = {f"tensor({onnx.TensorProto.DataType.Name(code).lower()})": dtype for code, dtype in DTYPE_OF_CODE.items()}
OLDEST, NEWEST = 7, defs.onnx_opset_version()


def schemas() -> Iterator[tuple[int, Any]]:
    for op_type in sorted(op_type for domain, op_type in FACTS if domain == "ai.onnx"):
        for version in range(OLDEST, NEWEST + 1):
            if defs.has(op_type, version) and not (schema := defs.get_schema(op_type, version)).deprecated:
                yield version, schema


def of_f32(schema: Any, version: int) -> Survey:
    """A function with one node, whose slots hold f32 wherever they may."""
    function = Function("main")
    function.operator_sets["ai.onnx"] = version
    operands = [function.body.add_argument(Type.tensor(dtype_for(one), (2,))) for one in schema.inputs]
    results = [Type.tensor(dtype_for(one), (2,)) for one in schema.outputs]
    function.body.append(OnnxNode(schema.name, operands, result_types=results))
    return Survey(function)


def dtype_for(formal: Any) -> DType | None:
    if formal.type_str == "tensor(float)" or "tensor(float)" in formal.types:
        return f32
    return next((NAMES[one] for one in sorted(formal.types) if one in NAMES), None)


@pytest.mark.parametrize("low", [f16, bf16], ids=str)
def test_every_operator_at_every_version(low: DType) -> None:
    name = f"tensor({onnx.TensorProto.DataType.Name(CODE_OF_DTYPE[low]).lower()})"
    wrong, lowered_some = [], set()
    for version, schema in schemas():
        (node,) = of_f32(schema, version).nodes.values()
        if not node.data:
            continue
        found = Legality(low, SIGNATURES, {"ai.onnx": version}).lowered(node)
        if not isinstance(found, Lowered):
            continue
        lowered_some.add(schema.name)
        inst = node.inst
        slots = [(one, at in found.slots, node.values[at]) for at, one in enumerate(schema.inputs)]
        slots += [(one, at in found.results, inst.results[at]) for at, one in enumerate(schema.outputs)]
        of_variable: dict[str, set[Any]] = {}
        for formal, is_low, held in slots:
            assert held is not None
            if is_low and name not in formal.types:
                wrong.append((schema.name, version, formal.name))
            if formal.type_str in {one.type_param_str for one in schema.type_constraints} and formal.is_homogeneous:
                of_variable.setdefault(formal.type_str, set()).add(low if is_low else held.type.dtype)
        wrong += [(schema.name, version, one) for one, dtypes in of_variable.items() if len(dtypes) > 1]
    assert wrong == []
    assert {"Conv", "MatMul", "Relu", "Softmax", "Pow", "Where", "BatchNormalization"} <= lowered_some


def test_an_operand_that_stays_f32_holds_back_those_of_its_type_variable() -> None:
    """QuantizeLinear: the scale has the type of x at 19, and one of its own at 23."""
    zero = onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(onnx.helper.make_tensor("z", 3, [], [0])), "z")
    for opset, runs_in in ((13, "f32"), (19, "f32"), (23, "f16")):
        nodes = [node("Relu", ["x"], "a"), node("QuantizeLinear", ["a", "s", "z"], "q")]
        nodes += [node("DequantizeLinear", ["q", "s", "z"], "y")]
        source = model(
            nodes, [value("x", F, [2])], [value("y", F, [2])], {"s": onnx.numpy_helper.to_array(scale())}, opset
        )
        source.graph.initializer.append(zero)
        _, found = converted(source)
        assert (found["a"], found["q"], found["y"]) == ("f16", runs_in, "f32")


def scale() -> Any:
    return onnx.helper.make_tensor("s", F, [], [0.1])


def test_an_operand_that_may_not_be_low_stays_f32_alone_where_it_has_a_type_of_its_own() -> None:
    """The exponent of Pow may be bf16 since 15, its base since 13, and neither in 12."""
    for opset, runs_in, held in ((12, "f32", 1), (13, "bf16", 1), (15, "bf16", 16)):
        source = chain(node("Pow", ["x", "e"], "y"), constants={"e": np.float32(3)}, opset=opset)
        result, found = converted(source, "autocast-bf16")
        assert (found["y"], result.graph.initializer[0].data_type) == (runs_in, held)


def test_statistics_of_a_normalization() -> None:
    """At 14 mean and variance have a variable of their own, before they have that of the data."""
    constants = {name: np.ones(2, np.float32) for name in "sbmv"}
    for opset, held in ((13, [10] * 4), (14, [10, 10, 1, 1]), (15, [1] * 4)):
        source = chain(
            node("BatchNormalization", ["x", "s", "b", "m", "v"], "y"),
            constants=constants,
            opset=opset,
            shape=(1, 2, 2, 2),
        )
        result, found = converted(source)
        assert found["y"] == "f16"
        assert [tensor.data_type for tensor in result.graph.initializer] == held


def test_old_operator_sets_pass_through() -> None:
    source = chain(node("Relu", ["x"], "y"), opset=6)
    module, report = passes.convert(load(source))
    assert to_proto(module).SerializeToString() == source.SerializeToString()
    assert not report.lines and report.counts == {"f32": 1}
    assert report.warnings == [
        "@main is of operator set 6; before 7, casts and broadcasting work in another way: it stays as it is"
    ]
    assert precisions(chain(node("Relu", ["x"], "y"), opset=7))["y"] == "f16"


def test_the_library_that_judges_results_sees_wrong_types() -> None:
    wrong = chain(
        node("Cast", ["x"], "h", to=10), node("CumSum", ["h", "a"], "c"), node("Cast", ["c"], "y", to=F), opset=11
    )
    wrong.graph.initializer.append(onnx.helper.make_tensor("a", 7, [], [0]))
    with pytest.raises(onnx.shape_inference.InferenceError):
        onnx.shape_inference.infer_shapes(wrong, check_type=True, strict_mode=True)
