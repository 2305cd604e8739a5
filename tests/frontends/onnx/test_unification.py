"""What follows of element types around operators that onnx does not know."""

from __future__ import annotations

import pytest
from onnx import ModelProto, parser

from frontends.onnx import load, to_proto
from frontends.onnx.equality import why_different
from runtime.text.printer import print_module


def read(text: str) -> ModelProto:
    return parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1, "ai.onnx.ml" : 3, "own" : 1]> {text}'
    )


def types(source: ModelProto) -> dict[str, str]:
    """Return the types of the results in a model, by name; it is written as it was read."""
    module = load(source)
    assert why_different(source, to_proto(module)) is None
    found = {}
    for inst in module.root_function.insts:
        for result in inst.results:
            if result.name is not None:
                found[result.name] = str(result.type)
    assert print_module(module)
    return found


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("f = com.microsoft.Gelu(x) y = MatMul(f, x)", {"f": "f32[?]"}),
        ("f = com.microsoft.Gelu(x) g = Relu(f) y = MatMul(g, x)", {"f": "f32", "g": "f32"}),  # back through two
        ("f = com.microsoft.Gelu(x) g = Add(f, x) y = own.Last(g)", {"f": "f32", "g": "f32"}),  # and onwards
        ("f = com.microsoft.Gelu(x) y = Relu(f)", {"f": "f32"}),  # from an output that is declared
        ("f = own.Size(x) g = Reshape(x, f) y = Relu(g)", {"f": "i64"}),  # the only type that a slot may have
        ("f = ai.onnx.ml.Scaler(x) y = own.Last(f)", {"f": "f32"}),  # as the results of that operator
        ("f = own.First(x) g = Cast <to = 10> (f) y = own.Last(g)", {"f": "unknown", "g": "f16"}),
        ("f = own.First(x) g = Relu(f) y = own.Last(g)", {"f": "unknown", "g": "unknown"}),
        ("f, g = own.First(x) y = Where(f, g, x)", {"f": "bool", "g": "f32"}),
        ("f = own.First(x) g = SequenceConstruct(f) y = own.Last(g)", {"f": "unknown"}),
        ("f = own.First(x) y = Pow(x, f)", {"f": "unknown"}),  # of another type variable
    ],
)
def test_types_follow_from_uses(body: str, wanted: dict[str, str]) -> None:
    found = types(read(f"g (float[2,2] x) => (float[2,2] y) {{ {body} }}"))
    assert {name: found[name].partition("[")[0] for name in wanted} == {
        name: one.partition("[")[0] for name, one in wanted.items()
    }


def test_types_follow_in_branches() -> None:
    inside = "u = com.microsoft.Gelu(x) v = MatMul(u, x)"
    branches = (
        f"then_branch = t () => (float[2,2] v) {{ {inside} }}, else_branch = e () => (float[2,2] w) {{ w = Relu(x) }}"
    )
    found = types(read(f"g (float[2,2] x, bool c) => (float[2,2] y) {{ y = If (c) <{branches}> }}"))
    assert found["u"].startswith("f32")


def test_a_declared_type_is_not_overruled() -> None:
    source = read("g (float[2,2] x) => (float[2,2] y) <float16[2,2] f> { f = own.First(x) y = own.Mixed(f, x) }")
    assert types(source)["f"] == "f16[2,2]"
