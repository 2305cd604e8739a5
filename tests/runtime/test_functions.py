"""Functions, modules, loops, cloning, types."""

from __future__ import annotations

import copy
import pickle

import pytest

from runtime.access import NeuronAP
from runtime.affine import Affine, Axis
from runtime.blocks import Loop
from runtime.builder import Builder
from runtime.builtin import Opaque, Return
from runtime.constants import Constant
from runtime.dtypes import bf16, bool_, f32, i4, tf32
from runtime.functions import Function, Module
from runtime.generic import OnnxNode
from runtime.types import Type
from tests.runtime.sample_instructions import SampleIf


def tiled() -> Function:
    function = Function("main")
    builder = Builder(function)
    x = builder.tensor("x", f32, (128, 512), "dram", isInput=True)
    builder.tensor("unused", f32, (1, 1), "sbuf")
    with builder.loop("i", trip_count=4, step=128) as i, builder.loop("j", trip_count=3):
        tile = NeuronAP(x, [(512, 128), (1, 128)], Affine.of(i))
        builder.insert(Opaque("test.op", [tile], result_types=[tile.type]), "v")
    builder.insert(Return())
    return function


def test_dynamic_instances_are_the_product_of_the_trip_counts_around() -> None:
    inside, outside = tiled().insts
    assert [axis.name for axis in inside.loop_axes] == ["i", "j"]
    assert (inside.num_dynamic_instances, outside.num_dynamic_instances) == (12, 1)
    assert inside.parent_function is not None and inside.parent_function.name == "main"


def test_how_often_a_region_runs_that_may_be_repeated_is_not_known() -> None:
    condition = Opaque("test.condition", result_types=[Type.tensor(bool_, ())])
    for holder, known in ((OnnxNode("Loop", n_regions=1), None), (SampleIf(condition), 4)):
        function = Function("main")
        builder = Builder(function)
        with builder.loop("i", trip_count=4):
            builder.insert(holder)
        inner = Loop(Axis("j", 3))
        inside, deep = Opaque("test.op"), Opaque("test.op")
        holder.blocks[0].append(inside)
        holder.blocks[0].append(inner)
        inner.body.append(deep)
        assert holder.num_dynamic_instances == 4, "the region is not around its own instruction"
        assert inside.num_dynamic_instances == inner.num_dynamic_instances == known
        assert deep.num_dynamic_instances == (known and known * 3)


def test_a_clone_shares_nothing_that_a_pass_may_change() -> None:
    original = tiled()
    copied = original.clone()
    old, new = next(original.insts), next(copied.insts)
    old_access, new_access = old.operands()[0], new.operands()[0]
    assert isinstance(old_access, NeuronAP) and isinstance(new_access, NeuronAP)
    assert new is not old and new.name == "v" and new.type is old.type
    assert new_access.tensor is copied.tensors["x"] is not original.tensors["x"]
    assert new_access.offset.terms[0][0] is new.loop_axes[0] is not old.loop_axes[0]
    assert copied.tensors["x"].n_loads == original.tensors["x"].n_loads == 1


def test_dead_tensors_go_but_the_interface_stays() -> None:
    function = tiled()
    assert [tensor.name for tensor in function.dropDeadTensors()] == ["unused"]
    assert list(function.tensors) == ["x"]


def test_names_of_functions_and_tensors_are_unique() -> None:
    module, function = Module(), tiled()
    module.add_function(function)
    with pytest.raises(ValueError, match="@main already"):
        module.add_function(tiled())
    with pytest.raises(ValueError, match="%x already"):
        Builder(function).tensor("x", f32, (1,), "sbuf")
    assert module.root_function is function
    assert list(module.clone().functions) == ["main"]


def test_types_are_interned_and_immutable() -> None:
    tile = Type.tensor(f32, (128, "N", None))
    assert tile is Type.tensor(f32, (128, "N", None)) is copy.deepcopy(tile) is pickle.loads(pickle.dumps(tile))
    assert str(tile) == "f32[128,N,?]"
    assert tile.with_dtype(bf16).with_dtype(f32) is tile
    assert (tile.n_elements, tile.rank) == (None, 3)
    assert Type.tensor(i4, (3, 3)).size_in_bytes == 5
    assert str(Type.sequence(Type.optional(Type.tensor(None, None)))) == "seq<opt<?[*]>>"
    with pytest.raises(AttributeError, match="immutable"):
        tile.dtype = bf16
    with pytest.raises(TypeError, match="interned"):
        Type()


def test_a_constant_rounds_each_value_once_to_its_dtype() -> None:
    # By hand: 1 + 2^-8 + 2^-40 lies above the middle of the bf16 values 1 and 1 + 2^-7; through f32 it would be a tie.
    assert float(Constant.of([1 + 2**-8 + 2**-40], bf16).array[0]) == 1 + 2**-7
    assert float(Constant.of([1 + 2**-20], tf32).array[0]) == 1.0
    assert Constant.of([True, False], bool_).array.tolist() == [True, False]
    with pytest.raises(TypeError, match="made from numbers"):
        Constant.of(["a"], f32)
