"""Accesses against the tensors that they reach into, over all iterations of the loops around them.

On chip a tensor's first extent lies across the partitions, and its elements of one partition are a row. The partition
pair walks whole rows; the free pairs stay within one, the same for every partition.

Units: elements of the access's own dtype.
Source: AWS Neuron documentation, access patterns: the partition step is the number of elements of one partition.
"""

from __future__ import annotations

from math import prod

from runtime.access import NeuronAP
from runtime.affine import Affine
from runtime.instructions import Instruction
from runtime.verifier.findings import Findings, field_of


def check_access(access: NeuronAP, inst: Instruction, findings: Findings, *, runs: bool) -> None:
    """Check one access of an instruction; `runs` says whether the loops around it run at all."""
    tensor, offset = access.tensor, access.offset
    if access.indices and len(access.indices) != len(access.pairs):
        slot = field_of(access, inst)
        message = f"{_shown(slot)} names {len(access.indices)} indices for {len(access.pairs)} pairs of {{value}}"
        findings.add("V075", message, inst, None, tensor, "one index a pair, or none at all")
        return
    if access.reinterpret is None and not offset.terms and offset.constant == 0 and access.is_whole:
        return
    width = tensor.dtype.bits
    own = width if access.reinterpret is None else access.reinterpret.bits
    if width % own:
        slot = field_of(access, inst)
        message = f"{_shown(slot)} reads {{value}} of {tensor.dtype} as {access.reinterpret}"
        findings.add("V074", message, inst, slot, tensor, f"an element of {own} bits is no part of one of {width}")
        return
    empty = next((pair for pair in access.pairs if pair[1] < 1), None)
    if empty is not None:
        slot = field_of(access, inst)
        message = f"{_shown(slot)} has the pair {empty[0]}:{empty[1]} in {{value}}; expected num of at least 1"
        findings.add("V071", message, inst, slot, access)
        return
    if runs:
        row = prod(tensor.known_shape[1:]) * (width // own)
        size = row * (tensor.known_shape[0] if tensor.known_shape else 1)
        if size:  # a tensor without elements is reported itself
            _check_reach(access, inst, size, row, findings)


def _check_reach(access: NeuronAP, inst: Instruction, size: int, row: int, findings: Findings) -> None:
    low, high = access.bounds
    if low < 0 or high >= size:
        slot = field_of(access, inst)
        message = f"{_shown(slot)} reaches elements {low} to {high} of {{value}}, which has {size}"
        findings.add("V070", message, inst, slot, access.tensor)
        return
    if access.tensor.memory == "dram" or not access.pairs:
        return
    step, num = access.pairs[0]
    if num > 1 and step != row:
        slot = field_of(access, inst)
        message = f"{_shown(slot)} has the partition pair {step}:{num} in {{value}}; expected step {row}"
        help = "partitions are contiguous: the step is the number of elements in one"
        findings.add("V072", message, inst, slot, access, help)
        return
    low, high = _free_bounds(access, row)
    if low < 0 or high >= row:
        slot = field_of(access, inst)
        message = f"{_shown(slot)} reaches elements {low} to {high} of a partition of {{value}}, which has {row}"
        findings.add("V073", message, inst, slot, access.tensor)


def _free_bounds(access: NeuronAP, row: int) -> tuple[int, int]:
    """Return the smallest and largest element of a partition that an access reaches.

    Whole rows in the offset move along the partitions; what is left of each term moves within one.
    """
    offset = access.offset
    if offset.terms:
        within = tuple((axis, factor - row * int(factor / row)) for axis, factor in offset.terms)
        low, high = Affine(offset.constant % row, within).bounds
    else:
        low = high = offset.constant % row
    for step, num in access.pairs[1:]:
        reach = step * (num - 1)
        low, high = low + min(reach, 0), high + max(reach, 0)
    return low, high


def _shown(field: str) -> str:
    return f'the {"destination" if field == "dst" else "operand"} "{field}"'
