"""Which operator set a program needs, so that its products may have the lower float.

    Conv 17 has no bf16, Conv 22 does: a program of operator set 17 with convolutions needs 22

Deliberately absent: raising, which a front end does, and operators that a policy keeps in f32 anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from passes.precision.facts_of import facts_of
from passes.precision.policy import OpKind, Precision, PrecisionPolicy
from runtime.dtypes import f32
from runtime.functions import Module
from runtime.generic import ONNX_DOMAIN, OnnxNode
from runtime.signatures import Signatures

_FARTHEST: Final = 40  # versions that are looked at


def needed_operator_set(module: Module, policy: PrecisionPolicy, oldest: int) -> tuple[int, list[str]] | None:
    """Return the operator set that a policy needs for what computes, and the operators that need it; None: none.

    `oldest`: programs of operator sets before this one stay as they are.
    """
    function = module.root_function
    signatures, version = module.signatures, function.operator_sets.get(ONNX_DOMAIN)
    if signatures is None or version is None or version < oldest or policy.compute is not Precision.LOW:
        return None
    needed: dict[str, int] = {}
    known: set[str] = set()
    for inst in function.insts:
        if not isinstance(inst, OnnxNode) or inst.domain != ONNX_DOMAIN or inst.op_type in known:
            continue
        facts = facts_of(inst, function.operator_sets)
        if facts is None or OpKind(facts.op_kind) is not OpKind.COMPUTE:
            known.add(inst.op_type)
        elif any(value is not None and value.type.dtype is f32 for value in inst.values):
            known.add(inst.op_type)
            needed[inst.op_type] = _first_that_allows(inst.op_type, version, policy, signatures)
    newest = max(needed.values(), default=version)
    return (newest, sorted(name for name, one in needed.items() if one > version)) if newest > version else None


def what_it_allows(version: int, operators: Sequence[str], policy: PrecisionPolicy) -> str:
    """Return an operator set with what a policy needs it for."""
    return f"operator set {version}, in which {', '.join(operators)} may be {policy.low}"


def _first_that_allows(op_type: str, version: int, policy: PrecisionPolicy, signatures: Signatures) -> int:
    """Return the first operator set, from `version` on, in which an operator takes the lower float; else `version`."""
    for one in range(version, version + _FARTHEST):
        signature = signatures.signature(ONNX_DOMAIN, op_type, one)
        first = None if signature is None else signature.operand(0)
        if first is None or f32 not in first.dtypes:
            return version
        if policy.low in first.dtypes:
            return one
    return version
