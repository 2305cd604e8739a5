"""Constants that are moved, picked out of tables, or multiply one after the other: judged by what comes of them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.passes.precision.lossy_models import EYE, NOISE, Lossy, check

F16 = ("autocast-f16",)
TABLE = np.array([1, 1e-8, 3], np.float32)
SMALL = (np.random.default_rng(0).standard_normal((4, 4)) * 1e-8).astype(np.float32)
A = "a = MatMul(x, v) "
END = " b = Mul(a, t) y = Div(b, t)"
ONE = {"n": np.array([1]), "m": np.array([2]), "i": np.array(1), "v": EYE, "c": TABLE}


def moved(body: str, f32: str = "b y", low: str = "a", loses: bool = True, **others: object) -> Lossy:
    text = A + body + END
    held = {**ONE, **others}
    used = {
        name: one for name, one in held.items() if f"({name}," in text or f", {name})" in text or f", {name}," in text
    }
    return Lossy(text, NOISE, used, f32, low, F16, loses=loses)


CASES: dict[str, Lossy] = {
    "gathered": moved("t = Gather(c, i)"),
    "gathered from the end": moved("t = Gather(c, i)", i=np.array(-2)),
    "cut out": moved("t = Slice(c, n, m)"),
    "joined": moved("d = Gather(c, n) t = Concat<axis = 0>(d, d, d, d)"),
    "moved": moved("d = Slice(c, n, m) e = Unsqueeze(d, z) f = Transpose(e) t = Squeeze(f, z)", z=np.array([0])),
    "chosen": moved("t = Where(w, e, o)", w=np.array(True), e=np.float32(1e-8), o=np.float32(1)),
    "repeated": moved("d = Gather(c, n) e = Expand(d, s) t = ReduceMax<axes = [0]>(e)", s=np.array([3, 1])),
    "a reciprocal of it": moved("d = Gather(c, i) t = Reciprocal(d)"),
    "a power of it": moved("d = Gather(c, i) t = Pow(d, p)", p=np.float32(1.5), i=np.array(1), c=TABLE**0.5),
    "another one": moved("t = Gather(c, i)", "", "a b y", loses=False, i=np.array(2)),
    "another part": moved("t = Slice(c, n, m)", "", "a b y", loses=False, n=np.array([2]), m=np.array([3])),
    "another choice": moved(
        "t = Where(w, e, o)", "", "a b y", False, w=np.array(False), e=np.float32(1e-8), o=np.float32(1)
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_constants_that_are_moved(name: str) -> None:
    check(CASES[name], "autocast-f16")


FACTORS: dict[str, Lossy] = {
    "two": Lossy(
        "a = MatMul(x, v) b = Mul(a, c) d = Mul(b, c) e = Div(d, c) y = Div(e, c)",
        NOISE,
        {"v": EYE, "c": 1e-4},
        "d e y",
        "a b",
        F16,
    ),
    "two divisions": Lossy(
        "a = MatMul(x, v) b = Div(a, c) d = Div(b, c) e = Mul(c, d) y = Mul(e, c)",
        NOISE,
        {"v": EYE, "c": 1e3},
        "d e y",
        "a b",
        F16,
        within={"autocast-f16": 1e-3},
    ),
    "a move between": Lossy(
        "a = MatMul(x, v) b = Mul(a, c) t = Transpose(b) d = Mul(t, c) e = Mul(d, k) f = Transpose(e) y = Mul(f, k)",
        NOISE,
        {"v": EYE, "c": 3e3, "k": 1e-3},
        "d e y",
        "a b t",
        F16,
    ),
    "they fit": Lossy(
        "a = MatMul(x, v) b = Mul(a, c) d = Mul(b, k) e = Mul(d, c) y = Mul(e, k)",
        NOISE,
        {"v": EYE, "c": 1e-3, "k": 1e3},
        "",
        "a b d e y",
        F16,
        loses=False,
    ),
    "a sum between": Lossy(
        "a = MatMul(x, v) b = Mul(a, c) s = Add(b, a) d = Mul(s, c) y = Div(d, c)",
        NOISE,
        {"v": EYE, "c": 1e-3},
        "",
        "a b s d y",
        F16,
        loses=False,
    ),
    "no room": Lossy("a = MatMul(x, v) b = Mul(a, c) y = Div(b, c)", NOISE, {"v": EYE, "c": 6e4}, "b y", "a", F16),
    "no room for products": Lossy("b = MatMul(x, w) y = Div(b, c)", NOISE, {"w": EYE * 6e4, "c": 1e3}, "b y", "", F16),
    "room": Lossy(
        "a = MatMul(x, v) b = Mul(a, c) y = Div(b, c)", NOISE, {"v": EYE, "c": 1e4}, "", "a b y", F16, loses=False
    ),
    "a small matrix": Lossy("b = MatMul(x, w) y = Mul(b, k)", NOISE, {"w": SMALL, "k": 1e8}, "b y", "", F16),
    "small factors": Lossy(
        "a = MatMul(x, v) b = Mul(a, w) y = Mul(b, k)", NOISE, {"v": EYE, "w": SMALL[:2], "k": 1e8}, "b y", "a", F16
    ),
    "a matrix with small elements": Lossy(
        "b = MatMul(x, w) y = Mul(b, k)", NOISE, {"w": EYE + SMALL, "k": 10.0}, "", "b y", F16, loses=False
    ),
    "a small bias": Lossy(
        "b = Gemm(x, v, w) y = Mul(b, k)", NOISE, {"v": EYE, "w": SMALL[0], "k": 10.0}, "", "b y", F16, loses=False
    ),
    "zeros": Lossy(
        "a = MatMul(x, v) b = MatMul(x, w) y = Add(a, b)",
        NOISE,
        {"v": EYE, "w": SMALL * 0},
        "",
        "a b y",
        F16,
        loses=False,
    ),
}


@pytest.mark.parametrize("name", FACTORS)
def test_factors(name: str) -> None:
    check(FACTORS[name], "autocast-f16")


@pytest.mark.parametrize("name", ["two", "two divisions", "no room", "a small matrix", "small factors"])
def test_bf16_has_the_range_of_f32(name: str) -> None:
    case = FACTORS[name]
    low = f"{case.f32} {case.low}"
    check(Lossy(case.body, case.x, case.constants, "", low, loses=False), "autocast-bf16")
