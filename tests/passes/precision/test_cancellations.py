"""Terms that cancel stay f32: variances, norms, distances, offsets, remainders, and what is rounded; and masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from frontends.onnx import load, to_proto
from passes.auto_mixed_precision import AutoMixedPrecision
from runtime.verifier import verify
from tests.passes.precision.lossy_models import EYE, NOISE, XY, Lossy, check
from tests.passes.precision.test_moved_constants import FACTORS
from tests.passes.precision.test_scale_ranges import FIRES as SCALES

BF16 = ("autocast-bf16",)
F16 = ("autocast-f16",)
ZEROS = np.zeros((4, 4), np.float32)
HUNDRED = 100 + NOISE
VARIANCE = """m = ReduceMean<axes=[-1]>(x) q = Mul(x, x) e = ReduceMean<axes=[-1]>(q) s = Mul(m, m) d = Sub(e, s) """
CENTRED = "m = ReduceMean<axes=[-1]>(x) c = Sub(x, m) q = Mul(c, c) e = ReduceMean<axes=[-1]>(q) w = Add(e, k) "
SHIFTED = "t = Sqrt(w) r = Reciprocal(t) p = Mul(x, r) o = Mul(m, r) b = Sub(beta, o) n = Add(p, b) y = MatMul(n, v)"
TWO = {"two": np.float32(2), "n": np.array([1])}
POINTS = (20 + np.random.default_rng(1).standard_normal((3, 16))).astype(np.float32)
NEAR = (20 + np.random.default_rng(2).standard_normal((2, 16))).astype(np.float32)
BOOK = {**TWO, "m": np.float32(-2), "u": POINTS.T.copy(), "t": (POINTS**2).sum(1)}
CODES = "q = Pow(x, two) s = ReduceSum(q, n) p = MatMul(x, u) d = Mul(p, m) a = Add(s, d) y = Add(a, t)"
BOTH = "g (float[2,16] x, float[3,16] z) => (float[2,3] y) "
PAIRS = """q = Mul(x, x) s = ReduceSum(q, n) e = Mul(z, z) t = ReduceSum<keepdims=0>(e, n) u = Transpose(z)
    p = MatMul(x, u) d = Mul(p, two) a = Add(s, t) y = Sub(a, d)"""
OFFSET = {"v": EYE, "c": 1e4, "o": np.ones(4, np.float32), "h": 0.5, "k": np.array([1])}
MASKED = "g (float[4,4] x, float[4,4] m) => (float[4,4] y) "
MASK = np.where(np.eye(4) > 0, np.finfo(np.float32).min, 0).astype(np.float32)
MASK[0] = np.finfo(np.float32).min
FOUR = np.random.default_rng(3).standard_normal((4, 4)).astype(np.float32)
RADIUS = "a = MatMul(x, v) c = Mul(x, x) d = Sub(o, c) r = Sqrt(d) y = Add(a, r)"

FIRES: dict[str, Lossy] = {
    "a variance": Lossy(VARIANCE + "a = MatMul(x, v) y = Add(a, d)", HUNDRED, {"v": ZEROS}, "q e m s d", policies=BF16),
    "its root": Lossy(
        VARIANCE + "w = Add(d, k) t = Sqrt(w) c = Sub(x, m) n = Div(c, t) y = MatMul(n, v)",
        HUNDRED,
        {"v": EYE, "k": 1e-5},
        "q s d",
        "y",
        BF16,
    ),
    "by powers": Lossy(
        VARIANCE.replace("Mul(x, x)", "Pow(x, two)").replace("Mul(m, m)", "Pow(m, two)")
        + "a = MatMul(x, v) y = Add(a, d)",
        HUNDRED,
        {"v": ZEROS, "two": 2.0},
        "q s d",
        policies=BF16,
    ),
    "by sums": Lossy(
        "m = ReduceSum(x, n) q = ReduceSumSquare<axes=[1]>(x) e = Div(q, four) u = Div(m, four) s = Mul(u, u) "
        "d = Sub(e, s) a = MatMul(x, v) y = Add(a, d)",
        HUNDRED,
        {"v": ZEROS, "n": np.array([1]), "four": 4.0},
        "e u s d",
        policies=BF16,
    ),
    "a covariance": Lossy(
        "m = ReduceMean<axes=[-1]>(x) l = ReduceMean<axes=[-1]>(z) q = Mul(x, z) e = ReduceMean<axes=[-1]>(q) "
        "s = Mul(l, m) d = Sub(e, s) a = MatMul(x, v) y = Add(a, d)",
        HUNDRED,
        {"v": ZEROS},
        "q s d",
        policies=BF16,
        head="g (float[2,4] x, float[2,4] z) => (float[2,4] y) ",
        others={"z": (100 + 2 * NOISE[::-1]).astype(np.float32)},
    ),
    "a distributed norm": Lossy(
        CENTRED + SHIFTED, HUNDRED, {"v": EYE, "k": 1e-5, "beta": np.zeros(4, np.float32)}, "p o b n", "y"
    ),
    "distances between all": Lossy(PAIRS, NEAR, TWO, "p d a y", head=BOTH, others={"z": POINTS}),
    "distances from codes": Lossy(CODES, NEAR, BOOK, "p d a y", head="g (float[2,16] x) => (float[2,3] y) "),
    "an offset of a softmax": Lossy(
        "a = MatMul(x, v) b = Add(a, c) s = Softmax(b) y = MatMul(s, v)", NOISE, OFFSET, "b s", "a y"
    ),
    "an offset of a norm": Lossy(
        "a = MatMul(x, v) b = Add(a, c) s = LayerNormalization(b, o) y = MatMul(s, v)", NOISE, OFFSET, "b s", "a y"
    ),
    "an offset that is scaled and moved": Lossy(
        "a = MatMul(x, v) b = Add(c, a) d = Mul(b, h) e = Transpose(d) s = Softmax<axis=0>(e) f = Transpose(s) "
        "y = MatMul(f, v)",
        NOISE,
        OFFSET,
        "b d e s",
        "a y",
    ),
    "an offset of a largest one": Lossy(
        "a = MatMul(x, v) b = Sub(a, c) i, y = TopK(b, k)",
        NOISE,
        OFFSET,
        "b",
        "a",
        head="g (float[2,4] x) => (int64[2,1] y) ",
    ),
    "an offset that is taken back": Lossy("a = MatMul(x, v) b = Add(a, c) y = Sub(b, c)", NOISE, OFFSET, "b y", "a"),
    "one minus a cosine": Lossy(
        "a = MatMul(x, v) c = Cos(x) d = Sub(o, c) e = Mul(d, k) y = Add(a, e)",
        NOISE * np.float32(0.01),
        {"v": ZEROS, "o": 1.0, "k": 1e4},
        "c d",
    ),
    "an exponential minus one": Lossy(
        "a = MatMul(x, v) c = Exp(a) d = Add(c, o) y = Div(d, a)",
        NOISE * np.float32(0.01),
        {"v": EYE, "o": -1.0},
        "c d",
        "a",
        BF16,
    ),
    "a root of a difference": Lossy(RADIUS, 0.999 + NOISE * 1e-4, {"v": ZEROS, "o": 1.0}, "c d", "a"),
    "a root of two squares": Lossy(
        "a = MatMul(x, v) c = Mul(x, x) f = Mul(z, z) d = Sub(c, f) r = Sqrt(d) y = Add(a, r)",
        10 + abs(NOISE) * 0.01,
        {"v": ZEROS},
        "c f d",
        "a",
        head="g (float[2,4] x, float[2,4] z) => (float[2,4] y) ",
        others={"z": np.full((2, 4), 9.99, np.float32)},
    ),
    "a fraction": Lossy(
        "a = MatMul(x, v) f = Floor(x) d = Sub(x, f) y = Add(a, d)", 3 * HUNDRED, {"v": ZEROS}, "f d", "a"
    ),
    "what a rounding leaves": Lossy(
        "a = MatMul(x, v) f = Round(x) d = Sub(f, x) y = Add(a, d)", 3 * HUNDRED, {"v": ZEROS}, "f d", "a"
    ),
    "a fraction by casts": Lossy(
        "a = MatMul(x, v) n = Cast<to=7>(x) f = Cast<to=1>(n) d = Sub(x, f) y = Add(a, d)",
        3 * HUNDRED,
        {"v": ZEROS},
        "f d",
        "a",
    ),
    "a remainder by hand": Lossy(
        "a = MatMul(x, v) q = Div(x, k) f = Floor(q) p = Mul(f, k) d = Sub(x, p) y = Add(a, d)",
        3 * HUNDRED,
        {"v": ZEROS, "k": 3.5},
        "q f d",
        "a",
    ),
    "a remainder": Lossy(
        "a = MatMul(x, v) d = Mod<fmod=1>(x, k) y = Add(a, d)", 3 * HUNDRED, {"v": ZEROS, "k": 3.5}, "d", "a"
    ),
    "relative positions": Lossy(
        "a = MatMul(x, v) c = Cast<to=1>(i) e = Cast<to=1>(j) d = Sub(c, e) y = Add(a, d)",
        NOISE,
        {"v": ZEROS},
        "c e d",
        "a",
        head="g (float[2,4] x, int64[4] i, int32[4] j) => (float[2,4] y) ",
        others={"i": np.array([3000, 3001, 3003, 3004]), "j": np.array([2999, 2998, 3001, 3001], np.int32)},
    ),
    "a mask that is an input": Lossy(
        "a = MatMul(x, v) b = Add(a, m) s = Softmax(b) y = MatMul(s, v)",
        FOUR,
        {"v": EYE},
        "b s",
        "a y",
        head=MASKED,
        others={"m": MASK},
    ),
    "one that is moved": Lossy(
        "a = MatMul(x, v) t = Transpose(m) b = Add(t, a) e = Identity(b) s = Softmax(e) y = MatMul(s, v)",
        FOUR,
        {"v": EYE},
        "b e s",
        "a y",
        head=MASKED,
        others={"m": MASK.T.copy()},
    ),
    "a high power": Lossy(
        "b = Mul(x, h) c = Pow(b, n) y = MatMul(c, v)",
        0.999 + NOISE * 1e-3,
        {"v": EYE, "n": 100.0, "h": 1.001},
        "b c",
        policies=BF16,
    ),
    "a power of a constant": Lossy(
        "c = Pow(b, n) a = MatMul(x, v) y = Mul(a, c)",
        NOISE,
        {"v": EYE, "b": 0.999},
        "c",
        "a",
        BF16,
        head="g (float[2,4] x, float[2,4] n) => (float[2,4] y) ",
        others={"n": np.arange(8, dtype=np.float32).reshape(2, 4) * 50},
    ),
    "the largest sigmoid": Lossy(
        "a = MatMul(x, v) s = Sigmoid(a) i, y = TopK(s, k)",
        np.array([[5, 6, 7, 5.5], [7, 6, 5, 8]]),
        {"v": EYE, "k": np.array([2])},
        "s",
        "a",
        BF16,
        head="g (float[2,4] x) => (int64[2,2] y) ",
    ),
    "the largest of near ones": Lossy(
        "b = Mul(x, h) y = ArgMax<axis=-1, keepdims=0>(b) z = MatMul(b, v)",
        [[1.001, 1.002, 1.0015, 0], [1.001, 1, 1.0017, 1.0016]],
        {"v": EYE, "h": 1.5},
        "b",
        "z",
        BF16,
        head="g (float[2,4] x) => (int64[2] y, float[2,4] z) ",
    ),
    "a norm by a product": Lossy(
        'a = Mul(x, h) s = Einsum<equation="ij,ij->i">(a, a) y = Sqrt(s)',
        [[300, 200, 100, 50]] * 2,
        {"h": 1.1},
        "s",
        policies=F16,
        head="g (float[2,4] x) => (float[2] y) ",
    ),
    "a norm by a matrix product": Lossy(
        "a = Mul(x, h) t = Transpose(a) s = MatMul(a, t) y = Sqrt(s)",
        [[300, 200, 100, 50]] * 2,
        {"h": 1.1},
        "s",
        policies=F16,
        head="g (float[2,4] x) => (float[2,2] y) ",
    ),
}


@pytest.mark.parametrize(("name", "policy"), [(name, policy) for name, one in FIRES.items() for policy in one.policies])
def test_what_cancels_is_f32(name: str, policy: str) -> None:
    check(FIRES[name], policy)


def twin(
    body: str, low: str, head: str = XY, others: Any = None, policies: tuple[str, ...] = F16 + BF16, **constants: Any
) -> Lossy:
    held = {"v": EYE, **constants}
    used = {key: one for key, one in held.items() if f"({key}," in body or f", {key})" in body or f", {key}," in body}
    within = {"autocast-f16": 0.05, "autocast-bf16": 0.2}
    return Lossy(
        body, NOISE, used, low=low, head=head, loses=False, within=within, others=others or {}, policies=policies
    )


XZ = "g (float[2,4] x, float[2,4] z) => (float[2,4] y) "
Z = {"z": NOISE[::-1].copy()}
TWINS: dict[str, Lossy] = {
    "moments of two values": twin(
        "m = ReduceMean<axes=[-1]>(z) q = Mul(x, x) e = ReduceMean<axes=[-1]>(q) s = Mul(m, m) d = Sub(e, s) "
        "a = MatMul(x, v) y = Add(a, d)",
        "s d",
        XZ,
        others=Z,
        policies=BF16,
    ),
    "a sum of moments": twin(VARIANCE.replace("Sub", "Add") + "a = MatMul(x, v) y = Add(a, d)", "s d", policies=BF16),
    "a square of something else": twin(
        "m = ReduceMax<axes=[-1]>(x) e = ReduceMean<axes=[-1]>(x) s = Mul(m, m) d = Sub(e, s) a = MatMul(x, v) "
        "y = Add(a, d)",
        "s d",
    ),
    "a norm with another factor": twin(
        "m = ReduceMean<axes=[-1]>(x) p = Mul(x, z) r = Tanh(z) o = Mul(m, r) n = Add(p, o) y = MatMul(n, v)",
        "p o n",
        XZ,
        others=Z,
    ),
    "a norm of another value": twin(
        "m = ReduceMean<axes=[-1]>(z) r = Tanh(x) p = Mul(x, r) o = Mul(m, r) n = Sub(p, o) y = MatMul(n, v)",
        "p o n",
        XZ,
        others=Z,
    ),
    "squares of another value": twin(
        "q = Mul(z, z) s = ReduceSum(q, n) p = MatMul(x, v) a = Sub(s, p) y = Add(a, s)",
        "p",
        XZ,
        others=Z,
        n=np.array([1]),
    ),
    "squares that are added": twin(
        "q = Mul(x, x) s = ReduceSum(q, n) p = MatMul(x, v) h = Mul(p, c) y = Sub(s, h)", "p h", n=np.array([1]), c=-2.0
    ),
    "a sum of what is no square": twin("s = ReduceSum(x, n) p = MatMul(x, v) y = Sub(s, p)", "p", n=np.array([1])),
    "an offset that is small": twin("a = MatMul(x, v) b = Add(a, c) s = Softmax(b) y = MatMul(s, v)", "a b", c=8.0),
    "a mask that is a constant": twin(
        "a = MatMul(x, v) b = Add(a, c) s = Softmax(b) y = MatMul(s, v)",
        "a b",
        c=np.array([0, 0, -1e4, 0], np.float32),
    ),
    "an offset that stays": twin("a = MatMul(x, v) b = Add(a, c) d = Relu(b) y = Mul(d, h)", "a b d", c=1e4, h=0.5),
    "an offset of several": twin(
        "a = MatMul(x, v) b = Add(a, c) d = Mul(b, x) s = Softmax(d) y = MatMul(s, v)", "a b d", c=np.float32(1000)
    ),
    "one plus a square": twin("a = MatMul(x, v) c = Mul(a, a) d = Add(o, c) y = Div(a, d)", "a c d", o=1.0),
    "a gate": twin("a = MatMul(x, v) c = Tanh(a) d = Add(c, o) y = Mul(a, d)", "a c d", o=1.0),
    "an exponential minus one that is added": twin(
        "a = MatMul(x, v) c = Tanh(a) d = Sub(c, o) e = Add(d, a) y = Relu(e)", "a c d e", o=1.0
    ),
    "one minus a product": twin("a = MatMul(x, v) d = Sub(o, a) f = Abs(d) r = Sqrt(f) y = Add(a, r)", "a d r", o=1.0),
    "a difference of two products": twin(
        "a = MatMul(x, v) c = Mul(a, z) e = Mul(x, a) d = Sub(c, e) y = MatMul(d, v)", "c e d", XZ, others=Z
    ),
    "what another value is rounded to": twin(
        "a = MatMul(x, v) f = Floor(z) d = Sub(a, f) y = Relu(d)", "a d", XZ, others=Z
    ),
    "one position": twin(
        "a = MatMul(x, v) c = Cast<to=1>(i) d = Sub(a, c) y = Relu(d)",
        "a d",
        "g (float[2,4] x, int64[4] i) => (float[2,4] y) ",
        others={"i": np.arange(4)},
    ),
    "an input that is used otherwise": twin(
        "a = MatMul(x, v) b = Add(a, z) s = Softmax(b) c = Mul(b, s) y = MatMul(c, v)", "a b c", XZ, others=Z
    ),
    "a mask that is computed": twin(
        "a = MatMul(x, v) n = Relu(z) b = Add(a, n) s = Softmax(b) y = MatMul(s, v)", "a b", XZ, others=Z
    ),
    "a low power": twin("a = MatMul(x, v) b = Mul(a, a) c = Mul(b, a) y = MatMul(c, v)", "b c"),
    "the largest product": twin(
        "a = MatMul(x, v) r = Relu(a) y = ArgMax<axis=-1, keepdims=0>(r)", "a r", "g (float[2,4] x) => (int64[2] y) "
    ),
    "products of all pairs": twin(
        "t = Transpose(x) s = MatMul(x, t) w = Softmax(s) y = MatMul(w, x)",
        "s y",
        "g (float[2,4] x) => (float[2,4] y) ",
    ),
    "a root of a product of two": twin(
        "t = Transpose(z) s = MatMul(x, t) a = Abs(s) y = Sqrt(a)",
        "s a",
        "g (float[2,4] x, float[2,4] z) => (float[2,2] y) ",
        others=Z,
    ),
}


@pytest.mark.parametrize(("name", "policy"), [(name, policy) for name, one in TWINS.items() for policy in one.policies])
def test_twins_run_low(name: str, policy: str) -> None:
    check(TWINS[name], policy)


def test_squares_are_low_where_an_exponent_is_small() -> None:
    case = Lossy("a = MatMul(x, v) c = Pow(a, n) y = MatMul(c, v)", NOISE, {"v": EYE, "n": 2.0}, low="c", loses=False)
    check(case, "autocast-bf16")


@pytest.mark.parametrize("policy", ["always-f16", "auto-mixed", "auto-mixed-bf16"])
def test_a_second_run_changes_nothing_where_kinds_decide(policy: str) -> None:
    """The casts of the first run stand between the values then, and some constants are low."""
    for name, case in {**FIRES, **TWINS, **FACTORS, **SCALES}.items():
        module = load(case.model)
        AutoMixedPrecision(policy=policy, guards=True).runOnModule(module)
        assert verify(module) == [], name
        again = load(to_proto(module))
        assert not AutoMixedPrecision(policy=policy, guards=True).runOnModule(again), name
