"""The gates of `DTypeMutator`, in order: each names what it found, or lets the operand through.

     1  the operand has the dtype already                                       -> Match
     2  it reads a tensor under another dtype                                   -> Mismatch
     3  it is no instruction of the chip, nor the one read of a tensor with one write; from here on the producer is that
        instruction, or the one that writes; its result may not be that dtype   -> Mismatch
     7  the producer's value has other users, unless those may be mutated too   -> Mismatch
     4  it writes a tensor that is not read exactly once                        -> Mismatch
     5  it writes under another dtype, or an input, an output, a constant, PSUM -> Mismatch
     -  its author asked for its rounding, or a pass promoted it; the two dtypes are not both floats, or both integers
                                                                                -> Mismatch
     6  it loads from DRAM: the gates of loads, below                           -> their answer
     8  it cannot change its dtype (`canMutateDstTy`)                           -> Mismatch
    then it is mutated, and that is counted                                     -> Mutated

Loads: f16 from bf16 or f32r with a partition broadcast, and f8e5m2, are refused. A constant that is loaded is
converted when compiling (it must not be reinterpreted); any other load must be on a target that converts by DMA.

The numbers are those of the source; 7 comes before 4, as the lines of its code do.

Departures from the source. Gate 3 goes on with the instruction that writes, and refuses where there is not exactly one
write and one read. Gate 4 asks only of what writes a tensor. Gate 3 reads the legal dtypes from any definition, not of
one class. Gate 5 knows tensors whose dtype is fixed; the gate without a number is ours. The result of a load follows
where its constant has the dtype already. An 8-bit constant is refused where it would saturate, since a run decides
about that.

Deliberately absent: changes. `passes/mutator/mutator.py` makes them.
"""

from __future__ import annotations

from dataclasses import dataclass

from generated.neuron.SBAtomLoadGen import SBAtomLoadGen
from runtime.access import NeuronAP
from runtime.constants import Constant
from runtime.dtypes import DType, bf16, f8e5m2, f16, f32r, is_int_type
from runtime.instructions import NeuronInst
from runtime.rounding import cast_array
from runtime.targets import TARGETS, Target
from runtime.tensors import NeuronPSUMTensor, TensorUtils
from runtime.values import Operand


@dataclass(frozen=True, slots=True)
class Refused:
    """Which gate said no, and why."""

    gate: str
    why: str


def producer_or_refusal(operand: Operand, dtype: DType, *, multi_users: bool) -> NeuronInst | Refused:
    """Return the instruction that may be told to write `dtype`, as far as the gates up to 5 know (all but 1)."""
    producer: Operand | None = operand
    if isinstance(operand, NeuronAP):
        if operand.reinterpret is not None:
            return Refused("2", f"%{operand.tensor.name} is read as {operand.reinterpret}")
        if not operand.tensor.single_def_single_use:
            return Refused("3", f"%{operand.tensor.name} has not exactly one write and one read")
        producer = TensorUtils.store_insts(operand.tensor)[0]
    if not isinstance(producer, NeuronInst):
        return Refused("3", "it is given by no instruction of the chip")
    name = producer.INFO.mnemonic
    if not _may_give(producer, dtype):
        return Refused("3", f"{name} may not give {dtype}")
    if producer.dst is None and not producer.has_single_user and not multi_users:
        return Refused("7", f"{name} has several users")
    return why_fixed_dst(producer) or why_not_numeric(producer, dtype) or producer


def why_fixed_dst(producer: NeuronInst) -> Refused | None:
    """Return why what an instruction writes must stay as it is, if it writes a tensor: gates 4 and 5."""
    dst = producer.dst
    if dst is None:
        return None
    tensor, name = dst.tensor, f"%{dst.tensor.name}"
    if tensor.n_loads != 1:
        return Refused("4", f"{name} is read by {tensor.n_loads} accesses")
    if dst.reinterpret is not None or tensor.is_reinterpreted:
        return Refused("5", f"{name} is accessed under another dtype")
    if tensor.isInputOrOutput or tensor.is_const:
        kind = "a constant" if tensor.is_const else "an input" if tensor.isInput else "an output"
        return Refused("5", f"{name} is {kind} of the program")
    return Refused("5", f"{name} is in PSUM") if isinstance(tensor, NeuronPSUMTensor) else None


def why_not_numeric(producer: NeuronInst, dtype: DType) -> Refused | None:
    """Return what a change of dtype would do to values that nobody asked for."""
    name, found = producer.INFO.mnemonic, producer.type.dtype
    if found is None or is_int_type(found) != is_int_type(dtype):
        return Refused("class", f"{name} gives {found}: {dtype} would be another class of numbers")
    if producer.rounding is not None:
        return Refused("rounding", f"the program's author asked for the rounding of {name}")
    return Refused("rounding", f"{name} was promoted to the accumulation dtype") if producer.keep_alu_dtype else None


def why_not_load(load: SBAtomLoadGen, dtype: DType, target: Target | None) -> Refused | None:
    """Return why a load may not give `dtype`, or None."""
    if load.has_partition_broadcast and dtype is f16 and load.dtype in (bf16, f32r):
        return Refused("load", f"a load with a partition broadcast gives no f16 for {load.dtype}")
    if dtype is f8e5m2:
        return Refused("load", "no load gives f8e5m2")
    if not load.load_const:
        able = all(each.enable_dma_cast for each in (TARGETS if target is None else (target,)))
        return None if able else Refused("load", "the DMA of the target does not convert")
    source = load.src
    if not isinstance(source, NeuronAP):
        return Refused("load", "it loads a value, which is no constant tensor")
    name = f"%{source.tensor.name}"
    if source.reinterpret is not None:
        return Refused("load", f"{name} is read as {source.reinterpret}")
    if source.tensor.init is None:
        return Refused("load", f"{name} is said to be constant and has no contents")
    if source.tensor.dtype is not dtype and _saturates(source.tensor.init, dtype):
        return Refused("load", f"{name} has elements beyond {dtype}, and a run decides whether they saturate")
    return None


def _may_give(producer: NeuronInst, dtype: DType) -> bool:
    """Whether an instruction may give elements of `dtype`; a product gives the f32 that it accumulates in."""
    info = producer.INFO
    if info.op_kind == "compute":
        return False
    legal = [result.dtypes for result in info.results[:1]]
    legal += [info.dst.dtypes] if info.dst is not None and producer.dst is not None else []
    return all(not names or dtype.name in names for names in legal)


def _saturates(constant: Constant, dtype: DType) -> bool:
    """Whether the contents depend on whether casts to `dtype` saturate."""
    if dtype.bits > 8 or not dtype.is_float:
        return False
    ways = [cast_array(constant.array, constant.dtype, dtype, saturate=saturate) for saturate in (False, True)]
    return bool(ways[0].tobytes() != ways[1].tobytes())
