"""Dominance against running: what has run whenever something else begins to run."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.affine import Axis
from runtime.blocks import Block, Loop, Statement
from runtime.builtin import Opaque
from runtime.dominance import (
    ancestor_in,
    comes_first,
    dominates,
    is_visible,
    nearest_common_block,
)
from runtime.dtypes import f32
from runtime.functions import Function
from runtime.tensors import NeuronSBTensor
from runtime.types import Type
from tests.runtime.sample_instructions import SampleIf

TILE = Type.tensor(f32, (4, 4))


def fill(rng: random.Random, block: Block, depth: int, condition: Opaque) -> None:
    for _ in range(rng.randint(0, 3)):
        kind = rng.random()
        if kind < 0.3 and depth < 3:
            loop = Loop(Axis("i", 2))
            block.append(loop)
            fill(rng, loop.body, depth + 1, condition)
        elif kind < 0.5 and depth < 3:
            branch = SampleIf(condition)
            block.append(branch)
            for inner in branch.blocks:
                fill(rng, inner, depth + 1, condition)
        else:
            block.append(Opaque("a", result_types=(TILE,)))


def always_before(block: Block, ran: set[Statement], found: dict[Statement, set[Statement]]) -> None:
    """Collect what has run for certain when each statement begins: of branches and loops, nothing of their inside."""
    for statement in block:
        found[statement] = set(ran)
        for inner in statement.blocks:
            always_before(inner, set(ran), found)
        ran = ran | {statement}


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False))
def test_dominance_is_what_has_run_for_certain(rng: random.Random) -> None:
    function = Function("main")
    condition = Opaque("c", result_types=(TILE,))
    function.body.append(condition)
    fill(rng, function.body, 0, condition)
    for _ in range(3):
        found: dict[Statement, set[Statement]] = {}
        always_before(function.body, set(), found)
        order = list(found)
        for a in found:
            for b in found:
                assert dominates(a, b) == (a in found[b])
                inside = a in b.enclosing or b in a.enclosing or a is b
                assert comes_first(a, b) == (not inside and order.index(a) < order.index(b))
                common = nearest_common_block(a, b)
                assert common is not None
                assert ancestor_in(common, a) is not None and ancestor_in(common, b) is not None
        movable = [one for one in order if one is not condition and not one.blocks]
        if len(movable) > 1:  # an answer is not stale after an edit
            a, b = rng.sample(movable, 2)
            a.moveBefore(b)


def test_values_of_every_kind() -> None:
    function, other = Function("main"), Function("other")
    argument = function.body.add_argument(TILE)
    tensor = function.add_tensor(NeuronSBTensor("t", f32, (4, 4)))
    pair = Opaque("pair", result_types=(TILE, TILE))
    loop = Loop(Axis("i", 2))
    user, last = Opaque("user"), Opaque("last")
    for statement in (pair, loop, last):
        function.body.append(statement)
    loop.body.append(user)
    inner = loop.body.add_argument(TILE)
    stranger, nowhere = Opaque("stranger"), Opaque("nowhere", result_types=(TILE,))
    other.body.append(stranger)
    assert all(is_visible(value, user) for value in (argument, tensor, inner, *pair.results))
    assert not is_visible(inner, last) and not is_visible(pair, pair) and not is_visible(argument, stranger)
    assert not is_visible(tensor, stranger) and not is_visible(nowhere, user) and not is_visible(user, last)
    assert not dominates(nowhere, user) and not dominates(pair, nowhere)
    assert nearest_common_block(user, stranger) is None and not comes_first(user, stranger)
    assert loop.body.parent_function is function and Block().parent_function is None
