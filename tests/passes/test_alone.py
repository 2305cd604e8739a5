"""Which rounding alone makes the largest error: roundings planted by hand, and programs where nobody can tell."""

import numpy as np
import pytest

import runtime
from passes.numerics import alone
from passes.numerics.alone import Alone, largest_alone

FIRST = """\
func @main(%x: f32[1,1]) {
  %a: f32[1,1] = activation copy %x
  %b: f32[1,1] = activation copy %a scale 0.25
  %c: f32[1,1] = activation copy %b
  %d: f32[1,1] = activation copy %c
  return %d
}
"""


def found(second: str, x: float) -> Alone | str:
    before, after = runtime.parse(FIRST), runtime.parse(second)
    inputs = {"x": np.array([[x]], np.float32)}
    compared = runtime.compare(before, after, inputs)
    return largest_alone(compared, runtime.run(before, inputs), after, inputs)


@pytest.mark.parametrize(("narrow", "expected"), [("ab", "b"), ("abc", "b"), ("bc", "b"), ("ac", "c"), ("a", "a")])
def test_the_coarsest_rounding_is_found(narrow: str, expected: str) -> None:
    """a is f16, b and c bf16: 257 is exact in f16 and 1/4 of it a tie of bf16; 2049 is a tie of both."""
    second = FIRST
    for name in narrow:
        second = second.replace(f"%{name}: f32", f"%{name}: {'f16' if name == 'a' else 'bf16'}")
    result = found(second, 2049.0 if narrow == "a" else 257.0)
    assert isinstance(result, Alone) and result.inst.name == expected and result.is_most
    (error,) = result.outputs.values()
    assert error is not None and error.largest == 0.25  # a quarter of 257 - 256, or of 2049 - 2048


def test_many_are_looked_through_in_groups() -> None:
    """Of 40 roundings one is of a value that is not exact: 257 in bf16."""
    lines = [f"  %v{at}: f32[1,1] = activation copy %{'x' if at == 0 else f'v{at - 1}'}" for at in range(40)]
    first = "\n".join(["func @main(%x: f32[1,1]) {", *lines, "  return %v39", "}", ""])
    second = first
    for at in range(40):
        second = second.replace(f"%v{at}: f32", f"%v{at}: {'bf16' if at >= 23 else 'f16'}")
    before, after = runtime.parse(first), runtime.parse(second)
    inputs = {"x": np.array([[257 + 2**-7]], np.float32)}  # each f16 rounds it to 257, by less
    compared = runtime.compare(before, after, inputs)
    result = largest_alone(compared, runtime.run(before, inputs), after, inputs)
    assert isinstance(result, Alone) and result.inst.name == "v23" and result.is_most


def test_what_is_more_than_rounding_is_not_explained_by_it() -> None:
    result = found(FIRST.replace("%b: f32", "%b: bf16").replace("0.25", "0.5"), 257.0)
    assert result == "the outputs are apart without roundings, too"


def test_what_rounds_nothing_has_no_rounding_to_blame() -> None:
    assert found(FIRST.replace("0.25", "0.5"), 257.0) == "none of its instructions rounds to a narrower float"


def test_patience_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alone, "SECONDS", -1.0)
    assert found(FIRST.replace("%b: f32", "%b: bf16"), 257.0) == "looking through 1 roundings takes more than -1 s"
