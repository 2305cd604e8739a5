"""What instructions are called in reports and reasons."""

from __future__ import annotations

from runtime.builtin import Opaque
from runtime.generic import OnnxNode
from runtime.instructions import Instruction


def label_of(inst: Instruction) -> str:
    """Return the operator of a node with its domain, and of any other instruction the mnemonic: `graph.matmul`."""
    if isinstance(inst, (OnnxNode, Opaque)):
        return inst.label
    return inst.INFO.mnemonic or inst.INFO.name
