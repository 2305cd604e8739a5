"""The laws hold for good passes that nobody has told them of, and catch the mistakes that passes make."""

import numpy as np
import pytest

from passes.framework.dot_transform import DotTransform
from passes.registry import PASSES
from tests.passes import tiny_passes
from tests.passes.laws import different_elements, run_under_laws
from tests.passes.pass_cases import shown
from tests.passes.random_chains import random_program
from tests.passes.small_programs import CHAIN
from tests.passes.tiny_passes import (
    Breaks,
    Claims,
    Counts,
    FoldCopies,
    FoldCopiesBlindly,
    Narrow,
    NarrowSecretly,
    NeverDone,
    Widen,
    WidenSecretly,
)

OVERWRITTEN = """\
func @main(%x: f32[4,8], %z: f32[4,8]) {
  tensor %t: f32[4,8] sbuf
  %t = tensor_copy %x
  %a: f32[4,8] = tensor_copy %t
  %t = activation relu %z
  %b: f32[4,8] = tensor_copy %a
  return %b
}
"""
"""%b is %x; a fold that looks at copies alone makes it relu(%z)."""


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put all tiny passes into the table."""
    for cls in vars(tiny_passes).values():
        if isinstance(cls, type) and issubclass(cls, DotTransform) and cls.__module__ == tiny_passes.__name__:
            monkeypatch.setitem(PASSES, cls.pass_name, (cls.__module__, cls.__name__))


@pytest.mark.parametrize("cls", [FoldCopies, Narrow], ids=lambda cls: cls.pass_name)
def test_good_passes_obey_on_random_programs(cls: type[DotTransform]) -> None:
    outcomes = [run_under_laws(random_program(seed), cls.pass_name) for seed in range(25)]
    assert sum(outcome.changed for outcome in outcomes) > 10


@pytest.mark.parametrize("cls", [FoldCopiesBlindly, NarrowSecretly], ids=lambda cls: cls.pass_name)
def test_random_programs_find_a_pass_that_computes_something_else(cls: type[DotTransform]) -> None:
    """In over a quarter of the programs that it changes, so a hundred leave no doubt: 0.75 ** 100 is below 1e-12."""
    unnoticed, wrong = 0, 0
    for seed in range(60):
        try:
            unnoticed += run_under_laws(random_program(seed), cls.pass_name).changed
        except AssertionError as error:
            assert "and is" in str(error)
            wrong += 1
    assert wrong > 10 and 3 * wrong > unnoticed, f"{unnoticed} wrong programs unnoticed, {wrong} noticed"


@pytest.mark.parametrize(
    ("cls", "program", "said"),
    [
        (FoldCopiesBlindly, OVERWRITTEN, "output 0: "),
        (WidenSecretly, CHAIN, "output 0: "),
        (Widen, CHAIN.replace("relu %x", "relu %x {rounding = user}"), "the author asked for the roundings of"),
        (Claims, CHAIN, "the pass says changed=True"),
        (NeverDone, CHAIN, "a second run changes something"),
        (Counts, CHAIN, "it counts, and changes nothing"),
        (Breaks, CHAIN, "the pass broke the program: @main %u: error"),
    ],
    ids=lambda given: getattr(given, "pass_name", ""),
)
def test_what_is_wrong_with_a_pass_is_said(cls: type[DotTransform], program: str, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        run_under_laws(program, cls.pass_name)


@pytest.mark.parametrize(("cls", "program"), [(FoldCopies, OVERWRITTEN), (Widen, CHAIN), (Narrow, CHAIN)])
def test_the_nearest_twin_that_is_right_is_let_through(cls: type[DotTransform], program: str) -> None:
    run_under_laws(program, cls.pass_name)


def test_a_case_shows_what_a_pass_says_of_itself() -> None:
    assert shown(run_under_laws(OVERWRITTEN, "fold-copies")) == (
        "// kept: %b: a store to the tensor can run between the cast and a user of it\n// unchanged\n"
    )
    narrowed = shown(run_under_laws(CHAIN, "narrow"))
    assert narrowed.startswith("// Number of results narrowed: 1\n// newly rounded: %u\ntarget trn2\n")
    widened = shown(run_under_laws(CHAIN, "widen"))
    assert widened.startswith("// not rounded: %p\ntarget trn2\n")


def test_a_case_with_several_passes_is_refused() -> None:
    with pytest.raises(AssertionError, match="the laws are about one pass, not 'narrow, widen'"):
        run_under_laws(CHAIN, "narrow, widen")


def test_what_differs_is_said_by_its_first_element() -> None:
    wanted, got = np.array([[0.0, 1.0], [np.nan, 3.0]], np.float32), np.array([[-0.0, 1.0], [np.nan, 4.0]], np.float32)
    said = different_elements(0, wanted, got)
    assert said.startswith("output 0: [0,0] was 0.0 and is -0.0; 2 of 4 elements differ, and no rounding")
