"""What the benchmark of mixed precision measures: models that are valid, and one conversion by either of the two."""

import onnx
import pytest

from bench import mixed_precision
from bench.mixed_precision import CASES, Case, convert, convert_by_peer
from bench.transformer_model import transformer


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.label}-{case.kept}")
def test_both_keep_what_is_to_be_kept(case: Case) -> None:
    source = case.make(60)
    onnx.checker.check_model(source, full_check=True)
    kept = sum(node.op_type == case.kept for node in source.graph.node)
    ours, _ = convert(source, case.kept)
    theirs = convert_by_peer(case.make(60), case.kept)
    for found in (ours, theirs):
        assert sum(node.op_type == case.kept for node in found.graph.node) == kept
        assert [one.type for one in found.graph.input] == [one.type for one in source.graph.input]
    onnx.checker.check_model(ours, full_check=True)


def test_a_model_has_as_many_nodes_as_asked_for() -> None:
    assert 1_000 <= len(transformer(1_000).graph.node) < 1_040


def test_the_graph_that_growth_is_measured_on() -> None:
    assert sum(1 for _ in mixed_precision.graph(40).insts) == 41
