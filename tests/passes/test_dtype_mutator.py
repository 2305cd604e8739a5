"""`DTypeMutator` as the object that other passes use: its states, its gates in order, loads of constants, counters."""

import dataclasses
from typing import Any

import pytest

from generated.neuron.SBAtomLoadGen import SBAtomLoadGen
from passes.dtype_mutator import DTypeMutator, MutateState
from passes.mutator.gates import Refused, producer_or_refusal
from passes.mutator.mutator import MutationCounters
from runtime.dtypes import DType, bf16, f8e5m2, f16, f32, i8
from runtime.functions import Function
from runtime.instruction_set import standard
from runtime.instructions import Instruction
from runtime.statistics import statistics_of
from runtime.targets import trn2
from runtime.tensors import NeuronPSUMTensor
from runtime.text.parser import parse


def function(body: str, arguments: str = "%x: f32[4,8]") -> Function:
    return parse(f"target trn2\n\nfunc @main({arguments}) {{\n{body}\n}}\n", standard()).root_function


def operand_of(f: Function, name: str) -> Any:
    """Return the first operand of the instruction with this name."""
    return named(f, name).operands()[0]


def named(f: Function, name: str) -> Instruction:
    return next(inst for inst in f.insts if inst.name == name)


VALUE = "%e: f32[4,8] = activation exp %x\n%c: bf16[4,8] = tensor_copy %e\nreturn %c"
TENSOR = "tensor %t: f32[4,8] sbuf\n%t = activation exp %x\n%c: bf16[4,8] = tensor_copy %t\nreturn %c"


@pytest.mark.parametrize(
    ("state", "mismatch", "mutated", "match_or_mutated"),
    [
        (MutateState.Mismatch, True, False, False),
        (MutateState.Mutated, False, True, True),
        (MutateState.Match, False, False, True),
    ],
)
def test_states(state: MutateState, mismatch: bool, mutated: bool, match_or_mutated: bool) -> None:
    assert (state.mismatch, state.mutated, state.match_or_mutated) == (mismatch, mutated, match_or_mutated)


@pytest.mark.parametrize("body", [VALUE, TENSOR])
def test_match_mutated_and_match_again(body: str) -> None:
    f = function(body)
    mutator, before = DTypeMutator(f=f, target=trn2), MutationCounters.operator_type_mutated
    operand = operand_of(f, "c")
    assert mutator.matchOrMutateDstTy(operand, f32) is MutateState.Match
    assert mutator.matchOrMutateDstTy(operand, bf16) is MutateState.Mutated
    assert mutator.matchOrMutateDstTy(operand, bf16) is MutateState.Match
    assert operand.dtype is bf16 and next(iter(f.insts)).dtype is bf16
    assert MutationCounters.operator_type_mutated - before == 1
    assert mutator.tryMutateDstTy(operand, bf16) and not mutator.tryMutateDstTy(named(f, "c"), i8)


GATES = [
    ("2", "tensor %t: i32[4,8] sbuf\n%t = tensor_copy %i\n%c: bf16[4,8] = tensor_copy %t[0 | 8:4, 1:8 | as f32]"),
    ("3", "%c: bf16[4,8] = tensor_copy %x"),
    ("3", "%e: f32[4,8] = graph.activation tanh %x\n%c: bf16[4,8] = tensor_copy %e"),
    ("3", "tensor %t: f32[4,8] sbuf\n%t = activation exp %x\n%t = activation exp %x\n%c: bf16[4,8] = tensor_copy %t"),
    ("3", "tensor %t: f32[4,8] sbuf input\n%c: bf16[4,8] = tensor_copy %t"),
    ("7", "%e: f32[4,8] = activation exp %x\n%c: bf16[4,8] = tensor_copy %e\n%d: bf16[4,8] = tensor_copy %e"),
    ("5", "tensor %t: f32[4,8] sbuf\n%t[0 | 8:4, 1:8 | as i32] = tensor_copy %i\n%c: bf16[4,8] = tensor_copy %t"),
    ("5", "tensor %t: f32[4,8] sbuf output\n%t = activation exp %x\n%c: bf16[4,8] = tensor_copy %t"),
    ("5", "tensor %t: f32[4,8] psum\n%t = activation exp %x\n%c: bf16[4,8] = tensor_copy %t"),
    ("rounding", "%e: f32[4,8] = activation exp %x {rounding = user}\n%c: bf16[4,8] = tensor_copy %e"),
    ("rounding", "%e: f32[4,8] = activation exp %x {keep_alu_dtype = true}\n%c: bf16[4,8] = tensor_copy %e"),
    ("class", "%e: i32[4,8] = tensor_copy %x\n%c: bf16[4,8] = tensor_copy %e"),
]


@pytest.mark.parametrize(("gate", "body"), GATES)
def test_each_gate(gate: str, body: str) -> None:
    f = function(f"{body}\nreturn %c", "%x: f32[4,8], %i: i32[4,8]")
    operand = operand_of(f, "c")
    refused = producer_or_refusal(operand, bf16, multi_users=False)
    assert isinstance(refused, Refused) and refused.gate == gate
    mutator = DTypeMutator(f=f, target=trn2)
    assert mutator.why_not(operand, bf16) == refused.why
    assert mutator.matchOrMutateDstTy(operand, bf16) is MutateState.Mismatch
    assert operand.dtype is not bf16


def test_the_last_gate_is_the_capability() -> None:
    f = function("%e: f32[4,8] = tensor_tensor add %x, %x\n%c: bf16[4,8] = tensor_copy %e\nreturn %c")
    assert DTypeMutator(f=f).why_not(operand_of(f, "c"), bf16) == "the result of tensor_tensor may not change its dtype"


def test_the_user_gate_comes_before_the_tensor_gates_and_may_be_lifted() -> None:
    body = "%e: f32[4,8] = activation exp %x\n%c: bf16[4,8] = tensor_copy %e\nreturn %c, %e"
    f = function(body)
    assert not DTypeMutator(f=f).tryMutateDstTy(operand_of(f, "c"), bf16)
    assert DTypeMutator(True, f).tryMutateDstTy(operand_of(f, "c"), bf16)


def test_a_result_that_may_not_be_the_dtype_is_refused_at_the_third_gate() -> None:
    f = function("tensor %t: f32[8,8] psum\n%t = matmul %x, %x\n%c: f16[8,8] = tensor_copy %t\nreturn %c")
    refused = producer_or_refusal(operand_of(f, "c"), f16, multi_users=False)
    assert refused == Refused("3", "matmul may not give f16")
    f = function("tensor %t: f32[4,8] psum\n%t = tensor_copy %x\n%c: f16[4,8] = tensor_copy %t\nreturn %c")
    refused = producer_or_refusal(operand_of(f, "c"), bf16, multi_users=False)
    assert isinstance(f.tensors["t"], NeuronPSUMTensor) and refused == Refused("5", "%t is in PSUM")


LOAD = "tensor %a: f32[4,8] dram input\n%l: f32[4,8] = sb_atom_load %a\n%c: bf16[4,8] = tensor_copy %l\nreturn %c"


@pytest.mark.parametrize(
    ("dtype", "loaded", "broadcast", "said"),
    [
        (f8e5m2, "f32", False, "no load gives f8e5m2"),
        (f16, "bf16", True, "a load with a partition broadcast gives no f16 for bf16"),
        (f16, "f32r", True, "a load with a partition broadcast gives no f16 for f32r"),
        (f16, "f32", True, None),
        (f16, "bf16", False, None),
        (bf16, "f32r", True, None),
    ],
)
def test_gates_of_loads(dtype: DType, loaded: str, broadcast: bool, said: str | None) -> None:
    field = " {has_partition_broadcast = true}" if broadcast else ""
    body = f"tensor %a: f32[4,8] dram input\n%l: {loaded}[4,8] = sb_atom_load %a{field}\n"
    f = function(f"{body}%c: i8[4,8] = tensor_copy %l\nreturn %c", "")
    assert DTypeMutator(f=f, target=trn2).why_not(operand_of(f, "c"), dtype) == said


def test_a_target_whose_dma_does_not_convert() -> None:
    f = function(LOAD, "")
    target = dataclasses.replace(trn2, enable_dma_cast=False)
    assert (
        DTypeMutator(f=f, target=target).why_not(operand_of(f, "c"), bf16) == "the DMA of the target does not convert"
    )
    assert DTypeMutator(f=f).tryMutateDstTy(operand_of(f, "c"), bf16), "every target's does"


def test_a_load_is_counted_as_a_load() -> None:
    f = function(LOAD, "")
    before = MutationCounters.n_loads, MutationCounters.operator_type_mutated
    assert DTypeMutator(f=f, target=trn2).matchOrMutateDstTy(operand_of(f, "c"), bf16).mutated
    assert (MutationCounters.n_loads - before[0], MutationCounters.operator_type_mutated - before[1]) == (1, 0)


CONSTANTS = """\
tensor %w: f32[2,2] dram const = dense<[[0.1, 0.2], [0.3, 0.4]]>
tensor %w_bf16: f32[2,2] sbuf
%w_bf16 = tensor_copy %x
%l: f32[2,2] = sb_atom_load %w {load_const = true}
%m: f32[2,2] = sb_atom_load %w {load_const = true}
return %l, %m"""


def test_constants_are_converted_once_for_a_tensor_and_a_dtype() -> None:
    f = function(CONSTANTS, "%x: f32[2,2]")
    mutator, before = DTypeMutator(f=f, target=trn2), MutationCounters.casted_weights
    loads = [inst for inst in f.insts if isinstance(inst, SBAtomLoadGen)]
    mutator.staticCastLoadTensor(loads[0], bf16)
    mutator.staticCastLoadTensor(loads[1], bf16)
    assert list(f.tensors) == ["w", "w_bf16", "w_bf16_1"], "the name was taken"
    assert loads[0].src.tensor is loads[1].src.tensor is f.tensors["w_bf16_1"]  # type: ignore[attr-defined]
    assert MutationCounters.casted_weights - before == 16, "four elements of f32"
    assert list(mutator.tensor_map) == [(f.tensors["w"], bf16)]
    init = f.tensors["w_bf16_1"].init
    assert init is not None and init.array.astype("f4").tolist() == [
        [0.10009765625, 0.2001953125],
        [0.30078125, 0.400390625],
    ]
    assert f.tensors["w"].dtype is f32, "others may read it"
    mutator.reset()
    assert not mutator.tensor_map


def test_only_constants_are_converted_when_compiling() -> None:
    f = function(LOAD, "")
    load = next(inst for inst in f.insts if isinstance(inst, SBAtomLoadGen))
    with pytest.raises(AssertionError, match="Can only cast weight"):
        DTypeMutator(f=f).staticCastLoadTensor(load, bf16)


def test_the_counters_have_the_labels_of_the_source() -> None:
    assert [(each.counter, each.label, each.unit.value) for each in statistics_of([DTypeMutator])] == [
        (
            "operator_type_mutated",
            "Number of operator whose dst type is mutated for legalization",
            "",
        ),
        ("n_loads", "Number of load whose tensor type mutated", ""),
        ("casted_weights", "Number of bytes statically casted in weight tensor", "bytes"),
        ("folded_cast_load", "Number of casts folded into loads of constants", ""),
    ]
