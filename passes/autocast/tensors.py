"""Which tensors may hold a narrower float: `shrinkTensor` and its guards.

Before, with `mode=matmult`:                         After:

    tensor %w: f32[128,64] sbuf                          tensor %w: bf16[128,64] sbuf
    %w = sb_atom_load %weights                           %w = sb_atom_load %weights       // the DMA converts
    %p = matmul %w, %x_bf16                              %p = matmul %w, %x_bf16

The guards, in the order of the source: no opaque instruction reads it, none writes it; all of its addresses are
affine; it is read; it is no input, output or constant; all who read it want one dtype; it is f32; nobody accesses its
bits under another dtype. Beyond the source: it is not in PSUM, which holds f32; it is written through destinations
only and not added to; and every instruction that writes it may write the narrower float.

Why it is safe. All that is written to the tensor is rounded, and everybody who reads it reads what was rounded: bit
for bit the program in which those roundings take place where it is written. Whoever asked for f32 gets
a cast of what it reads.

Departure from the source: the counter has the bytes that are saved, which is what its label says, not the old size.

Source: penguin, AutoCastFP32, `shrinkTensor`.
"""

from __future__ import annotations

from collections.abc import Callable

from passes.autocast.facts import is_unknown
from runtime.access import AccessMode, NeuronAP
from runtime.dtypes import DType, f32
from runtime.instructions import Instruction
from runtime.tensors import NeuronPSUMTensor, Tensor, TensorUtils
from runtime.wrappers.TensorCopyDynamicBase import TensorCopyDynamicBase

WhyNotWrite = Callable[[Instruction, DType], str | None]
Wanted = Callable[[Instruction, NeuronAP], DType | None]


def why_not_shrink(tensor: Tensor, low: DType, wanted: Wanted, why_not_write: WhyNotWrite) -> str | None:
    """Return the first guard that keeps a tensor f32, or None; `wanted` says what an instruction makes of a read."""
    name = f"%{tensor.name}"
    loads, stores = TensorUtils.load_insts(tensor), TensorUtils.store_insts(tensor)
    for inst, does in (*((each, "reads") for each in loads), *((each, "writes") for each in stores)):
        if is_unknown(inst) and not inst.is_terminator:
            return f"{inst.INFO.mnemonic}, of which nothing is known, {does} {name}"
    if any(_is_addressed(inst, tensor) for inst in (*loads, *stores)):
        return f"{name} is addressed at run time"
    if not tensor.n_loads:
        return f"nothing reads {name}"
    if tensor.isInputOrOutput:
        return f"{name} is an {'input' if tensor.isInput else 'output'} of the program"
    if tensor.is_const:
        return f"{name} is a constant"
    other = next((inst for inst, access in _reads(tensor) if wanted(inst, access) is not low), None)
    if other is not None:
        return f"{other.INFO.mnemonic}, which reads {name}, is not asked to read {low}"
    if tensor.dtype is not f32:
        return f"{name} is {tensor.dtype}"
    if tensor.is_reinterpreted:
        return f"{name} is accessed under another dtype"
    if isinstance(tensor, NeuronPSUMTensor):
        return f"{name} is in PSUM"
    for access in tensor.stores:
        writer = access.owner
        if writer is None or access is not writer.dst:
            return f"{name} is written through an operand"
        if access.mode is not AccessMode.STORE:
            return f"{writer.INFO.mnemonic} adds to {name}"
        reason = why_not_write(writer, low)
        if reason is not None:
            return reason
    return None


def is_wanted(tensor: Tensor, low: DType, wanted: Wanted) -> bool:
    """Whether somebody who reads a tensor wants it narrow; of PSUM nobody is told that it stays f32."""
    return not isinstance(tensor, NeuronPSUMTensor) and any(
        wanted(inst, access) is low for inst, access in _reads(tensor) if not is_unknown(inst)
    )


def shrunk_bytes(tensor: Tensor, low: DType) -> int:
    """Return how many bytes a tensor of f32 is smaller in another dtype."""
    before, after = tensor.type.size_in_bytes, tensor.type.with_dtype(low).size_in_bytes
    assert before is not None and after is not None
    return before - after


def _reads(tensor: Tensor) -> list[tuple[Instruction, NeuronAP]]:
    return [(access.owner, access) for access in tensor.loads if access.owner is not None]


def _is_addressed(inst: Instruction, tensor: Tensor) -> bool:
    addressed = inst.addressed if isinstance(inst, TensorCopyDynamicBase) else None
    return isinstance(addressed, NeuronAP) and addressed.tensor is tensor
