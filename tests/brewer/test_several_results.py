"""Definitions with several results, some of which may be absent: what is brewed is built, printed, read, verified."""

import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import runtime
from runtime.blocks import CloneMap
from runtime.equality import why_different
from runtime.instruction_set import standard
from runtime.instructions import Instruction
from runtime.types import Type
from tests.brewer.brewed_classes import brewed_class
from tests.runtime.random_programs import modules

TOP_K = """name: TopK
base: NeuronInst
summary: The largest elements of each row, and where they are.
rhs_str: "top_k {src}"
operands:
  src: {}
results:
  values: {same_as: src, doc: The elements.}
  indices: {dtype: u32, shape: src, optional: true, precision: index}
  counts: {dtypes: [i32, u32], rank: 1, optional: true}
"""
SPLIT = """name: Split
base: GraphInst
summary: Hands on what it is given, and something beside it.
rhs_str: "graph.split {key} ({carried})"
operands:
  key: {}
  carried: {variadic: true}
results:
  chosen: {same_as: key}
  kept: {variadic: true, same_as: carried}
  others: {variadic: true}
"""


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, type[Instruction]]:
    folder = tmp_path_factory.mktemp("results")
    made = {
        "top_k": brewed_class(TOP_K, folder / "a"),
        "graph.split": brewed_class(SPLIT, folder / "b", "graph"),
    }
    return {**{name: standard()[name] for name in ("tensor_copy", "graph.cast")}, **made}


def only(text: str, classes: Any) -> Any:
    module = runtime.parse(f"func @main(%a: f32[4], %b: u32[2]) {{\n  {text}\n}}\n", classes=classes)
    assert runtime.print_module(module) == f"func @main(%a: f32[4], %b: u32[2]) {{\n  {text}\n}}\n"
    return next(iter(module.insts))


@pytest.mark.parametrize(
    "text",
    [
        "%v: f32[4], %i: u32[4], %n: i32[1] = top_k %a",
        "%v: f32[4], %i: u32[4], none = top_k %a",
        "%v: f32[4], none, %n: i32[1] = top_k %a",
        "%v: f32[4], none, none = top_k %a {engine = vector}",
    ],
)
def test_each_result_has_its_name_and_may_be_absent(text: str, classes: Any) -> None:
    inst = only(text, classes)
    assert inst.values is inst and inst.all_results == (inst.values, inst.indices, inst.counts)
    assert (inst.indices is None) == ("%i" not in text) and (inst.counts is None) == ("%n" not in text)
    assert [result.name for result in inst.results] == [name for name in "vin" if f"%{name}:" in text]
    assert runtime.verify(_module_of(inst)) == []
    again = runtime.read_bir(_bir(_module_of(inst)), classes=classes)
    assert why_different(_module_of(inst), again) is None
    mapping: CloneMap = {}
    assert [r and r.type for r in inst.clone(mapping).all_results] == [r and r.type for r in inst.all_results]


def test_results_at_the_end_that_are_not_named_are_absent(classes: Any) -> None:
    module = runtime.parse("func @main(%a: f32[4]) {\n%v: f32[4] = top_k %a\n}\n", classes=classes)
    assert "%v: f32[4], none, none = top_k %a" in runtime.print_module(module)
    inst = classes["top_k"](module.functions["main"].args[0], result_types=[Type.tensor(None, None)])
    assert (inst.indices, inst.counts, len(inst.results)) == (None, None, 1)


def test_results_of_any_number_are_as_many_as_the_operands_whose_types_they_have(classes: Any) -> None:
    inst = only("%c: f32[4], %k: f32[4], %l: u32[2], %o: i8[], %p: i8[] = graph.split %a (%a, %b)", classes)
    assert inst.chosen is inst
    assert [value.name for value in inst.kept] == ["k", "l"]
    assert [value.name for value in inst.others] == ["o", "p"]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("none = top_k %a", "T0", "expected"),
        ("%v: f32[4], %w: none = top_k %a", "T026", "gives a result of type none"),
        ("%c: f32[4], none = graph.split %a (%a)", "T026", "has any number of results, none of which can be absent"),
    ],
)
def test_what_is_no_result_is_refused(text: str, code: str, message: str, classes: Any) -> None:
    with pytest.raises(runtime.DiagnosticsError, match=message) as caught:
        runtime.parse(f"func @main(%a: f32[4]) {{\n{text}\n}}\n", classes=classes)
    assert caught.value.diagnostics[0].code.startswith(code)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("%v: f32[4], %i: i32[4] = top_k %a", ["V050"]),
        ("%v: f32[4], none, %n: f32[1] = top_k %a", ["V058"]),
        ("%v: f32[4], none, %n: i32[1,1] = top_k %a", ["V059"]),
        ("%v: f32[4], none, none, %m: i32[1] = top_k %a", ["V050"]),
        ("top_k %a", ["V050"]),
    ],
)
def test_the_verifier_asks_what_the_definition_says_of_each(text: str, found: list[str], classes: Any) -> None:
    module = runtime.parse(f"func @main(%a: f32[4]) {{\n{text}\n}}\n", classes=classes)
    assert [diagnostic.code for diagnostic in runtime.verify(module)] == found


def test_a_result_that_must_be_there_is_missed(tmp_path: Path) -> None:
    made = brewed_class(TOP_K.replace("shape: src, optional: true", "shape: src"), tmp_path)
    text = "func @main(%a: f32[4]) {\n%v: f32[4], none, none = top_k %a\n}\n"
    found = runtime.verify(runtime.parse(text, classes={"top_k": made}))
    assert [(one.code, one.message) for one in found] == [("V057", 'the result "indices" is absent; it must be there')]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_random_programs_with_several_results_print_and_read_back(data: st.DataObject, classes: Any) -> None:
    module = data.draw(modules(classes))
    text = runtime.print_module(module)
    again = runtime.parse(text, classes=classes)
    assert runtime.print_module(again) == text
    assert why_different(module, again) is None
    assert why_different(module, runtime.read_bir(_bir(module), classes=classes)) is None


def _module_of(inst: Instruction) -> runtime.Module:
    function = inst.parent_function
    assert function is not None and function.module is not None
    return function.module


def _bir(module: runtime.Module) -> Any:
    file = io.StringIO()
    runtime.write_bir(module, file)
    file.seek(0)
    return file
