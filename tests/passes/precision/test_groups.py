"""Nodes in groups: what is summed up and told of groups is what each node by itself gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from frontends.onnx import load
from passes.auto_mixed_precision import AutoMixedPrecision
from passes.precision.group_traffic import traffic_before
from passes.precision.survey import Survey
from passes.precision.traffic import traffic_of
from runtime import parse
from runtime.dtypes import f16, f32
from runtime.functions import Module
from runtime.generic import OnnxNode
from runtime.types import Type
from tests.passes.precision.report_case import ReportCase
from tests.passes.precision.test_public_reports import CASES

PROGRAMS = sorted((Path(__file__).parents[1] / "programs").rglob("*.txt"))


def check_traffic(module: Module) -> None:
    function = module.root_function
    before = traffic_of(function.insts)
    assert traffic_before(Survey(function)) == before
    transform = AutoMixedPrecision()
    transform.runOnModule(module)
    if len(module.functions) == 1:
        assert (transform.report.before, transform.report.after) == (before, traffic_of(function.insts))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_traffic_of_programs(path: Path) -> None:
    check_traffic(parse(path.read_text(encoding="utf-8")))


def test_traffic_of_models() -> None:
    for file in CASES:
        check_traffic(load(ReportCase.of(file).model))


def test_a_node_has_one_group_with_those_of_its_types() -> None:
    lines = ["%a: f32[2] = graph.activation relu %x", "%b: f32[2] = graph.activation relu %a"]
    lines += ["%c: f32[3] = graph.activation relu %y", "%d: f32[2] = graph.activation tanh %x"]
    body = "\n".join(f"  {line}" for line in lines)
    survey = Survey(parse(f"func @main(%x: f32[2], %y: f32[3]) {{\n{body}\n  return %b\n}}\n").root_function)
    groups = list(survey.groups)
    assert [[inst.name for inst in group.insts] for group in groups] == [["a", "b"], ["c"], ["d"]]
    assert groups[0].form is groups[1].form is not groups[2].form
    assert [node.inst.name for node in survey.nodes_of([groups[0].form])] == ["a", "b", "c"]
    assert [node.inst.name for node in survey.nodes.values()] == ["a", "b", "c", "d"]


def test_a_report_has_the_names_of_its_run() -> None:
    module = parse("func @main(%x: f32[2]) {\n  %a: f32[2] = graph.softmax %x axis 0\n  return %a\n}\n")
    transform = AutoMixedPrecision()
    transform.runOnModule(module)
    for inst in module.root_function.insts:
        inst.name = "other"
    assert [line.value for line in transform.report.lines] == ["a"]


def test_a_node_made_the_short_way_is_as_any_other() -> None:
    function = parse("func @main(%x: f32[2]) {\n  return %x\n}\n").root_function
    argument, type = function.args[0], Type.tensor(f16, (2,))
    short = OnnxNode.of_one("Cast", argument, {"to": 10}, type)
    other = OnnxNode("Cast", [argument], {"to": 10}, result_types=[type])
    slots = {name for cls in OnnxNode.__mro__ for name in getattr(cls, "__slots__", ()) if name != "__weakref__"}
    assert {name: getattr(short, name) for name in slots} == {name: getattr(other, name) for name in slots}
    assert argument.uses[short] == argument.uses[other] == 1 and argument.type.dtype is f32
