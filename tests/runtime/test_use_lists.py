"""Use-lists against a recomputation from scratch, under random edits; blocks against a plain list."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.access import AccessMode, NeuronAP
from runtime.affine import Axis
from runtime.blocks import Block, Loop, Statement
from runtime.builtin import Opaque, Return
from runtime.dtypes import bf16, f32
from runtime.functions import Function
from runtime.tensors import NeuronSBTensor, TensorUtils
from runtime.types import Type
from runtime.values import Operand, Value
from runtime.wrappers.TensorCopyOp import TensorCopyOp

TILE = Type.tensor(f32, (128, 512))


def opaque(*operands: Operand) -> Opaque:
    return Opaque("test.op", operands, result_types=(TILE,))


def recomputed_uses(function: Function) -> dict[Value, Counter[Opaque]]:
    """Count, for every value, how many slots of each instruction hold it, from the operands alone."""
    uses: dict[Value, Counter[Opaque]] = {}
    for inst in function.insts:
        assert isinstance(inst, Opaque)
        for operand in inst.operands():
            assert isinstance(operand, Value)
            uses.setdefault(operand, Counter())[inst] += 1
    return uses


@settings(max_examples=150, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 60))
def test_random_edits_keep_use_lists_equal_to_a_recomputation(rng: random.Random, steps: int) -> None:
    function = Function("main")
    values: list[Value] = [function.body.add_argument(TILE) for _ in range(3)]
    for _ in range(steps):
        action = rng.random()
        if action < 0.5 or len(values) < 5:
            inst = opaque(*rng.choices(values, k=rng.randint(0, 3)))
            function.body.append(inst)
            values.append(inst)
        elif action < 0.7:
            old, new = rng.sample(values, 2)
            old.replaceAllUsesWith(new)
        elif action < 0.85:
            old, new = rng.sample(values, 2)
            spared = rng.choice([v for v in values if isinstance(v, Opaque)])
            old.replaceAllUsesWithExcept(new, spared)
        else:
            dead = [v for v in values if isinstance(v, Opaque) and not v.has_users]
            if dead:
                victim = rng.choice(dead)
                victim.eraseFromParent()
                values.remove(victim)
        expected = recomputed_uses(function)
        for value in values:
            count = expected.get(value, Counter())
            assert Counter(value.users) == Counter(dict.fromkeys(count, 1))
            assert value.n_uses == sum(count.values())
            assert value.has_users == bool(count)
            assert value.has_single_user == (len(count) == 1)


def test_users_come_in_the_order_of_their_first_use() -> None:
    function = Function("main")
    hub = function.body.add_argument(TILE)
    users = [opaque(hub, hub) for _ in range(20)]
    assert hub.users == tuple(users)
    assert hub.n_uses == 40
    users[3].replaceUseOfWith(hub, users[0])
    assert hub.users == (*users[:3], *users[4:])


def test_erase_refuses_while_a_result_has_users() -> None:
    function = Function("main")
    first = opaque()
    second = opaque(first)
    function.body.append(first)
    function.body.append(second)
    with pytest.raises(ValueError, match="1 instruction uses it"):
        first.eraseFromParent()
    second.eraseFromParent()
    first.eraseFromParent()
    assert not list(function.insts)


def test_further_results_are_values_of_their_own() -> None:
    inst = Opaque("test.topk", result_types=(TILE, Type.tensor(bf16, (4,))))
    values, indices = inst.results
    assert values is inst
    assert indices.dtype is bf16
    user = opaque(indices)
    assert indices.users == (user,)
    assert not inst.has_users


def test_an_access_is_copied_for_every_slot_and_follows_its_tensor() -> None:
    function = Function("main")
    tensor = function.add_tensor(NeuronSBTensor("t", bf16, (128, 512)))
    cast = opaque(NeuronAP(tensor))
    users = [opaque(cast, cast), opaque(cast)]
    cast.replaceAllUsesWith(cast.operands()[0])
    held = [operand for user in users for operand in user.operands()]
    assert len({id(access) for access in held}) == 3
    assert all(isinstance(access, NeuronAP) and access.owner in users for access in held)
    assert tensor.n_loads == 4
    assert TensorUtils.load_insts(tensor) == (cast, *users)
    tensor.mutateTensorTy(f32)
    assert all(access.dtype is f32 for access in held)
    cast.eraseFromParent()
    assert tensor.n_loads == 3


def test_replacing_a_tensor_keeps_the_pattern_of_each_access() -> None:
    function = Function("main")
    old = function.add_tensor(NeuronSBTensor("old", bf16, (128, 512)))
    new = function.add_tensor(NeuronSBTensor("new", bf16, (128, 512)))
    user = opaque(NeuronAP(old, [(512, 128), (2, 256)], 1), NeuronAP(old))
    user.replaceUseOfWith(old, new)
    strided, whole = user.operands()
    assert isinstance(strided, NeuronAP) and isinstance(whole, NeuronAP)
    assert (strided.tensor, strided.pairs, strided.offset.constant) == (new, ((512, 128), (2, 256)), 1)
    assert whole.tensor is new and whole.is_whole
    assert not old.has_users


@settings(max_examples=100, deadline=None)
@given(st.randoms(use_true_random=False))
def test_a_block_is_a_list_with_an_order(rng: random.Random) -> None:
    block, expected = Block(), list[Statement]()
    for _ in range(rng.randint(1, 80)):
        action = rng.random()
        if action < 0.6 or not expected:
            at = rng.randint(0, len(expected))
            fresh = opaque()
            block.insert(fresh, expected[at] if at < len(expected) else None)
            expected.insert(at, fresh)
        elif action < 0.8:
            gone = expected.pop(rng.randrange(len(expected)))
            block.remove(gone)
        if len(expected) > 1:
            a, b = rng.sample(range(len(expected)), 2)
            assert expected[a].comes_before(expected[b]) == (a < b)
        assert list(block) == expected
        backwards = []
        last = block.last
        while last is not None:
            backwards.append(last)
            last = last.prev
        assert backwards[::-1] == expected


def test_a_walk_survives_erasing_any_statement_and_meets_what_is_inserted_further_on() -> None:
    block = Block()
    statements = [opaque() for _ in range(6)]
    for statement in statements:
        block.append(statement)
    met = list[Statement]()
    late = opaque()
    for met_statement in block:
        met.append(met_statement)
        if met_statement is statements[1]:
            for gone in statements[1:4]:
                block.remove(gone)
            late.insertAfter(statements[4])
    assert met == [statements[0], statements[1], statements[4], late, statements[5]]


@settings(max_examples=150, deadline=None)
@given(st.randoms(use_true_random=False))
def test_a_walk_meets_each_statement_that_stays_once_whatever_is_moved_or_erased(rng: random.Random) -> None:
    block, elsewhere = Block(), Block()
    statements: list[Statement] = [opaque() for _ in range(rng.randint(1, 12))]
    for statement in statements:
        block.append(statement)
    touched, met = set[Statement](), list[Statement]()
    for current in block:
        met.append(current)
        for _ in range(rng.randint(0, 3)):
            inside = list(block)
            if not inside:
                break
            victim = rng.choice([current, *inside]) if current.parent is block else rng.choice(inside)
            touched.add(victim)
            block.remove(victim)
            if rng.random() < 0.5:
                (elsewhere if rng.random() < 0.5 else block).append(victim)
    assert [s for s in met if s not in touched] == [s for s in statements if s not in touched]
    assert not block._cursors


def test_statements_of_a_loop_may_be_hoisted_out_while_it_is_walked() -> None:
    function = Function("main")
    loop = Loop(Axis("i", 2))
    function.body.append(loop)
    inner: list[Statement] = [opaque() for _ in range(3)]
    for statement in inner:
        loop.body.append(statement)
    met = list[Statement]()
    for statement in loop.body:
        met.append(statement)
        statement.moveBefore(loop)
    assert met == inner
    assert list(function.body) == [*inner, loop]
    loop.eraseFromParent()
    assert list(function.insts) == inner


def test_what_an_erased_statement_holds_is_walked_no_more_and_uses_nothing() -> None:
    function = Function("main")
    value = function.body.add_argument(TILE)
    first, loop = opaque(), Loop(Axis("i", 2))
    function.body.append(first)
    function.body.append(loop)
    inner = opaque(value, value)
    loop.body.append(inner)
    met = []
    for inst in function.insts:
        met.append(inst)
        loop.eraseFromParent()
    assert met == [first]
    assert inner.parent is None and not value.has_users


def test_a_tensor_is_replaced_for_its_readers_and_its_writers() -> None:
    function = Function("main")
    old = function.add_tensor(NeuronSBTensor("old", bf16, (128, 512)))
    new = function.add_tensor(NeuronSBTensor("new", bf16, (128, 512)))
    writer = TensorCopyOp(opaque(), dst=NeuronAP(old, [(512, 128), (1, 8)], 3))
    reader = TensorCopyOp(NeuronAP(old))
    old.replaceAllUsesWith(new)
    assert writer.dst is not None and (writer.dst.tensor, writer.dst.offset.constant) == (new, 3)
    assert (new.stores, new.loads) == ((writer.dst,), reader.operands())
    assert not old.has_users
    with pytest.raises(TypeError, match="only a tensor"):
        new.replaceAllUsesWith(opaque())


def test_an_access_that_replaces_a_value_is_read_whatever_it_was_before() -> None:
    function = Function("main")
    tensor = function.add_tensor(NeuronSBTensor("t", f32, (128, 512)))
    source = function.body.add_argument(TILE)
    writer = TensorCopyOp(source, dst=NeuronAP(tensor))
    reader = TensorCopyOp(source)
    assert writer.dst is not None
    source.replaceAllUsesWithExcept(writer.dst, writer)
    assert isinstance(reader.src, NeuronAP) and reader.src.mode is AccessMode.LOAD
    assert (tensor.n_loads, tensor.n_stores) == (1, 1)


@pytest.mark.parametrize("before", AccessMode)
def test_an_access_that_goes_into_an_opaque_instruction_may_be_read_and_written(before: AccessMode) -> None:
    tensor = NeuronSBTensor("t", f32, (128, 512))
    source = opaque()
    user = opaque(source)
    access = NeuronAP(tensor)
    access.set_access_mode(before)
    source.replaceAllUsesWith(access)
    assert user.values == (access,) and access.mode is AccessMode.LOAD_STORE
    assert (tensor.n_loads, tensor.n_stores) == (1, 1)


@pytest.mark.parametrize("before", AccessMode)
def test_an_access_that_goes_into_a_terminator_is_read(before: AccessMode) -> None:
    tensor = NeuronSBTensor("t", f32, (128, 512))
    source = opaque()
    made, replaced, given = NeuronAP(tensor), NeuronAP(tensor), NeuronAP(tensor)
    for access in (made, replaced, given):
        access.set_access_mode(before)
    end = Return([made, source, opaque()])
    source.replaceAllUsesWith(replaced)
    end.set_values({2: given})
    assert end.values == (made, replaced, given)
    assert (tensor.n_loads, tensor.n_stores) == (3, 0)


def test_a_dst_is_set_and_taken_away_with_its_use() -> None:
    tensor = NeuronSBTensor("t", f32, (128, 512))
    copy = TensorCopyOp(opaque())
    copy.set_dst(NeuronAP(tensor))
    assert (tensor.n_stores, copy.results) == (1, ())
    copy.set_dst(None)
    assert (tensor.n_stores, copy.results) == (0, (copy,))
    opaque(copy)
    with pytest.raises(ValueError, match="1 instruction uses its result"):
        copy.set_dst(NeuronAP(tensor))


def test_replacing_an_instruction_keeps_its_name() -> None:
    function = Function("main")
    value = function.body.add_argument(TILE)
    old, fresh = opaque(value), opaque(value)
    old.name = "y"
    user = opaque(old)
    for inst in (old, fresh, user):
        function.body.append(inst)
    old.replaceWith(fresh)
    assert (user.operands(), fresh.name, old.parent) == ((fresh,), "y", None)


def test_all_results_are_replaced_at_once() -> None:
    function = Function("main")
    value = function.body.add_argument(TILE)
    old = Opaque("test.topk", [value], result_types=(TILE, TILE))
    user, fresh = opaque(*old.results), opaque(value)
    for inst in (old, user, fresh):
        function.body.append(inst)
    old.results[1].name = "indices"
    old.replaceWith(value, fresh)
    assert (user.operands(), fresh.name, old.parent) == ((value, fresh), "indices", None)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_where_a_used_result_has_no_value_nothing_is_replaced(count: int) -> None:
    old = Opaque("test.topk", result_types=(TILE, TILE))
    user, fresh = opaque(*old.results), opaque()
    old.name = "y"
    with pytest.raises(ValueError, match=f"cannot replace .*: {count} values for 2 results"):
        old.replaceWith(*[fresh] * count)
    with pytest.raises(ValueError, match="with a result of its own"):
        old.replaceWith(old.results[1], fresh)
    assert user.operands() == old.results and fresh.name is None and not fresh.has_users


def test_a_result_that_nobody_uses_needs_no_value() -> None:
    old = Opaque("test.topk", result_types=(TILE, TILE))
    user, fresh = opaque(old), opaque()
    old.replaceWith(fresh)
    assert user.operands() == (fresh,)
