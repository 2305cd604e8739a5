"""What the seed document on the TensorCopyDynamic generators says of the classes, held on the brewed ones.

The two children define no method of their own but `rhs_str`: five methods that would only call `super()` are not
brewed, and the inherited ones must do what the document says.
"""

from __future__ import annotations

import json
from io import StringIO

import pytest

from generated.neuron.TensorCopyDynamicDstGen import TensorCopyDynamicDstGen
from generated.neuron.TensorCopyDynamicSrcGen import TensorCopyDynamicSrcGen
from runtime.access import AccessMode, APIndex, NeuronAP
from runtime.bir import write_bir
from runtime.builtin import Return
from runtime.dtypes import f32, u32
from runtime.functions import Function, Module
from runtime.tensors import NeuronSBTensor
from runtime.wrappers.TensorCopyDynamicBase import TensorCopyDynamicBase
from runtime.wrappers.TensorCopyDynamicDst import TensorCopyDynamicDst

P, F, A, B = APIndex("p"), APIndex("f"), APIndex("a"), APIndex("b")


def tensors() -> tuple[NeuronSBTensor, NeuronSBTensor, NeuronSBTensor]:
    """Return data [4, 8], indices [1], and a destination [4, 8]."""
    data, indices, out = (
        NeuronSBTensor("x", f32, (4, 8)),
        NeuronSBTensor("i", u32, (1,)),
        NeuronSBTensor("y", f32, (4, 8)),
    )
    return data, indices, out


def gather(*, static: bool = False) -> tuple[TensorCopyDynamicSrcGen, NeuronSBTensor, NeuronSBTensor]:
    data, indices, _ = tensors()
    window = NeuronAP(data, [(8, 4), (1, 1)], indices=[P, F])
    addresses = None if static else NeuronAP(indices)
    return TensorCopyDynamicSrcGen(window, 1, 1, addresses, [A, B]), data, indices


def test_the_wrapper_stands_between_the_brewed_base_and_its_brewed_children() -> None:
    for child in (TensorCopyDynamicSrcGen, TensorCopyDynamicDstGen):
        assert child.__mro__[1] is TensorCopyDynamicBase
        assert child.__mro__[2].__name__ == "TensorCopyDynamicBaseGen"
        methods = {name for name, value in vars(child).items() if callable(value)}
        assert methods - {"infer_result_type"} == {"rhs_str"}, "what only calls super() is inherited"


def test_both_operands_are_loads_and_the_destination_is_no_operand() -> None:
    inst, data, indices = gather()
    assert [operand.mode for operand in inst.operands() if isinstance(operand, NeuronAP)] == [AccessMode.LOAD] * 2
    assert inst.operands() == (inst.src, inst.generic_addrs)
    assert inst.loadTensor(data) and inst.loadTensor(indices)
    source, addresses, out = tensors()
    scatter = TensorCopyDynamicDst(NeuronAP(source), 1, 1, NeuronAP(addresses), dst=NeuronAP(out))
    assert scatter.operands() == (scatter.src, scatter.generic_addrs)
    assert not scatter.loadTensor(out) and scatter.storeTensor(out) and not scatter.storeTensor(source)


def test_none_is_legal_everywhere() -> None:
    inst, data, indices = gather(static=True)
    assert inst.operands() == (inst.src,)
    assert inst.loadTensor(data) and not inst.loadTensor(indices)
    inst.replaceUseOfWith(indices, data)
    assert list(inst.verify()) == []
    assert inst.rhs_str().endswith("generic_addrs: none")


def test_the_labels_are_those_of_the_document_to_the_letter() -> None:
    inst, _, _ = gather()
    assert inst.rhs_str() == "dynamic_copy_src %x[0 | 8:4 @p, 1:1 @f] generic_dim:[1] generic_addrs: %i"
    source, addresses, out = tensors()
    scatter = TensorCopyDynamicDst(NeuronAP(source), 1, 1, NeuronAP(addresses), dst=NeuronAP(out))
    assert scatter.rhs_str() == "dynamic_copy_dst %x"


def test_indices_come_partition_first_then_the_dynamic_ones_then_the_free_ones() -> None:
    inst, data, _ = gather()
    assert list(inst.enumerate_ap_indices()) == [P, A, B, F]
    plain = TensorCopyDynamicSrcGen(NeuronAP(data, [(8, 4), (1, 1)]), 1, 1, None, [A])
    assert not plain.has_ap_indices
    assert list(plain.enumerate_ap_indices()) == [A]


def test_an_index_is_removed_or_renamed_wherever_it_stands() -> None:
    inst, _, _ = gather()
    inst.remove_ap_index(A)
    inst.remove_ap_index(F)
    assert list(inst.enumerate_ap_indices()) == [P, B]
    inst.updateAPIndicies({P: F, B: A})
    assert list(inst.enumerate_ap_indices()) == [F, A]
    with pytest.raises(ValueError, match=r"^@b not found for remove_ap_index\.$"):
        inst.remove_ap_index(B)


def test_an_operand_is_replaced_by_value_or_by_tensor() -> None:
    inst, data, indices = gather()
    other = NeuronSBTensor("other", u32, (1,))
    inst.replaceUseOfWith(indices, other)
    assert isinstance(inst.generic_addrs, NeuronAP) and inst.generic_addrs.tensor is other
    assert not indices.has_users and inst.loadTensor(data)


@pytest.mark.parametrize("static", [False, True])
def test_the_record_has_the_data_the_indices_or_none_and_the_geometry(static: bool) -> None:
    inst, data, indices = gather(static=static)
    module = Module()
    function = module.add_function(Function("main"))
    function.add_tensor(data)
    function.add_tensor(indices)
    function.body.append(inst)
    function.body.append(Return())
    text = StringIO()
    write_bir(module, text)
    (record,) = [one for one in json.loads(text.getvalue())["functions"][0]["body"] if one["op"] == "dynamic_copy_src"]
    window = {"tensor": "%x", "offset": 0, "pairs": [[8, 4], [1, 1]], "indices": ["p", "f"]}
    assert record["args"] == [window, "none" if static else {"tensor": "%i"}]
    expected = {"addr_free_indices": ["a", "b"], "generic_dim": 1, "offset_scale": 1, "shape": [4, 1], "dtype": "f32"}
    assert {key: record["fields"][key] for key in expected} == expected
