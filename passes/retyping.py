"""What must hold of types, casts and tensors so that a producer may write the type that its casts make of its result.

Each function names the first thing that is in the way, or returns None. They look at one party each; what ties them
together is `passes/eliminate_casts.py`.
"""

from __future__ import annotations

from functools import cache
from math import prod

from runtime.dtypes import DType, f32, holds, is_int_type
from runtime.instructions import Instruction
from runtime.targets import TARGETS, Target
from runtime.tensors import NeuronPSUMTensor, Tensor
from runtime.types import Type
from runtime.wrappers.ActivationOp import ActivationOp
from runtime.wrappers.TensorCopyOp import TensorCopyOp
from runtime.wrappers.TensorScalarPtrOp import TensorScalarPtrOp

MUTABLE = (ActivationOp, TensorScalarPtrOp, TensorCopyOp)


@cache  # types are interned and few, casts are many: 0.1 instead of 2 microseconds a cast
def why_not_round_trip(through: Type, to: Type) -> str | None:
    """Return why a value cannot do without being of type `through` between two times `to`."""
    narrow, wide = through.dtype, to.dtype
    if narrow is None or wide is None:
        return "an element type is not known"
    if narrow is wide:
        return f"it is no cast: both sides are {wide}"
    for dtype in (narrow, wide):
        if not dtype.is_float:
            return f"a round trip of {wide} through {narrow} clamps: {dtype} is no float"
        if dtype.bits <= 8:
            return f"a round trip of {wide} through {narrow} may saturate: {dtype} has {dtype.bits} bits"
        if not holds(f32, dtype):
            return f"the engines compute in f32, which does not hold {dtype}: more than one rounding would go"
    if through.shape != to.shape:
        return f"it changes the shape, {through} to {to}"
    return f"the size of {to} is not known" if to.size_in_bytes is None else None


def why_not_mutate_dst_type(inst: Instruction, dtype: DType) -> str | None:
    """Return why `inst` may not write `dtype` in place of what it writes, as far as it alone is concerned.

    Source: NeuronEliminateCasts, the four gates of `shouldMutateInstDstType`; the third is an equality.
    """
    if not inst.canMutateDstTy:
        return _fixed_result(inst.INFO.mnemonic)
    if not isinstance(inst, MUTABLE):
        return _not_listed(inst.INFO.mnemonic)
    source, written = inst.src.type.dtype, inst.dtype
    if source is not dtype:
        return f"{inst.INFO.mnemonic} reads {source}, not {dtype}"
    if written.kind != dtype.kind and is_int_type(written) != is_int_type(dtype):
        return f"{inst.INFO.mnemonic} converts between integers and floats, {dtype} to {written}"
    return None


@cache  # the reason that is given most: a text made anew each time costs as much as all the gates
def _fixed_result(mnemonic: str | None) -> str:
    return f"the result of {mnemonic} may not change its dtype"


@cache
def _not_listed(mnemonic: str | None) -> str:
    return f"{mnemonic} may change its dtype, but this pass does that to activation, tensor_scalar, tensor_copy only"


def why_not_retype_tensor(tensor: Tensor, dtype: DType, target: Target | None) -> str | None:
    """Return why the elements of `tensor` cannot be `dtype`, whoever reads and writes it."""
    name = f"%{tensor.name}"
    if tensor.isInput or tensor.isOutput:
        return f"{name} is an {'input' if tensor.isInput else 'output'} of the program"
    if tensor.init is not None:
        return f"{name} is a constant"
    if isinstance(tensor, NeuronPSUMTensor):
        return f"{name} is in PSUM"
    if not tensor.n_stores:
        return f"nothing writes {name}"
    if tensor.is_reinterpreted:
        return f"{name} is accessed under another dtype"
    return None if tensor.memory != "sbuf" else why_not_fit(tensor.type, dtype, target and target.name)


@cache
def why_not_fit(type: Type, dtype: DType, target: str | None) -> str | None:
    """Return by how much a tensor with elements of `dtype` exceeds a partition of the state buffer, if it does.

    Units: bytes per partition. Without a target it must fit every target.
    Source: penguin, EnforceAluDTAcc's overflow test.
    """
    assert type.dtype is not None and type.shape is not None
    if dtype.bits <= type.dtype.bits:
        return None
    needed = prod(extent for extent in type.shape[1:] if isinstance(extent, int)) * dtype.itemsize
    usable = min(each.sbuf_usable_bytes for each in TARGETS if target is None or each.name == target)
    if needed <= usable:
        return None
    return f"{type} in {dtype} takes {needed} bytes of a partition, more than the {usable} that tensors may take"
