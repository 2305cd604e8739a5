"""Filters that take differences stay f32: where neighbours are alike, rounded taps would leave what must cancel."""

from typing import Any

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

import passes
from passes.precision.reasons import Rule
from runtime import parse
from tests.passes.precision.models import agrees, convert, precisions, read

SLOPE = np.array([[-1.1, 0, 1.1], [-2.3, 0, 2.3], [-1.1, 0, 1.1]], np.float32)
EDGE = np.array([[0.7, 0.3, 0.7], [0.3, -4, 0.3], [0.7, 0.3, 0.7]], np.float32)
BLUR = np.full((3, 3), 1 / 9, np.float32)
LAST = np.ones((2, 2, 1, 1), np.float32)
TEXT = "g (float[1,2,8,8] x) => (float[1,2,6,6] y) { a = Relu(x) c = Conv<group=2>(a, w) r = Relu(c) y = Conv(r, v) }"


def filters(*each: Any) -> Any:
    """One filter for each channel."""
    return np.stack(each)[:, None]


def first_result(source: Any, feeds: Any) -> Any:
    (result,) = ReferenceEvaluator(source).run(None, feeds)
    return result


@pytest.mark.parametrize("policy", ["autocast-f16", "autocast-bf16"])
def test_slopes_and_edges(policy: str) -> None:
    source = read(TEXT, 22, w=filters(SLOPE, EDGE), v=LAST)
    result, report = convert(source, policy)
    found = {line.value: line.precision for line in report.lines}
    low = policy.removeprefix("autocast-")
    assert found["c"] == "f32" and (found["r"], found["y"]) == (low, low)  # the difference may be narrowed
    assert {line.value: line.rule for line in report.lines}["c"] is Rule.DIFFERENCES
    step = np.where(np.arange(8) < 4, 64, 65).astype(np.float32)  # what both floats hold
    agrees(source, result, 1e-3 if low == "f16" else 8e-3, x=np.broadcast_to(step, (1, 2, 8, 8)).copy())


def test_what_would_be_left_of_a_plain_area() -> None:
    """Taps of 0.7 and 0.3 are 2e-4 and 5e-5 larger in f16: four of each, over 200, in two channels, leave 0.39."""
    source = read(TEXT, w=filters(EDGE, EDGE), v=LAST)
    rounded = read(TEXT, w=filters(EDGE, EDGE).astype(np.float16).astype(np.float32), v=LAST)
    plain = {"x": np.full((1, 2, 8, 8), 200, np.float32)}
    wanted, left, got = (first_result(one, plain) for one in (source, rounded, convert(source)[0]))
    assert abs(wanted).max() < 2e-3 and abs(got).max() < 2e-3 and abs(left).max() > 0.38


def test_the_first_layer_of_a_grey_picture() -> None:
    text = "g (float[1,1,8,8] x) => (float[1,2,6,6] y) { c = Conv(x, w) y = Conv(c, v) }"
    source = read(text, w=filters(SLOPE, EDGE), v=LAST)
    assert {name: precisions(source)[name] for name in "cy"} == {"c": "f32", "y": "f16"}


WAVE = np.sin(np.arange(64) * np.pi / 8).astype(np.float32)
TWINS: dict[str, tuple[str, Any]] = {
    "they add up to something": (TEXT, filters(BLUR, BLUR)),
    "one of them does": (TEXT, filters(1.5 * EDGE - BLUR * 2, BLUR)),
    "an eighth is left": (TEXT, filters(*[EDGE + np.pad([[0.9]], 1).astype(np.float32)] * 2)),
    "nothing to add up": (TEXT, np.zeros((2, 1, 3, 3), np.float32)),
    "over several channels": (
        "g (float[1,2,8,8] x) => (float[1,2,6,6] y) { c = Conv(x, w) y = Conv(c, v) }",
        np.stack([filters(EDGE, -EDGE)[:, 0]] * 2),
    ),
    "a single tap": (
        "g (float[1,2,6,6] x) => (float[1,2,6,6] y) { c = Conv<group=2>(x, w) y = Conv(c, v) }",
        np.ones((2, 1, 1, 1), np.float32),
    ),
    "a wave": (
        "g (float[1,1,64] x) => (float[1,2,1] y) { c = Conv(x, w) m = MatMul(u, c) y = Relu(m) }",
        np.stack([WAVE, WAVE[::-1]])[:, None],
    ),
    "transposed": (
        "g (float[1,2,4,4] x) => (float[1,2,6,6] y) { c = ConvTranspose<group=2>(x, w) y = Conv(c, v) }",
        filters(EDGE, SLOPE),
    ),
    "a product": ("g (float[2,1,9] x) => (float[2,1,2] y) { c = MatMul(x, w) y = Relu(c) }", None),
}


@pytest.mark.parametrize("name", TWINS)
def test_twins_run_low(name: str) -> None:
    text, taps = TWINS[name]
    if taps is None:
        taps = np.stack([SLOPE.reshape(9, 1), EDGE.reshape(9, 1)])
        text = text.replace("float[2,1,2] y", "float[2,1,1] y")
    constants = {"w": taps, "v": LAST, "u": LAST[:, :, 0, 0]}
    used = {name: one for name, one in constants.items() if f"{name}," in text or f", {name}" in text}
    assert precisions(read(text, **used))["c"] == "f16"


def test_few_filters_of_many() -> None:
    text = TEXT.replace("[1,2,8,8]", "[1,4,8,8]").replace("group=2", "group=4")
    source = read(text, w=filters(EDGE, BLUR, BLUR, BLUR), v=np.ones((2, 4, 1, 1), np.float32))
    assert precisions(source)["c"] == "f16"
    half = read(text, w=filters(EDGE, BLUR, SLOPE, BLUR), v=np.ones((2, 4, 1, 1), np.float32))
    assert precisions(half)["c"] == "f32"


def test_filters_that_are_not_known() -> None:
    text = TEXT.replace("x) =>", "x, float[2,1,3,3] w) =>")
    assert precisions(read(text, v=LAST))["c"] == "f16"


def test_taps_that_a_node_gives() -> None:
    """A Constant is as good as an initializer."""
    taps = ", ".join(str(one) for one in filters(EDGE, EDGE).ravel())
    text = TEXT.replace("{ a =", f"{{ w = Constant<value = float[2,1,3,3] {{{taps}}}>() a =")
    assert precisions(read(text, v=LAST))["c"] == "f32"


@pytest.mark.parametrize(("taps", "low"), [("[-1.5, 3.0, -1.5]", "f32"), ("[0.5, 1.0, 0.5]", "f16")])
def test_convolutions_of_the_graph(taps: str, low: str) -> None:
    module, report = passes.convert(
        parse(
            "func @main(%x: f32[1,2,8]) {\n"
            f"  %w: f32[2,1,3] = graph.constant {{value = dense<[[{taps}], [{taps}]]>}}\n"
            "  %c: f32[1,2,6] = graph.conv %x, %w {groups = 2}\n"
            "  %y: f32[1,2,6] = graph.activation relu %c\n"
            "  return %y\n}\n"
        )
    )
    assert {line.value: line.precision for line in report.lines}["c"] == low
