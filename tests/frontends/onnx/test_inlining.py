"""Local functions are inlined as they are meant: onnxruntime computes the same before and after."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto, helper, parser

from frontends.onnx.errors import InliningError
from frontends.onnx.inlining import inlined

HEAD = '<ir_version: 10, opset_import: ["" : 18, "local" : 1]>\n'
X = np.linspace(-2, 2, 8, dtype=np.float32).reshape(2, 4)


def read(text: str) -> ModelProto:
    return parser.parse_model(HEAD + text)


def names(model: ModelProto) -> set[str]:
    return {f"{one.domain}::{one.name}" + (f"::{one.overload}" if one.overload else "") for one in model.functions}


def run(model: ModelProto, **feeds: Any) -> list[Any]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return list(session.run(None, feeds or {"x": X}))


def check(model: ModelProto, chosen: set[str] | None = None, **feeds: Any) -> ModelProto:
    """Return the model without functions, which has the ends and the results that it had."""
    result, left = inlined(model, names(model) if chosen is None else chosen)
    assert not left
    onnx.checker.check_model(result, full_check=True)
    assert (result.graph.input, result.graph.output) == (model.graph.input, model.graph.output)
    for before, after in zip(run(model, **feeds), run(result, **feeds), strict=True):
        np.testing.assert_array_equal(after, before)
    return result


BODIES = {
    "a default of an attribute": """
        g (float[2,4] x) => (float[2,4] y) { t = local.F(x) y = local.F<alpha = 0.5>(t) }
        <domain: "local", opset_import: ["" : 18]>
        F <alpha: float = 0.3> (a) => (b) { b = LeakyRelu<alpha: float = @alpha>(a) }
    """,
    "a default that is passed on": """
        g (float[2,4] x) => (float[2,4] y) { y = local.G(x) }
        <domain: "local", opset_import: ["" : 18, "local" : 1]>
        G <beta: float = 0.7> (a) => (b) { b = local.F<alpha: float = @beta>(a) }
        <domain: "local", opset_import: ["" : 18]>
        F <alpha: float = 0.3> (a) => (b) { b = LeakyRelu<alpha: float = @alpha>(a) }
    """,
    "an attribute without a default that every call gives, passed on to one that has a default": """
        g (float[2,4] x) => (float[2,4] y) { t = local.H<gamma = 0.2>(x) y = local.G<beta = 0.9>(t) }
        <domain: "local", opset_import: ["" : 18, "local" : 1]>
        H <gamma> (a) => (b) { b = local.G<beta: float = @gamma>(a) }
        <domain: "local", opset_import: ["" : 18, "local" : 1]>
        G <beta> (a) => (b) { b = local.F<alpha: float = @beta>(a) }
        <domain: "local", opset_import: ["" : 18]>
        F <alpha: float = 0.3> (a) => (b) { b = LeakyRelu<alpha: float = @alpha>(a) }
    """,
    "names that clash with those that the library makes": """
        g (float[2,4] x) => (float[2,4] y) { t__1 = Neg(x) t = local.F(t__1) y = Add(t, t__1) }
        <domain: "local", opset_import: ["" : 18]>
        F (a) => (b) { t = Exp(a) t__1 = Neg(t) b = Add(t, t__1) }
    """,
    "an operator set of another version, in which its operators are the same": """
        g (float[2,4] x) => (float[2,4] y) { y = local.F(x) }
        <domain: "local", opset_import: ["" : 15]>
        F (a) => (b) { b = Exp(a) }
    """,
    "an operator set that only the function imports": """
        g (float[2,4] x) => (float[2,4] y) { y = local.F(x) }
        <domain: "local", opset_import: ["com.microsoft" : 1]>
        F (a) => (b) { b = com.microsoft.Gelu(a) }
    """,
    "calls in sub-graphs, and sub-graphs in functions": """
        g (float[2,4] x) => (float[2,4] y) {
          c = Constant<value = bool {1}>()
          y = If(c) <
            then_branch = g1 () => (float[2,4] r) { r = local.F(x) },
            else_branch = g2 () => (float[2,4] s) { t = Neg(x) s = local.F(t) }>
        }
        <domain: "local", opset_import: ["" : 18]>
        F (a) => (o) {
          k = Constant<value = bool {1}>()
          o = If(k) <
            then_branch = g3 () => (r) { t = Add(a, a) r = Exp(t) },
            else_branch = g4 () => (r2) { r2 = Identity(a) }>
        }
    """,
}


@pytest.mark.parametrize("body", BODIES)
def test_what_a_function_means(body: str) -> None:
    result = check(read(BODIES[body]))
    assert not result.functions


def test_a_result_that_is_an_argument_and_one_that_is_given_twice() -> None:
    model = read("""g (float[2,4] x) => (float[2,4] y, float[2,4] z, float[2,4] w) { y, z, w = local.F(x) }
        <domain: "local", opset_import: ["" : 18]>
        F (a) => (b, a, b) { b = Neg(a) }""")
    result, left = inlined(model, names(model))  # onnxruntime does not take the function
    assert not left
    for found, expected in zip(run(result), (-X, X, -X), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_operands_that_are_left_out_and_results_that_nobody_asks_for() -> None:
    model = read("""g (float[2,4] x, float l) => (float[2,4] y) { y = local.F(x, l) }
        <domain: "local", opset_import: ["" : 18]>
        F (a, lo, hi) => (b, c) { b = Clip(a, lo, hi) c = Neg(b) }""")
    result, left = inlined(model, names(model))
    assert not left
    np.testing.assert_array_equal(run(result, x=X, l=np.array(0.5, np.float32))[0], np.maximum(X, np.float32(0.5)))


def test_weights_come_back_and_their_names_are_not_given_away() -> None:
    model = read("""g (float[2,4] x) => (float[2,2000] y) { y = local.F(x, t__1) }
        <domain: "local", opset_import: ["" : 18]>
        F (a, w) => (b) { t = Exp(a) b = MatMul(t, w) }""")
    weight = np.arange(8000, dtype=np.float32).reshape(4, 2000)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weight, "t__1"))
    result = check(model)
    assert result.graph.initializer == model.graph.initializer


def test_texts_stay() -> None:
    model = read(BODIES["a default of an attribute"])
    model.doc_string = "model"
    model.graph.doc_string = "graph"
    model.functions[0].node[0].doc_string = "node"
    model.metadata_props.add(key="k", value="v")
    result = check(model)
    assert (result.doc_string, result.graph.doc_string) == ("model", "graph")
    assert {one.doc_string for one in result.graph.node} == {"node"} and result.metadata_props == model.metadata_props


def test_an_overload_is_a_function_of_its_own() -> None:
    model = read("""g (float[2,4] x) => (float[2,4] y) { t = local.F(x) y = local.F(t) }
        <domain: "local", opset_import: ["" : 18]>
        F (a) => (b) { b = Neg(a) }
        <domain: "local", opset_import: ["" : 18]>
        H (a) => (b) { b = Exp(a) }""")
    model.functions[1].name, model.functions[1].overload = "F", "exp"
    model.graph.node[1].overload = "exp"
    result, left = inlined(model, {"local::F::exp"})
    assert [one.op_type for one in result.graph.node] == ["F", "Exp"] and names(result) == {"local::F"} and not left
    result, left = inlined(model, {"local::F", "local::F::exp"})
    assert [one.op_type for one in result.graph.node] == ["Neg", "Exp"] and not result.functions and not left


def test_what_is_not_asked_for_stays_with_what_it_calls() -> None:
    model = read("""g (float[2,4] x) => (float[2,4] y) { t = local.F(x) u = local.G(t) y = local.F(u) }
        <domain: "local", opset_import: ["" : 18]>
        F (a) => (b) { b = Neg(a) }
        <domain: "local", opset_import: ["" : 18, "local" : 1]>
        G (a) => (b) { b = local.F(a) }""")
    result = check(model, {"local::F"})
    assert [one.op_type for one in result.graph.node] == ["Neg", "G", "Neg"] and names(result) == {
        "local::F",
        "local::G",
    }
    assert list(result.functions) == list(model.functions)
    result = check(model, {"local::G"})
    assert [one.op_type for one in result.graph.node] == ["F", "F", "F"] and names(result) == {"local::F"}


def test_a_call_may_stay() -> None:
    model = read(BODIES["a default of an attribute"])
    result, left = inlined(model, names(model), {"t"})
    assert [one.op_type for one in result.graph.node] == ["F", "LeakyRelu"] and not left
    assert result.graph.node[0] == model.graph.node[0] and list(result.functions) == list(model.functions)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            """g (float[2,4] x) => (float[2] y) { y = local.F(x) }
            <domain: "local", opset_import: ["" : 17]>
        F (a) => (b) { b = ReduceMax<axes = [1], keepdims = 0>(a) }""",
            "its ReduceMax is of operator set 17, and changed until 18, which the model has",
        ),
        (
            """g (float[2,4] x) => (float[2,4] y) { y = local.G(x) }
            <domain: "local", opset_import: ["" : 18, "local" : 1]>
        G <beta> (a) => (b) { b = local.F<alpha: float = @beta>(a) }
            <domain: "local", opset_import: ["" : 18]>
        F <alpha: float = 0.3> (a) => (b) { b = LeakyRelu<alpha: float = @alpha>(a) }""",
            "its call of local::F leaves alpha to a default where it has no beta",
        ),
    ],
)
def test_what_the_library_would_change_is_left(body: str, why: str) -> None:
    model = read(body)
    first = model.graph.node[0].op_type
    result, left = inlined(model, names(model))
    assert left == {f"local::{first}": why}
    assert list(result.functions) == list(model.functions) and result.graph.node == model.graph.node


def test_an_attribute_that_is_left_out_is_missed_through_all_that_hand_it_on() -> None:
    model = read("""g (float[2,4] x) => (float[2,4] y) { y = local.H(x) }
            <domain: "local", opset_import: ["" : 18, "local" : 1]>
        H <gamma> (a) => (b) { b = local.G<beta: float = @gamma>(a) }
            <domain: "local", opset_import: ["" : 18, "local" : 1]>
        G <beta> (a) => (b) { b = local.F<alpha: float = @beta>(a) }
            <domain: "local", opset_import: ["" : 18]>
        F <alpha: float = 0.3> (a) => (b) { b = LeakyRelu<alpha: float = @alpha>(a) }""")
    _, left = inlined(model, names(model))
    assert left == {"local::G": "its call of local::F leaves alpha to a default where it has no beta"}


def test_what_the_library_refuses_is_an_error() -> None:
    calls = [
        f'<domain: "local", opset_import: ["" : 18, "local" : 1]> F{at} (a) => (b) {{ b = local.F{at + 1}(a) }}'
        for at in range(1200)
    ]
    last = '<domain: "local", opset_import: ["" : 18]> F1200 (a) => (b) { b = Neg(a) }'
    model = read("g (float[2,4] x) => (float[2,4] y) { y = local.F0(x) }\n" + "\n".join([*calls, last]))
    with pytest.raises(InliningError, match="onnx does not inline the local functions: .*depth"):
        inlined(model, names(model))


OPS = ("Neg", "Exp", "Tanh", "Sigmoid")


@st.composite
def programs(draw: st.DrawFn) -> ModelProto:
    """Functions that call those before them, with attributes that have defaults, are passed on, or are given."""
    functions: list[Any] = []
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("local", 1)]

    def body(inputs: list[str], n_callees: int, has_slope: bool) -> tuple[list[Any], list[str]]:
        nodes, values = [], [*inputs]
        for at in range(draw(st.integers(1, 4))):
            name, operand = f"v{draw(st.integers(0, 1))}_{at}", draw(st.sampled_from(values))
            which = draw(st.integers(0, n_callees + 2))
            if which < n_callees:
                callee = functions[which]
                given = [draw(st.sampled_from(values)) for _ in callee.input]
                wanted = [name, *(f"{name}_{i}" for i in range(1, len(callee.output)))]
                node = helper.make_node(callee.name, given, wanted, domain="local")
                how = draw(st.sampled_from(["default", "given", "passed on"]))
                if callee.attribute_proto and how == "given":
                    node.attribute.append(helper.make_attribute("slope", 0.25))
                elif callee.attribute_proto and how == "passed on" and has_slope:
                    node.attribute.add(name="slope", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT)
                values += wanted[1:]
            elif which == n_callees and has_slope:
                node = helper.make_node("LeakyRelu", [operand], [name])
                node.attribute.add(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT)
            elif which == n_callees + 1:
                node = helper.make_node("Add", [operand, draw(st.sampled_from(values))], [name])
            else:
                node = helper.make_node(draw(st.sampled_from(OPS)), [operand], [name])
            nodes.append(node)
            values.append(name)
        return nodes, values

    for at in range(draw(st.integers(1, 3))):
        inputs, has_slope = ["a", "b"][: draw(st.integers(1, 2))], draw(st.booleans())
        nodes, values = body(inputs, at, has_slope)
        unread = set(inputs).difference(*(node.input for node in nodes))  # which onnxruntime does not take
        nodes += [helper.make_node("Neg", [name], [f"{name}_read"]) for name in sorted(unread)]
        outputs = draw(st.lists(st.sampled_from(values[len(inputs) :]), min_size=1, max_size=3, unique=True))
        function = helper.make_function("local", f"F{at}", inputs, outputs, nodes, imports)
        if has_slope:
            function.attribute_proto.append(helper.make_attribute("slope", 0.5))
        functions.append(function)
    nodes, values = body(["x"], len(functions), False)
    ends = [helper.make_tensor_value_info(name, 1, [2, 4]) for name in dict.fromkeys(values[1:])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", 1, [2, 4])], ends)
    return helper.make_model(graph, opset_imports=imports, functions=functions, ir_version=10)


@settings(deadline=None, max_examples=60)
@given(programs())
def test_programs_compute_what_they_did(model: ModelProto) -> None:
    result, left = inlined(model, names(model))
    assert not left and not result.functions
    onnx.checker.check_model(result, full_check=True)
    for before, after in zip(run(model), run(result), strict=True):
        np.testing.assert_allclose(after, before, 1e-5, 1e-6, equal_nan=True)
