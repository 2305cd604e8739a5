"""Random edits through a builder; use-lists, accesses, dependency edges and predicates against a recomputation."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.access import NeuronAP
from runtime.blocks import Block, Statement
from runtime.builder import Builder
from runtime.builtin import Opaque
from runtime.dependencies import EdgeKind
from runtime.dtypes import f32
from runtime.functions import Function, loops_of
from runtime.instructions import Instruction
from runtime.predicates import AffinePredicate
from runtime.tensors import NeuronSBTensor
from runtime.types import Type
from runtime.values import Operand, Value
from runtime.wrappers.TensorCopyOp import TensorCopyOp
from tests.runtime.sample_instructions import SampleIf

TILE = Type.tensor(f32, (128, 512))


class RandomEdits:
    """A function under random edits. Its edges and predicates are kept a second time, beside it."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.function = Function("main")
        self.build = Builder(self.function)
        self.argument = self.function.body.add_argument(TILE)
        self.tensors = [self.function.add_tensor(NeuronSBTensor(name, f32, (128, 512))) for name in ("s", "t")]
        self.edges: dict[tuple[Instruction, Instruction], EdgeKind] = {}
        self.predicates: dict[Instruction, tuple[AffinePredicate, ...]] = {}

    @property
    def insts(self) -> list[Instruction]:
        return list(self.function.insts)

    @property
    def values(self) -> list[Value]:
        return [self.argument, *(result for inst in self.insts for result in inst.results)]

    def step(self) -> None:
        placing = (self.insert, self.insert, self.insert, self.erase, self.move, self.clone)
        using = (self.replace_uses, self.replace_tensor, self.replace_with)
        self.rng.choice((*placing, *using, self.predicate, self.add_edge, self.add_edge, self.remove_edge))()
        self.check()

    def insert(self) -> None:
        rng, build = self.rng, self.build
        block = rng.choice(self.blocks())
        statements = list(block)
        places = [build.at_start(block), build.at_end(block)]
        if statements:
            places += [build.at_before(rng.choice(statements)), build.at_after(rng.choice(statements))]
        with rng.choice(places):
            kind = rng.random()
            if kind < 0.15:
                with build.loop("i", 4):
                    build.insert(Opaque("inside", [self.argument]))
            elif kind < 0.3:
                build.insert(SampleIf(self.argument))
            elif kind < 0.6:
                build.insert(TensorCopyOp(self.argument, dst=NeuronAP(rng.choice(self.tensors))))
            else:
                operand = rng.choice([*self.values, NeuronAP(self.tensors[0])])
                build.insert(Opaque("op", [self.argument, operand], result_types=(TILE,)))

    def blocks(self) -> list[Block]:
        inside = [block for inst in self.insts for block in inst.blocks]
        return [self.function.body, *inside, *(loop.body for loop in loops_of(self.function.body))]

    def erase(self) -> None:
        statements: list[Statement] = [*self.insts, *loops_of(self.function.body)]
        if not statements:
            return
        gone = self.rng.choice(statements)
        inside = {inst for block in gone.blocks for inst in block.walk()}
        inside |= {gone} if isinstance(gone, Instruction) else set()
        used = isinstance(gone, Instruction) and any(result.has_users for result in gone.results)  # by itself, too
        if used or {user for inst in inside for result in inst.results for user in result.users} - inside:
            return
        gone.eraseFromParent()
        self.edges = {pair: kind for pair, kind in self.edges.items() if not inside & set(pair)}
        self.predicates = {inst: held for inst, held in self.predicates.items() if inst not in inside}

    def move(self) -> None:
        if len(self.insts) > 1:
            moved, place = self.rng.sample(self.insts, 2)
            if moved not in place.enclosing:
                moved.moveBefore(place)

    def clone(self) -> None:
        plain = [inst for inst in self.insts if not inst.blocks]
        if plain:
            original = self.rng.choice(plain)
            copy = original.clone({})
            copy.insertAfter(original)
            self.edges |= {(src, copy): kind for (src, dst), kind in self.edges.items() if dst is original}
            if original in self.predicates:
                self.predicates[copy] = self.predicates[original]

    def replace_uses(self) -> None:
        if self.insts:
            old, new = self.rng.choice(self.values), self.rng.choice(self.values)
            old.replaceAllUsesWithExcept(new, self.rng.choice(self.insts))

    def replace_tensor(self) -> None:
        old, new = self.rng.choice(self.tensors), self.rng.choice(self.tensors)
        old.replaceAllUsesWith(new)

    def replace_with(self) -> None:
        candidates = [inst for inst in self.insts if isinstance(inst, Opaque) and inst.results]
        if len(candidates) > 1:
            old, new = self.rng.sample(candidates, 2)
            of_new = {pair: kind for pair, kind in self.edges.items() if old not in pair}
            of_old = {
                (new if src is old else src, new if dst is old else dst): kind
                for (src, dst), kind in self.edges.items()
                if old in (src, dst)
            }
            self.edges = of_new | {pair: kind for pair, kind in of_old.items() if pair[0] is not pair[1]}
            self.predicates.pop(old, None)
            old.replaceWith(new)

    def predicate(self) -> None:
        axes = [loop.axis for loop in loops_of(self.function.body)]
        if axes and self.insts:
            inst = self.rng.choice(self.insts)
            made = AffinePredicate.pred_ge(self.rng.choice(axes), self.rng.randint(0, 3))
            inst.addPredicate(made)
            self.predicates[inst] = tuple(dict.fromkeys((*self.predicates.get(inst, ()), made)))

    def add_edge(self) -> None:
        if len(self.insts) > 1:
            src, dst = self.rng.sample(self.insts, 2)
            self.edges[src, dst] = self.rng.choice(list(EdgeKind))
            dst.addDependency(src, self.edges[src, dst])

    def remove_edge(self) -> None:
        if self.edges:
            src, dst = self.rng.choice(list(self.edges))
            dst.removeDependency(src)
            del self.edges[src, dst]

    def check(self) -> None:
        uses: dict[Operand, Counter[Instruction]] = {}
        for inst in self.insts:
            for operand in (*inst.operands(), *((inst.dst,) if inst.dst is not None else ())):
                uses.setdefault(operand, Counter())[inst] += 1
        for value in self.values:
            assert Counter(value.uses) == uses.get(value, Counter())
        for tensor in self.tensors:
            assert set(tensor.accesses) == {
                used for used in uses if isinstance(used, NeuronAP) and used.tensor is tensor
            }
        assert {(edge.src, inst): edge.kind for inst in self.insts for edge in inst.dependencies} == self.edges
        assert {(inst, user) for inst in self.insts for user in inst.dependents} == set(self.edges)
        assert {inst: inst.predicates for inst in self.insts if inst.is_predicated} == self.predicates


@settings(max_examples=50, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 30))
def test_random_edits_keep_everything_equal_to_a_recomputation(rng: random.Random, steps: int) -> None:
    edits = RandomEdits(rng)
    for _ in range(steps):
        edits.step()


def test_a_replacement_takes_over_the_edges_and_a_clone_comes_after_the_clone() -> None:
    function = Function("main")
    first, old, new, last = (Opaque("op", result_types=(TILE,)) for _ in range(4))
    for inst in (first, old, new, last):
        function.body.append(inst)
    old.addDependency(first, EdgeKind.FLOW)
    last.addDependency(old, EdgeKind.ANTI)
    a, b, _, c = function.clone().insts
    assert [(edge.src, edge.kind) for edge in b.dependencies] == [(a, EdgeKind.FLOW)] and b.dependents == (c,)
    old.replaceWith(new)
    assert [(edge.src, edge.kind) for edge in new.dependencies] == [(first, EdgeKind.FLOW)]
    assert [(edge.src, edge.dst, edge.kind) for edge in last.dependencies] == [(new, last, EdgeKind.ANTI)]
    assert not old.dependencies and not old.dependents


def test_edges_that_cannot_be_are_refused() -> None:
    first, last = Opaque("op"), Opaque("op")
    with pytest.raises(ValueError, match="there is no edge from"):
        last.removeDependency(first)
    with pytest.raises(ValueError, match="cannot come before itself"):
        last.addDependency(last)
    anything: Any = "first"
    with pytest.raises(TypeError, match="an edge leads from an instruction"):
        last.addDependency(anything)
    assert not last.extras
