"""Tensors against the memory that they live in, and constants against their contents.

Deliberately absent: allocation. Whether all tensors fit together depends on when each is alive; here each is alone.
"""

from __future__ import annotations

from math import prod

from runtime.access import AccessMode
from runtime.functions import Function
from runtime.targets import Target
from runtime.tensors import Tensor
from runtime.verifier.findings import Findings, field_of

_PARTITIONS = 128  # of every target but the oldest, whose PSUM has 64


def check_tensors(function: Function, target: Target | None, findings: Findings) -> None:
    """Check all tensors of a function, each by itself."""
    for tensor in function.tensors.values():
        if any(extent < 1 for extent in tensor.known_shape):
            findings.add("V081", f"{{value}} has no elements: {tensor.type}", tensor, "result", tensor)
        elif tensor.memory != "dram":
            _check_fit(tensor, target, findings)
        if tensor.init is not None:
            _check_constant(tensor, findings)


def _check_fit(tensor: Tensor, target: Target | None, findings: Findings) -> None:
    shape = tensor.known_shape
    partitions, room = _PARTITIONS, None
    if target is not None and tensor.memory == "psum":
        partitions, room = target.psum_partitions, target.psum_bytes
    elif target is not None:
        partitions, room = target.sbuf_partitions, target.sbuf_usable_bytes
    on = f" of {target}" if target is not None else ""
    if shape and shape[0] > partitions:
        message = f"{{value}} takes {shape[0]} partitions; the {tensor.memory}{on} has {partitions}"
        findings.add("V080", message, tensor, "result", tensor)
    row = (prod(shape[1:]) * tensor.dtype.bits + 7) // 8
    if room is not None and row > room:
        message = f"{{value}} takes {row} bytes of each partition; the {tensor.memory}{on} has {room} for tensors"
        findings.add("V080", message, tensor, "result", tensor)


def _check_constant(tensor: Tensor, findings: Findings) -> None:
    assert tensor.init is not None
    if tensor.init.type is not tensor.type:
        message = f"the contents of {{value}} are {tensor.init.type}; expected {tensor.type}"
        findings.add("V082", message, tensor, "result", tensor)
    for access in tensor.stores:
        writer = access.owner
        if writer is not None and access.mode is not AccessMode.LOAD:
            findings.add("V083", "the constant tensor {value} is written", writer, field_of(access, writer), tensor)
