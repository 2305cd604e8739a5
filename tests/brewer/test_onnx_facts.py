"""The facts about ONNX operators name operators, versions and operands as the onnx library has them."""

from collections import defaultdict

import numpy as np
import onnx
import pytest

from brewer.document_keys import ARITHMETIC
from brewer.read_facts import OperatorFacts
from generated.onnx.facts import FACTS
from runtime import folding
from runtime.precision_facts import SCALARS, AttributeFacts, PrecisionFacts, facts_at
from tests.this_project import instructions

DOCUMENTS = tuple(found for found in instructions().facts if found.domain.startswith("ai.onnx"))
OPERATORS = [(found.domain, operator) for found in DOCUMENTS for operator in found.operators]
NO_FACTS: dict[tuple[str, str], str] = {}
"""Operators of which nothing is known, each with the reason. They stay f32, and the report names them."""
_FREQUENT = """
    Conv ConvTranspose MatMul Gemm Add Sub Mul Div Relu Sigmoid Tanh Softmax LayerNormalization BatchNormalization
    ReduceMean Pow Sqrt Exp Reshape Transpose Concat Slice Gather Unsqueeze Squeeze Cast Clip MaxPool AveragePool
    GlobalAveragePool Resize Identity Constant ConstantOfShape Shape Max Min Erf LeakyRelu HardSigmoid HardSwish Pad
    Split Flatten Expand Where Equal Range Floor TopK QuantizeLinear DequantizeLinear DynamicQuantizeLinear
"""
FREQUENT = _FREQUENT.split()


def schemas() -> dict[tuple[str, str], list[onnx.defs.OpSchema]]:
    found = defaultdict(list)
    for schema in onnx.defs.get_all_schemas_with_history():
        found[schema.domain or "ai.onnx", schema.name].append(schema)
    return {name: sorted(versions, key=lambda schema: schema.since_version) for name, versions in found.items()}


SCHEMAS = schemas()
each_operator = pytest.mark.parametrize(("domain", "operator"), OPERATORS, ids=str)


def test_each_operator_of_the_library_has_facts_in_each_of_its_versions() -> None:
    missing = {key for key, versions in SCHEMAS.items() if facts_at(FACTS, *key, versions[0].since_version) is None}
    assert missing == NO_FACTS.keys()


@each_operator
def test_versions_and_positions_are_those_of_the_specification(domain: str, operator: OperatorFacts) -> None:
    known = SCHEMAS[domain, operator.name.value]
    stated = [version.since for version in operator.versions]
    assert stated[0] == known[0].since_version and set(stated) <= {schema.since_version for schema in known}
    for schema in known:
        facts = [version for version in operator.versions if version.since <= schema.since_version][-1]
        for slots, formal in ((facts.operands, schema.inputs), (facts.results, schema.outputs)):
            for slot in slots:
                assert formal[slot.at].name == slot.name.value, f"{schema.name} since {schema.since_version}"


@each_operator
def test_what_stays_f32_may_be_f32(domain: str, operator: OperatorFacts) -> None:
    for schema in SCHEMAS[domain, operator.name.value]:
        facts = [version for version in operator.versions if version.since <= schema.since_version][-1]
        for slot in facts.operands:
            if slot.precision in ("f32", *SCALARS):
                assert "tensor(float)" in schema.inputs[slot.at].types, f"{schema.name} since {schema.since_version}"


@each_operator
def test_attributes_and_their_defaults_are_those_of_the_specification(domain: str, operator: OperatorFacts) -> None:
    for schema in SCHEMAS[domain, operator.name.value]:
        facts = [version for version in operator.versions if version.since <= schema.since_version][-1]
        for attribute in facts.attributes:
            where = f"{schema.name} since {schema.since_version}"
            stated = schema.attributes[attribute.name.value].default_value
            if attribute.precision != "contents":
                default = stated.f if stated.type == onnx.AttributeProto.FLOAT else None
                is_a_bound = default is not None and abs(default) == np.finfo(np.float32).max  # as good as none
                wanted = None if default is None or is_a_bound else pytest.approx(default, rel=1e-4)
                assert attribute.default == wanted, where
            if attribute.added_to is not None:
                assert (attribute.name.value, schema.inputs[attribute.added_to].name) == ("epsilon", "var"), where


def test_regions_are_those_of_the_specification() -> None:
    with_regions = {
        name
        for (domain, name), versions in SCHEMAS.items()
        if any(one.type == onnx.defs.OpSchema.AttrType.GRAPH for one in versions[-1].attributes.values())
    }
    stated = {o.name.value: o.versions[-1].regions for _, o in OPERATORS if o.versions[-1].regions}
    assert stated == {"If": "branches", "Loop": "loop", "Scan": "scan"}
    others = {key for key in FACTS if key[1] in with_regions - stated.keys()}
    assert others == {("ai.onnx", "SequenceMap"), ("ai.onnx.preview", "FlexAttention")}
    assert all(facts.precision_intact for key in others for _, facts in FACTS[key])


def test_the_arithmetic_that_facts_may_name_is_what_can_be_folded() -> None:
    only_said = {"compare", "equal", "order", "periodic", "round", "square"}  # they say what is done with an operand
    assert set(ARITHMETIC) == folding.ARITHMETIC | folding.ARRANGEMENTS | only_said
    used = {version.computes for _, operator in OPERATORS for version in operator.versions} - {""}
    assert used == set(ARITHMETIC)


def test_indices_are_whole_numbers_wherever_the_specification_lets_them_be() -> None:
    in_floats = {
        f"{schema.name} {slot.name}"
        for domain, operator in OPERATORS
        for schema in SCHEMAS[domain, operator.name.value]
        for slot in [v for v in operator.versions if v.since <= schema.since_version][-1].operands
        if slot.precision == "index"
        and not any("int64" in type or "int32" in type for type in schema.inputs[slot.at].types)
    }
    assert in_floats == {"Split split", "Tile axis", "Tile tiles"}  # of the first operator sets


def test_the_frequent_operators_are_there() -> None:
    assert [name for name in FREQUENT if ("ai.onnx", name) not in FACTS] == []


def test_the_table_is_looked_up_by_version() -> None:
    assert facts_at(FACTS, "ai.onnx", "Resize", 9) is None and facts_at(FACTS, "ai.onnx", "Nothing", 9) is None
    old, new = facts_at(FACTS, "ai.onnx", "Resize", 10), facts_at(FACTS, "ai.onnx", "Resize", 19)
    assert old == PrecisionFacts("elementwise", operands={1: "f32"})
    operands = {1: "f32", 2: "f32", 3: "index"}
    numbers = {"cubic_coeff_a": AttributeFacts("scalar", -0.75), "extrapolation_value": AttributeFacts("scalar", 0.0)}
    assert new == PrecisionFacts("elementwise", operands=operands, attributes=numbers)


def test_the_rules_of_the_policy_hold() -> None:
    kinds = {name: facts_at(FACTS, "ai.onnx", name, 22) for name in FREQUENT}
    wide = {name for name, facts in kinds.items() if facts and facts.wide_range}
    assert wide == {"Exp", "Pow"}
    assert all(not (facts.wide_range and facts.range_safe) for entries in FACTS.values() for _, facts in entries)
