"""Predicates: which iterations they leave, against trying every iteration; what an instruction does with them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import runtime
from runtime.affine import Affine, Axis
from runtime.builder import Builder
from runtime.builtin import Opaque
from runtime.functions import Function
from runtime.iterations import Undecided, bounds_where, count, witness
from runtime.predicates import AffinePredicate

ROW, COLUMN = Axis("i", 4, 0, 128), Axis("j", 8, -3)


def affines(axes: list[Axis], most: int) -> st.SearchStrategy[Affine]:
    numbers = st.integers(-most, most)
    terms = st.lists(st.tuples(st.sampled_from(axes), numbers), max_size=3).map(tuple)
    return st.builds(Affine, numbers, terms)


Question = tuple[list[Axis], list[AffinePredicate], Affine]


@st.composite
def questions(draw: st.DrawFn) -> Question:
    trips = draw(st.lists(st.integers(0, 7), min_size=1, max_size=3))
    starts = st.integers(-5, 5)
    axes = [Axis(f"a{index}", trips[index], draw(starts), draw(starts)) for index in range(len(trips))]
    predicates = st.builds(AffinePredicate, affines(axes, 9), st.booleans())
    return axes, draw(st.lists(predicates, max_size=3)), draw(affines(axes, 9))


@given(questions())
def test_answers_are_those_of_trying_every_iteration(question: Question) -> None:
    axes, predicates, expr = question
    places = [range(axis.trip_count) for axis in axes]
    iterations = [
        {axis: axis.lower + axis.step * at for axis, at in zip(axes, place, strict=True)} for place in product(*places)
    ]
    left = [values for values in iterations if all(predicate.holds(values) for predicate in predicates)]
    used = {axis for predicate in predicates for axis, factor in predicate.expr.terms if factor * axis.step}
    assert count(predicates, axes) == len(left)
    runs = all(axis.trip_count for axis in axes)
    found = witness(predicates)
    if runs:
        assert (found is None) == (not left)
        if found is not None:
            values = {axis: axis.lower for axis in axes} | dict(found)
            assert set(found) == used and all(predicate.holds(values) for predicate in predicates)
        bounds = bounds_where(expr, predicates)
        assert not left or bounds is not None
        for values in left:
            assert bounds is not None and bounds[0] <= expr.evaluate(values) <= bounds[1]
        for predicate in predicates:
            assert not predicate.holds_always or all(predicate.holds(values) for values in iterations)


def test_large_loops_are_answered_without_trying_every_iteration() -> None:
    wide, long = Axis("w", 10**9), Axis("l", 10**9, 0, 7)
    some = (AffinePredicate.pred_ge(wide, 5), AffinePredicate.pred_lt(long, 70))
    assert count(some, (wide, long)) == (10**9 - 5) * 10
    assert witness((AffinePredicate.pred_eq(Affine(0, ((wide, 2), (long, 4))), 7),)) is None
    with pytest.raises(Undecided):
        count((AffinePredicate.pred_ge(wide, long),), (wide, long))


@pytest.mark.parametrize(
    ("made", "shown"),
    [
        (AffinePredicate.pred_ge(ROW, 128), "-128 + 1*%i >= 0"),
        (AffinePredicate.pred_gt(ROW, COLUMN), "-1 + 1*%i + -1*%j >= 0"),
        (AffinePredicate.pred_le(ROW, 3), "3 + -1*%i >= 0"),
        (AffinePredicate.pred_lt(ROW, 3), "2 + -1*%i >= 0"),
        (AffinePredicate.pred_eq(7, COLUMN), "7 + -1*%j == 0"),
    ],
)
def test_each_comparison_is_one_of_two(made: AffinePredicate, shown: str) -> None:
    assert str(made) == shown


def test_an_instruction_without_predicates_has_nothing_to_hold_them() -> None:
    inst = Opaque("a")
    assert (inst.extras, inst.predicates, inst.is_predicated) == (None, (), False)
    inst.addPredicate()
    assert not inst.extras
    some = AffinePredicate.pred_ge(ROW, 128)
    inst.addPredicate(some, AffinePredicate.pred_ge(ROW, 0))
    inst.addPredicate(AffinePredicate.pred_ge(ROW, 128))
    assert list(map(str, inst.predicates)) == ["-128 + 1*%i >= 0", "0 + 1*%i >= 0"]
    inst.canonicalizePredicates()
    assert list(inst.predicates) == [some]
    inst.resetPredicates()
    assert not inst.extras
    number: Any = 1
    with pytest.raises(TypeError, match="addPredicate takes an AffinePredicate, not"):
        inst.addPredicate(number)
    with pytest.raises(TypeError, match="a predicate is affine in axes"):
        AffinePredicate(number)


def test_how_often_an_instruction_runs_counts_its_predicates() -> None:
    build = Builder(Function("main"))
    with build.loop("i", 6) as i, build.loop("j", 5) as j, build.loop("k", 2):
        inst = build.insert(Opaque("a"))
    assert inst.num_dynamic_instances == 60
    inst.addPredicate(AffinePredicate.pred_gt(i, j))  # 0 + 1 + 2 + 3 + 4 + 5 pairs
    assert inst.num_dynamic_instances == 30
    copy = inst.clone({i: ROW})
    assert copy.predicates == (AffinePredicate.pred_gt(ROW, j),)


TEXT = """\
func @main() {
  tensor %x: f32[2,8] sbuf input
  tensor %y: f32[2,8] sbuf output
  for %i = 0 step 1 times 8 {
    for %j = 0 step 1 times 3 {
      %y[0 + 1*%i | 8:2, 1:1] = tensor_copy %x[0 + 1*%i | 8:2, 1:1] {predicates = [WHERE]}
      %y[0 + 1*%i | 8:2, 1:1] = tensor_scalar mult %x[0 + 1*%i | 8:2, 1:1] scalar0 100.0 {predicates = [ELSE]}
    }
  }
}
"""


@pytest.mark.parametrize(
    ("where", "otherwise", "chosen"),
    [
        ("%i >= 4", "%i < 4", lambda i: i >= 4),
        ("%i == 3", "1 == 1", lambda i: False),
        ("%i + %j == 7", "%i < 5", lambda i: 5 <= i <= 7),
        ("%j == 1", "%i < 5, %j == 0", lambda i: True),
        ("%j == 1", "%i < 5, %j == 2", lambda i: i >= 5),
    ],
)
def test_an_instruction_runs_where_its_predicates_hold(where: str, otherwise: str, chosen: Any) -> None:
    module = runtime.parse(TEXT.replace("WHERE", where).replace("ELSE", otherwise))
    x = np.arange(16, dtype=np.float32).reshape(2, 8)
    expected = np.where([chosen(i) for i in range(8)], x, 100 * x)
    assert (runtime.run(module, {"x": x})["y"] == expected).all()


def test_what_no_iteration_writes_is_not_there() -> None:
    module = runtime.parse(TEXT.replace("WHERE", "%i >= 4").replace("ELSE", "%i < 3"))
    with pytest.raises(runtime.interpreter.InterpreterError, match=r"reads element \[0, 3\] of %y"):
        runtime.run(module, {"x": np.ones((2, 8), np.float32)})
