"""Numbers among attributes: each float of the specification is looked at, or there is a reason why it need not be."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import passes
from frontends.onnx import load
from generated.onnx.facts import FACTS
from passes.precision.reasons import Rule
from runtime.precision_facts import facts_at
from tests.passes.precision.lossy_models import EYE, NOISE, Lossy, check
from tests.passes.precision.models import F, model, node, value

Kind = onnx.defs.OpSchema.AttrType
ML: Final = "ai.onnx.ml"

COMPARED: Final = "what it is compared with is f32"
NO_ARITHMETIC: Final = "nothing about it is converted"
TRAINING: Final = "counts in training only"
EXTENTS: Final = "a factor of extents"
SEED: Final = "no number that is computed with"
COORDINATES: Final = "a factor of coordinates, which are f32"
F32_INSIDE: Final = "computed in f32, and says nothing about the size of the result"
EXCEPTIONS: Final = {
    ("BatchNormalization", "epsilon"): "added to a variance that is f32, since version 14",
    ("BatchNormalization", "momentum"): TRAINING,
    ("Constant", "sparse_value"): "of a constant whose elements are not known here",
    ("Dropout", "ratio"): TRAINING,
    ("GlobalLpPool", "p"): "an integer since operator set 2",
    ("LpPool", "p"): "an integer since operator set 2",
    ("MaxRoiPool", "spatial_scale"): COORDINATES,
    ("RoiAlign", "spatial_scale"): COORDINATES,
    ("Upsample", "height_scale"): EXTENTS,
    ("Upsample", "scales"): EXTENTS,
    ("Upsample", "width_scale"): EXTENTS,
    ("Binarizer", "threshold"): COMPARED,
    ("Imputer", "replaced_value_float"): COMPARED,
    ("LabelEncoder", "keys_floats"): COMPARED,
    ("LabelEncoder", "keys_tensor"): COMPARED,
    ("Scaler", "offset"): "what it is taken from is as large",
    **{("SVMClassifier", name): F32_INSIDE for name in ("kernel_params", "prob_a", "prob_b", "support_vectors")},
    **{("SVMRegressor", name): F32_INSIDE for name in ("kernel_params", "support_vectors")},
    **{
        ("TreeEnsemble", name): COMPARED
        for name in ("membership_values", "nodes_hitrates", "nodes_modes", "nodes_splits")
    },
    **{
        (f"TreeEnsemble{kind}", f"{name}{suffix}"): COMPARED
        for kind in ("Classifier", "Regressor")
        for name in ("nodes_hitrates", "nodes_values")
        for suffix in ("", "_as_tensor")
    },
    **{
        (name, "seed"): SEED
        for name in (
            *("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"),
        )
    },
    ("FlexAttention", "scale"): NO_ARITHMETIC,
    **{("Adagrad", name): NO_ARITHMETIC for name in ("decay_factor", "epsilon", "norm_coefficient")},
    **{
        ("Adam", name): NO_ARITHMETIC
        for name in ("alpha", "beta", "epsilon", "norm_coefficient", "norm_coefficient_post")
    },
    **{("Momentum", name): NO_ARITHMETIC for name in ("alpha", "beta", "norm_coefficient")},
}
"""By operator and attribute: why its value need not be looked at."""


def test_each_float_is_looked_at_or_an_exception() -> None:
    numbers = (Kind.FLOAT, Kind.FLOATS, Kind.TENSOR, Kind.TENSORS, Kind.SPARSE_TENSOR)
    left = set()
    for schema in onnx.defs.get_all_schemas_with_history():
        facts = facts_at(FACTS, schema.domain or "ai.onnx", schema.name, schema.since_version)
        known = {} if facts is None else facts.attributes
        named = {name for name, one in schema.attributes.items() if one.type in numbers}
        left |= {(schema.name, name) for name in named - known.keys()}
    assert left == EXCEPTIONS.keys()


ROW: Final = [value("x", F, [2, 4])], [value("y", F, [2, 4])]
LSTM: Final = {"hidden_size": 4, "activations": ["LeakyRelu", "Tanh", "Tanh"]}
MADE: Final[dict[str, tuple[list[Any], int, dict[str, Any]]]] = {
    "Pad.value": ([node("Pad", ["x"], "r", pads=[0, 0, 0, 0], value=1e30)], 9, {}),
    "RandomUniform.high": ([node("RandomUniform", [], "r", shape=[2, 4], low=0.0, high=1e6)], 17, {}),
    "RandomUniformLike.low": ([node("RandomUniformLike", ["x"], "r", low=-1e6, high=0.0)], 17, {}),
    "RandomNormal.mean": ([node("RandomNormal", [], "r", shape=[2, 4], mean=1e6)], 17, {}),
    "RandomNormalLike.scale": ([node("RandomNormalLike", ["x"], "r", scale=1e-9)], 17, {}),
    "LRN.beta": ([node("Reshape", ["x", "s"], "i"), node("LRN", ["i"], "l", size=1, beta=1e-9)]
                 + [node("Reshape", ["l", "t"], "r")], 17, {"s": np.array([1, 1, 2, 4]), "t": np.array([2, 4])}),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_a_value_out_of_range_goes_on_in_f32(name: str) -> None:
    nodes, opset, constants = MADE[name]
    operator, attribute = name.split(".")
    rest = [node("MatMul", ["x", "v"], "a"), node("Mul", ["a", "r"], "y")]
    source = model([*nodes, *rest], *ROW, {**constants, "v": EYE}, opset)
    (own,) = [one for one in source.graph.node if one.op_type == operator]
    assert decided(source)[own.output[0]] == ("f32", Rule.CONSTANT)
    if operator != "LRN":  # which is f32 anyway
        assert decided(source)["y"][0] == "f32"
    for one in own.attribute:
        if one.type == onnx.AttributeProto.FLOAT:
            one.f = 0.5
    assert decided(source)["y"][0] == "f16"
    assert decided(source)[own.output[0]][1] is not Rule.CONSTANT


def decided(source: Any) -> dict[str | None, tuple[str, Rule]]:
    opset = next(one.version for one in source.opset_import if one.domain == "")
    _, report = passes.convert(load(source), "autocast-f16", opset=opset)
    return {line.value: (line.precision, line.rule) for line in report.lines}


RECURRENT = """s = Unsqueeze(x, z)
    a, h = LSTM<hidden_size = 4, activations = ["LeakyRelu", "Tanh", "Tanh"], ATTRIBUTES>(s, w, r)
    b = Squeeze(h, z) y = Mul(b, k)"""


@pytest.mark.parametrize(
    ("attributes", "runs_in"),
    [
        ("activation_alpha = [1e-9]", "f32"),
        ("activation_alpha = [0.1]", "f16"),
        ("activation_alpha = [0.1], clip = 1e9", "f32"),
        ("activation_alpha = [0.1], clip = 8.0", "f16"),
        ("activation_alpha = [0.1, 0.2], activation_beta = [0.5, 1e6]", "f32"),
    ],
)
def test_lists_of_a_recurrence(attributes: str, runs_in: str) -> None:
    weights = {"w": np.ones((1, 16, 4), np.float32), "r": np.ones((1, 16, 4), np.float32), "z": np.array([0])}
    case = Lossy(RECURRENT.replace("ATTRIBUTES", attributes), NOISE, {**weights, "k": 2.0}, loses=False)
    assert decided(case.model)["a"][0] == runs_in


def test_what_lies_outside_of_a_picture() -> None:
    body = """r = Resize<mode = "linear", coordinate_transformation_mode = "tf_crop_and_resize",
        extrapolation_value = VALUE>(x, roi, s) m = MatMul(r, v) y = Mul(m, k)"""
    held = {"roi": np.array([0, 0, 1, 2], np.float32), "s": np.ones(2, np.float32), "v": EYE, "k": 1e-4}
    case = Lossy(body.replace("VALUE", "1e6"), NOISE, held, "r m y", policies=("autocast-f16",), opset=13)
    check(case, "autocast-f16")
    low = Lossy(body.replace("VALUE", "1.0"), NOISE, held, "", "r m y", opset=13, loses=False)
    check(low, "autocast-f16")


LEAF: Final = {
    **dict.fromkeys(("target_ids", "target_nodeids", "target_treeids", "nodes_treeids", "nodes_nodeids"), [0]),
    **dict.fromkeys(("nodes_featureids", "nodes_truenodeids", "nodes_falsenodeids"), [0]),
    **{"nodes_modes": ["LEAF"], "nodes_values": [0.0], "n_targets": 1},
}
SVM: Final = {"support_vectors": [0.0] * 4, "n_supports": 1, "kernel_params": [1.0, 0.0, 1.0], "kernel_type": "LINEAR"}


@pytest.mark.parametrize(
    ("operator", "attributes"),
    [
        ("LinearRegressor", {"coefficients": [0.5, 0.25, 0.0, 1e6], "intercepts": [0.0], "targets": 1}),
        ("LinearRegressor", {"coefficients": [0.5, 0.25, 0.0, 1.0], "intercepts": [-2e5], "targets": 1}),
        ("Scaler", {"offset": [0.0], "scale": [1e6]}),
        ("Imputer", {"imputed_value_floats": [1e7], "replaced_value_float": 0.0}),
        ("SVMRegressor", {**SVM, "coefficients": [1e6], "rho": [0.0]}),
        ("SVMRegressor", {**SVM, "coefficients": [1.0], "rho": [1e6]}),
        ("TreeEnsembleRegressor", {**LEAF, "target_weights": [250000.0], "base_values": [1.0]}),
        ("TreeEnsembleRegressor", {**LEAF, "target_weights": [1.0], "base_values": [250000.0]}),
    ],
)
def test_weights_of_classical_operators(operator: str, attributes: dict[str, Any]) -> None:
    """What they give is f32 in any case; it must not be narrowed where a weight shows that it may be large."""

    def source(held: dict[str, Any]) -> Any:
        own = helper.make_node(operator, ["x"], ["r"], domain=ML, **held)
        rest = [node("MatMul", ["x", "v"], "a"), node("Add", ["a", "r"], "y")]
        found = model([own, *rest], *ROW, {"v": EYE}, 17)
        found.opset_import.append(helper.make_opsetid(ML, 3))
        found.graph.value_info.append(value("r", F, [2, outputs]))  # of most of these, onnx infers no types
        return onnx.shape_inference.infer_shapes(found)

    outputs = 1 if "Regressor" in operator else 4
    assert decided(source(attributes))["y"][0] == "f32"
    lists = {name: held for name, held in attributes.items() if isinstance(held, list) and isinstance(held[0], float)}
    small = {**attributes, **{name: [min(max(one, -2.0), 2.0) for one in held] for name, held in lists.items()}}
    assert decided(source(small))["y"][0] == "f16"


def test_a_table_of_numbers() -> None:
    def source(numbers: list[float], with_tensor: bool) -> Any:
        held: dict[str, Any] = {"values_floats": numbers, "keys_int64s": [0, 1]}
        if with_tensor:
            tensor = numpy_helper.from_array(np.array(numbers, np.float32), "t")
            held = {"values_tensor": tensor, "keys_int64s": [0, 1]}
        own = helper.make_node("LabelEncoder", ["n"], ["r"], domain=ML, **held)
        rest = [node("MatMul", ["x", "v"], "a"), node("Add", ["a", "r"], "y")]
        ends = [*ROW[0], value("n", onnx.TensorProto.INT64, [4])], ROW[1]
        found = model([own, *rest], *ends, {"v": EYE}, 19)
        found.opset_import.append(helper.make_opsetid(ML, 4))
        return onnx.shape_inference.infer_shapes(found)

    for with_tensor in (False, True):
        assert decided(source([1.0, 1e6], with_tensor))["y"][0] == "f32"
        assert decided(source([1.0, 2.0], with_tensor))["y"][0] == "f16"
