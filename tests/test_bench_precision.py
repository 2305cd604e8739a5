"""What the benchmark of mixed precision measures: models that are valid, and one conversion by either of the two."""

from collections import defaultdict

import onnx
import pytest
from onnx import TensorProto

from bench import mixed_precision
from bench.mixed_precision import CASES, Case, convert, convert_by_peer, policy_of
from bench.transformer_model import transformer


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.label}-{case.stays_f32}")
def test_both_keep_what_is_to_be_kept(case: Case) -> None:
    source = case.make(60)
    onnx.checker.check_model(source, full_check=True)
    ours, _ = convert(source, policy_of(case))
    theirs = convert_by_peer(case.make(60), case.kept)
    for found in (ours, theirs):
        assert [one.type for one in found.graph.input] == [one.type for one in source.graph.input]
        floats = _floats_by_operator(found)
        if case.kept is not None:
            assert floats[case.kept] == {TensorProto.FLOAT}
        assert floats["Relu" if "Relu" in floats else "MatMul"] == {TensorProto.FLOAT16}
        if case.stays_f32 == "nothing":
            assert {one for name in floats.keys() - {"Cast"} for one in floats[name]} == {TensorProto.FLOAT16}
    onnx.checker.check_model(ours, full_check=True)


def _floats_by_operator(model: onnx.ModelProto) -> dict[str, set[int]]:
    """Return which of f32 and f16 the nodes inside a model give."""
    graph = onnx.shape_inference.infer_shapes(model, data_prop=True).graph
    types = {one.name: one.type.tensor_type.elem_type for one in graph.value_info}
    found: dict[str, set[int]] = defaultdict(set)
    for node in graph.node:
        dtype = types.get(node.output[0])
        if dtype in (TensorProto.FLOAT, TensorProto.FLOAT16):
            found[node.op_type].add(dtype)
    return found


def test_a_model_has_as_many_nodes_as_asked_for() -> None:
    assert 1_000 <= len(transformer(1_000).graph.node) < 1_040


def test_the_graph_that_growth_is_measured_on() -> None:
    assert sum(1 for _ in mixed_precision.graph(40).insts) == 41
