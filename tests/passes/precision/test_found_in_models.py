"""What real models showed: logarithms, squares, biases, islands, integers, loops, and casts that change nothing.

Each with its twin, in which the guard must not be seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

import passes
from frontends.onnx import load
from passes.auto_mixed_precision import AutoMixedPrecision
from passes.precision.requests import Requests
from tests.passes.precision.models import F16, agrees, casts, convert, converted, precisions, read

F32, BF16 = "f32", "bf16"


FILTERS = np.linspace(-1, 1, 16, dtype=np.float32).reshape(4, 1, 4)
BANDS = np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 4)


@pytest.mark.parametrize("policy", ["autocast-f16", "autocast-bf16"])
def test_what_a_logarithm_is_taken_of_is_f32_back_to_the_first_product(policy: str) -> None:
    body = "c = Conv(x, w) p = Mul(c, c) m = MatMul(b, p) l = Log(m) n = Relu(l) y = Conv(n, v)"
    source = read(
        f"g (float[1,1,64] x) => (float[1,2,61] y) {{ {body} }}",
        22,
        w=FILTERS,
        b=BANDS,
        v=np.ones((2, 3, 1), np.float32),
    )
    result, found = converted(source, policy)
    low = policy.removeprefix("autocast-")
    assert found == {"c": F32, "p": F32, "m": F32, "l": F32, "n": low, "y": low}
    silence = np.sin(np.arange(64, dtype=np.float32)).reshape(1, 1, 64) * np.float32(1e-4)
    agrees(source, result, 2e-3 if low == "f16" else 2e-2, x=silence)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("a = MatMul(x, w) s = Softmax(a) y = Log(s)", {"a": "f16"}),  # its small values have all their digits
        ("a = MatMul(x, w) s = Sigmoid(a) y = Log(s)", {"a": "f16"}),
        ("a = MatMul(x, w) s = Exp(a) y = Log(s)", {"a": "f16"}),
        ("a = MatMul(x, w) r = Relu(a) b = MatMul(r, w) y = Log(b)", {"a": "f16", "r": "f16", "b": F32}),
        ("a = MatMul(x, w) b = Abs(a) c = MatMul(b, w) y = Log(c)", {"a": F32, "b": F32, "c": F32}),
        ("a = MatMul(x, w) y = Neg(a)", {"a": "f16"}),
    ],
)
def test_where_the_way_back_from_a_logarithm_ends(body: str, wanted: dict[str, str]) -> None:
    source = read(f"g (float[2,2] x) => (float[2,2] y) {{ {body} }}", w=np.array([[1, 0.5], [0.25, 2]], np.float32))
    result, found = converted(source)
    assert {name: found[name] for name in wanted} == wanted
    agrees(source, result, 2e-2, x=np.array([[0.5, 0.25], [1, 0.125]], np.float32))


def test_a_square_that_is_written_as_a_product() -> None:
    twice = "g (float[4,4] x) => (float[4,1] y) { a = MatMul(x, w) q = Mul(a, a) y = ReduceMean<axes=[1]>(q) }"
    root = "g (float[4,4] x) => (float[4,4] y) { a = MatMul(x, w) q = Mul(a, a) s = Add(q, q) y = Sqrt(s) }"
    plain = "g (float[4,4] x) => (float[4,4] y) { a = MatMul(x, w) q = Mul(a, a) y = MatMul(q, w) }"
    for text, runs_in in ((twice, F32), (root, F32), (plain, "f16")):
        source = read(text, w=np.eye(4, dtype=np.float32))
        result, found = converted(source)
        assert (found["a"], found["q"]) == ("f16", runs_in)
        agrees(source, result, 4e-3, x=np.full((4, 4), 300 if runs_in == F32 else 3, np.float32))


@pytest.mark.parametrize(
    ("body", "runs_in"),
    [
        ("a = MatMul(x, w) b = Add(a, k) y = MatMul(b, w)", "f16"),
        ("a = MatMul(x, w) b = Sub(a, k) r = Relu(b) y = MatMul(r, w)", "f16"),
        ("a = MatMul(x, w) b = Add(a, k) y = Sqrt(b)", F32),
        ("a = MatMul(x, w) b = Add(a, k) r = Relu(b) y = Div(x, r)", F32),
        ("a = MatMul(x, w) b = Add(a, k) y = Reciprocal(b)", F32),
        ("a = MatMul(x, w) b = Max(a, k) y = MatMul(b, w)", F32),  # a bound
    ],
)
def test_a_small_bias_is_no_epsilon(body: str, runs_in: str) -> None:
    source = read(
        f"g (float[4,4] x) => (float[4,4] y) {{ {body} }}",
        w=np.eye(4, dtype=np.float32),
        k=np.array([5.6e-5], np.float32),
    )
    result, found = converted(source)
    assert (found["a"], found["b"]) == ("f16", runs_in)
    agrees(source, result, 4e-3, x=np.ones((4, 4), np.float32))


def test_what_selects_follows_what_it_selects_from() -> None:
    low = read(
        "g (float[2,4] x) => (float[2,1] y) { a = MatMul(x, w) b = ReduceMax<axes=[1]>(a) y = MatMul(b, v) }", 17
    )
    low.graph.initializer.extend(
        onnx.numpy_helper.from_array(one, name)
        for name, one in (("w", np.eye(4, dtype=np.float32)), ("v", np.ones((1, 1), np.float32)))
    )
    result, found = converted(low)
    assert found["b"] == "f16" and len(casts(result.graph)) == 2
    assert precisions(read("g (float[2,4] x) => (float[2,1] y) { y = ReduceMin<axes=[1]>(x) }"))["y"] == F32


def test_low_values_that_no_product_touches_stay_f32() -> None:
    text = "g (float[2,4] x) => (float[2,4] y) { s = Softmax(x) m = Mul(s, k) t = Softmax(m) y = MatMul(t, w) }"
    constants: dict[str, Any] = {"w": np.eye(4, dtype=np.float32), "k": np.full(4, 2, np.float32)}
    result, found = converted(read(text, **constants))
    assert (found["m"], found["y"]) == (F32, "f16") and len(casts(result.graph)) == 2
    # Without any product the policy is all that there is.
    assert precisions(read(text.replace("y = MatMul(t, w)", "y = Neg(t)"), k=constants["k"]))["m"] == "f16"


def test_products_that_a_user_keeps_leave_no_islands() -> None:
    """Nothing is cast where all products are kept; without any product at all, what the policy says is done."""
    text = "g (float[2,4] x) => (float[2,4] y) { a = Div(x, k) mm = MatMul(a, w) d = Div(mm, k) y = Softmax(d) }"
    constants: dict[str, Any] = {"w": np.eye(4, dtype=np.float32), "k": np.full(4, 2, np.float32)}
    transform = AutoMixedPrecision.of("autocast-f16")
    transform.requests = Requests(keep=("mm*",))
    transform.runOnModule(load(read(text, **constants)))
    report = transform.report
    assert {line.precision for line in report.lines} == {F32} and report.inserted == 0
    assert report.before.bytes == report.after.bytes
    found = precisions(read(text.replace("MatMul(a, w)", "Neg(a)"), k=constants["k"]))
    assert (found["a"], found["mm"], found["d"], found["y"]) == ("f16", "f16", "f16", F32)


def test_an_operator_set_without_low_products_gets_no_islands() -> None:
    text = "g (float[1,1,8] x) => (float[1,1,8] y) { a = Conv(x, w) b = Relu(a) c = Conv(b, w) d = Relu(c) y = Neg(d) }"
    weight = np.ones((1, 1, 1), np.float32)
    result, found = converted(read(text, 17, w=weight), "autocast-bf16")
    assert set(found.values()) == {F32} and casts(result.graph) == []
    assert set(precisions(read(text, 22, w=weight), "autocast-bf16").values()) == {BF16}


GROUP = """g (float[2,4] x) => (float[2,4] y) {
    q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) e = DequantizeLinear(w, s, z)
    m = MatMul(d, e) OTHERS r = QuantizeLinear(LAST, s, z) y = DequantizeLinear(r, s, z) }"""


@pytest.mark.parametrize(
    ("others", "last", "runs_in"), [("", "m", F32), ("n = Relu(m)", "n", F32), ("n = Add(m, x)", "n", "f16")]
)
def test_what_stands_between_integers_stays_as_it_is(others: str, last: str, runs_in: str) -> None:
    constants: dict[str, Any] = dict(s=np.float32(0.1), z=np.int8(0), w=np.eye(4, dtype=np.int8) * 10)
    source = read(GROUP.replace("OTHERS", others).replace("LAST", last), 19, **constants)
    result, found = converted(source)
    assert found["m"] == runs_in
    assert len(casts(result.graph)) == (0 if runs_in == F32 else len(casts(result.graph)))
    agrees(source, result, 1e-2, x=np.full((2, 4), 0.5, np.float32))


def test_a_group_of_which_a_float_is_used_outside_is_none() -> None:
    constants: dict[str, Any] = dict(s=np.float32(0.1), z=np.int8(0), w=np.eye(4, dtype=np.int8) * 10)
    text = GROUP.replace("(float[2,4] y)", "(float[2,4] y, float[2,4] n)").replace("LAST", "o")
    source = read(text.replace("OTHERS", "n = Relu(m) o = MatMul(n, e)"), 19, **constants)
    result, found = converted(source)  # which looks at a second run
    assert (found["m"], found["n"], found["o"]) == ("f16", "f16", "f16")
    agrees(source, result, 1e-2, x=np.full((2, 4), 0.5, np.float32))


def test_what_a_loop_hands_on_unchanged_is_narrowed_once_outside() -> None:
    text = """g (float[2,4] x, int64 n, bool c) => (float[2,4] y) { a = MatMul(x, w) y, v = Loop <body = b
        (int64 i, bool k, float[2,4] s, float[4,4] u) => (bool k2, float[2,4] t, float[4,4] u2)
        { k2 = Identity(k) t = MatMul(s, u) u2 = Identity(u) }> (n, c, a, w) }"""
    source = read(text.replace("u2 = Identity(u)", "").replace("u2)", "u)"), w=np.eye(4, dtype=np.float32) / 2)
    result, found = converted(source)
    (body,) = [node.attribute[0].g for node in result.graph.node if node.op_type == "Loop"]
    assert found["t"] == "f16" and casts(body) == []
    assert [one.data_type for one in result.graph.initializer] == [F16]
    agrees(source, result, 4e-3, x=np.ones((2, 4), np.float32), n=np.array(3), c=np.array(True))


def test_a_mask_that_nobody_reads_has_no_type_that_counts() -> None:
    source = read("g (float[2,4] x) => (float[2,4] y) { a = MatMul(x, w) d, m = Dropout(a) y = MatMul(d, w) }", 9)
    source.graph.initializer.append(onnx.numpy_helper.from_array(np.eye(4, dtype=np.float32), "w"))
    module, report = passes.convert(load(source), "autocast-f16")
    assert {line.value: line.precision for line in report.lines} == {"a": "f16", "d": "f16", "y": "f16"}
    assert report.inserted == 2


@pytest.mark.parametrize("policy", ["autocast-f16", "autocast-bf16"])
def test_a_cast_from_f32_to_f32_is_no_cast_between_low_values(policy: str) -> None:
    body = "a = MatMul(x, w) b = Cast<to=1>(a) c = Relu(b) y = MatMul(c, w)"
    source = read(f"g (float[2,4] x) => (float[2,4] y) {{ {body} }}", w=np.eye(4, dtype=np.float32))
    result, report = convert(source, policy)
    low = policy.removeprefix("autocast-")
    assert {line.value: line.precision for line in report.lines} == dict.fromkeys("abcy", low)
    assert [one.op_type for one in result.graph.node].count("Cast") == report.inserted == 2  # the other one is gone
    agrees(source, result, 2e-2, x=np.ones((2, 4), np.float32))


def test_a_filled_tensor_is_filled_with_the_lower_float() -> None:
    filled = "c = ConstantOfShape<value = float[1] {2.5}>(s)"
    text = f"g (float[2,4] x) => (float[2,4] y) {{ a = MatMul(x, w) {filled} y = Add(a, c) }}"
    constants: dict[str, Any] = {"w": np.eye(4, dtype=np.float32), "s": np.array([2, 4])}
    result, report = convert(read(text, **constants))
    (node,) = [one for one in result.graph.node if one.op_type == "ConstantOfShape"]
    assert node.attribute[0].t.data_type == F16 and (report.inserted, report.constants) == (2, 2)
    agrees(read(text, **constants), result, 2e-3, x=np.ones((2, 4), np.float32))
    plain = read(text.replace(" <value = float[1] {2.5}>", "").replace("<value = float[1] {2.5}>", ""), **constants)
    assert convert(plain)[1].inserted == 2
    result, report = convert(read(text, 17, **constants), "autocast-bf16")  # bf16 since 20 only
    assert report.inserted == 3


@pytest.mark.parametrize(("perm", "shape", "runs_in"), [([1, 0, 2], [3, 2, 4], F32), ([0, 2, 1], [2, 4, 3], "f16")])
def test_a_transpose_on_which_onnxruntime_crashes(perm: list[int], shape: list[int], runs_in: str) -> None:
    body = f"a = Mul(x, k) r = MatMul(a, e) t = Transpose<perm={perm}>(r) y = MatMul(t, w)"
    text = f"g (float{shape} x) => (float[2,3,5] y) {{ {body} }}"
    constants: dict[str, Any] = {
        "k": np.float32(2),
        "e": np.eye(shape[2], dtype=np.float32),
        "w": np.ones((4, 5), np.float32),
    }
    source = read(text, **constants)
    result, found = converted(source)
    assert (found["t"], found["y"]) == (runs_in, "f16")
    agrees(source, result, 2e-3, x=np.ones(shape, np.float32))
    session = pytest.importorskip("onnxruntime").InferenceSession(result.SerializeToString())
    assert session.run(None, {"x": np.ones(shape, np.float32)})[0].tolist() == np.full((2, 3, 5), 8).tolist()
    assert precisions(read(text, 22, **constants), "autocast-bf16")["t"] == BF16


@pytest.mark.parametrize(("factor", "runs_in"), [(1e6, F32), (2.0, "f16")])
def test_what_may_be_out_of_range_is_so_when_it_comes_out_of_a_sequence(factor: float, runs_in: str) -> None:
    body = "a = Mul(x, k) s = SequenceConstruct(a, a) t = SequenceInsert(s, a) b = SequenceAt(t, i) y = MatMul(b, w)"
    constants: dict[str, Any] = {"k": np.float32(factor), "i": np.int64(1), "w": np.eye(4, dtype=np.float32)}
    source = read(f"g (float[2,4] x) => (float[2,4] y) {{ {body} }}", **constants)
    result, found = converted(source)
    assert (found["b"], found["y"]) == (F32, runs_in)
    agrees(source, result, 2e-3, x=np.full((2, 4), 0.5, np.float32))
