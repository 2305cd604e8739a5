"""Local functions are inlined where that lets a policy make something low, and it is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, parser

import passes
from frontends.onnx import load, to_proto
from runtime.diagnostics import DiagnosticsError
from tests.passes.precision.model_driver import Driver

Said = pytest.CaptureFixture[str]
HEAD = '<ir_version: 10, opset_import: ["" : 18, "local" : 1]>\n'
DENSE = """<domain: "local", opset_import: ["" : 18]>
Dense (a, w) => (b) { [product] t = MatMul(a, w) b = Relu(t) }"""
COUNT = """<domain: "local", opset_import: ["" : 18]>
Count (a) => (b) { b = Neg(a) }"""
TWO = f"""g (float[4,4] x, float[4,4] w, int64[2] n) => (float[4,4] y, int64[2] m) {{
  [first] t = local.Dense(x, w)
  [second] y = local.Dense(t, w)
  [count] m = local.Count(n)
}}
{DENSE}
{COUNT}"""


def read(text: str) -> ModelProto:
    return parser.parse_model(HEAD + text)


def convert(text: str, policy: str = "autocast-f16", **options: Any) -> tuple[ModelProto, list[str]]:
    """Return the checked result and the notes; a second conversion changes nothing."""
    source = read(text)
    module, report = passes.convert(load(source), policy, **options)
    result = to_proto(module)
    onnx.checker.check_model(result, full_check=True)
    assert to_proto(passes.convert(load(result), policy, **options)[0]) == result
    return result, report.notes


def operators(model: ModelProto) -> list[str]:
    return [node.op_type for node in model.graph.node if node.op_type != "Cast"]


def functions(model: ModelProto) -> list[str]:
    return [function.name for function in model.functions]


def test_functions_of_f32_are_inlined_and_others_stay() -> None:
    result, notes = convert(TWO)
    assert operators(result) == ["MatMul", "Relu", "MatMul", "Relu", "Count"] and functions(result) == ["Count"]
    assert notes[0] == "the local function local::Dense was inlined"
    assert [node.op_type for node in result.graph.node].count("Cast") == 3  # x, w and y: nothing in between


def test_functions_may_be_kept() -> None:
    result, notes = convert(TWO, keep_functions=True)
    assert operators(result) == ["Dense", "Dense", "Count"] and result.functions == to_proto(load(read(TWO))).functions
    assert not any("inlined" in note for note in notes)


@pytest.mark.parametrize("policy", ["always-f32"])
def test_nothing_is_inlined_where_nothing_gets_low(policy: str) -> None:
    source = load(read(TWO))
    assert to_proto(passes.convert(source, policy)[0]) == to_proto(source)


def test_a_call_that_is_kept_stays_and_others_of_its_function_do_not() -> None:
    for keep in ("second", "y"):
        assert operators(convert(TWO, keep=[keep])[0]) == ["MatMul", "Relu", "Dense", "Count"]
    for keep in ("Dense", "local::Dense", "D*"):
        assert operators(convert(TWO, keep=[keep])[0]) == ["Dense", "Dense", "Count"]


def test_an_override_keeps_a_call(tmp_path: Any) -> None:
    driver = Driver(tmp_path)
    onnx.save(read(TWO), driver.source)
    policy = tmp_path / "mine.yaml"
    for override, expected in (
        ("{name: second}", ["MatMul", "Relu", "Dense", "Count"]),
        ("{instruction: Relu, name: first}", ["MatMul", "Relu", "MatMul", "Relu", "Count"]),
    ):
        policy.write_text(f"base: autocast-f16\noverrides:\n  - {override[:-1]}, precision: f32}}\n")
        assert driver.run(policy=str(policy)) == 0
        assert operators(driver.result) == expected, override


def test_what_is_inside_is_kept_by_the_name_that_it_gets(tmp_path: Any, capsys: Said) -> None:
    driver = Driver(tmp_path)
    onnx.save(read(TWO), driver.source)
    assert driver.run("--keep", "product") == 2
    assert 'called "product"\nhelp: did you mean "product__1"' in capsys.readouterr().err
    assert driver.run("--keep", "product*") == 0
    assert "the local function local::Dense was inlined" in capsys.readouterr().err
    assert all(name == "f32" for name, _ in driver.precisions.values())


def test_functions_of_runtimes_stay() -> None:
    text = TWO.replace("local.Dense", "com.microsoft.Dense").replace(
        '"local", opset_import: ["" : 18]> Dense', '"com.microsoft", opset_import: ["" : 18]> Dense'
    )
    source = parser.parse_model(HEAD.replace('"local" : 1', '"local" : 1, "com.microsoft" : 1') + text)
    result = to_proto(passes.convert(load(source))[0])
    assert operators(result) == ["Dense", "Dense", "Count"]


@pytest.mark.parametrize(
    ("depth", "nodes"), [(40, "1,099,511,627,776"), (300, "1,000,000,000,000,000 or more")], ids=["40", "300"]
)
def test_functions_that_grow_with_powers_of_two_stay(depth: int, nodes: str) -> None:
    doubling = [f"""<domain: "local", opset_import: ["" : 18, "local" : 1]>
F{at} (a) => (b) {{
          t = local.F{at + 1}(a) b = local.F{at + 1}(t) }}""" for at in range(depth)]
    last = f'<domain: "local", opset_import: ["" : 18]> F{depth} (a) => (b) {{ b = Neg(a) }}'
    text = "\n".join(["g (float[4] x) => (float[4] y) { y = local.F0(x) }", *doubling, last])
    module, report = passes.convert(load(read(text)))
    assert operators(to_proto(module)) == ["F0"]
    assert report.notes[0].startswith(
        f"the local functions local::F0, local::F1, local::F2 and {depth - 2} more stay as they are,"
        f" in f32, and are not inlined: the program would have {nodes} nodes"
    )


def test_large_constants_in_functions_are_not_multiplied() -> None:
    calls = "".join(f"v{at + 1} = local.F(v{at})\n" for at in range(300))
    body = (
        '<domain: "local", opset_import: ["" : 18]> F (a) => (b) { k = Constant<value = float[1] {0}>() b = Add(a, k) }'
    )
    model = read(f"g (float[1] v0) => (float[1] v300) {{ {calls} }}\n{body}")
    tensor = model.functions[0].node[0].attribute[0].t
    tensor.CopyFrom(onnx.numpy_helper.from_array(np.zeros(1 << 18, np.float32)))
    report = passes.convert(load(model))[1]
    assert "their constants would take 314,572,800 bytes" in report.notes[0]


def test_an_operator_set_is_raised_when_the_functions_are_gone() -> None:
    result, notes = convert(TWO, opset=22)
    assert operators(result) == ["MatMul", "Relu", "MatMul", "Relu", "Neg"] and not result.functions
    assert result.opset_import[0].version == 22
    with pytest.raises(DiagnosticsError, match="local functions"):
        convert(TWO, opset=22, keep_functions=True)


def test_what_a_type_needs_inside_a_function_raises_the_operator_set() -> None:
    text = """g (float[1,1,4,4] x, float[1,1,1,1] w) => (float[1,1,4,4] y) { y = local.F(x, w) }
    <domain: "local", opset_import: ["" : 18]>
F (a, w) => (b) { b = Conv(a, w) }"""
    result, notes = convert(text, "autocast-bf16")
    assert operators(result) == ["Conv"] and result.opset_import[0].version == 22
    assert notes == [
        "the local function local::F was inlined",
        "the program was raised to operator set 22, in which Conv may be bf16",
    ]
