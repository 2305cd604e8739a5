"""Which functions the mixed-precision pass can take on, and what a user is told of those that it cannot.

Deliberately absent: silence. What a policy does not reach is a warning, whatever the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from passes.framework.dot_transform import TransformError
from passes.precision.groups import has_memory
from passes.precision.labels import label_of
from passes.precision.reasons import Rule
from passes.precision.report import PrecisionReport, ReportLine, float_of
from runtime.functions import Function
from runtime.generic import ONNX_DOMAIN, Initializer, OnnxNode
from runtime.instructions import Instruction
from runtime.operand_slots import values_of
from runtime.signatures import Signatures

OLDEST: Final = 7
"""Operator sets before this one cast and broadcast in another way: programs of them stay as they are."""


def why_untouched(f: Function, insts: Sequence[Instruction], report: PrecisionReport) -> bool:
    """Whether a function with these instructions must stay as it is; the report is told why, and what else does."""
    if f.module is not None and "main" in f.module.functions and f.name != "main":
        report.notes.append(f"the local function @{f.name} stays as it is, since its callers agree on its types")
        return True
    _warn_of_memory(f, insts, report)
    nodes = [inst for inst in insts if isinstance(inst, OnnxNode)]
    if not nodes:
        return False
    version = f.operator_sets.get(ONNX_DOMAIN)
    if version is not None and version >= OLDEST:
        return False
    if version is None:
        why = f"@{f.name} does not say which version of {ONNX_DOMAIN} its nodes are of"
    else:
        why = f"@{f.name} is of operator set {version}; before {OLDEST}, casts and broadcasting work in another way"
    report.warnings.append(f"{why}: it stays as it is")
    report.counts.update(float_of(node.results, node.operands()) for node in nodes)
    return True


def signatures_of(f: Function) -> Signatures | None:
    """Return what is known of the types of foreign operators; None where the function has none.

    Raises: TransformError where it has some, and nobody has said.
    """
    found = f.module.signatures if f.module is not None else None
    if found is None and any(isinstance(inst, OnnxNode) for inst in f.insts):
        raise TransformError(
            "the module does not say which types ONNX operators may have; models that frontends.onnx.load reads do, and"
            " for other programs there is module.signatures = frontends.onnx.SIGNATURES"
        )
    return found


def _warn_of_memory(f: Function, insts: Sequence[Instruction], report: PrecisionReport) -> None:
    """Count instructions that read or write tensors, and report those that are f32."""
    count = 0
    for inst in insts:
        if isinstance(inst, (OnnxNode, Initializer)) or inst.is_terminator or not has_memory(inst, values_of(inst)):
            continue
        given = [inst.dst] if inst.dst is not None else inst.results
        name = float_of(given, inst.operands())
        report.counts[name] += 1
        if name == "f32":
            count += 1
            report.lines.append(
                ReportLine(f.name, None, inst.name, label_of(inst), "f32", Rule.MEMORY, Rule.MEMORY.value)
            )
    if count:
        what = (
            f"{count} instructions that read or write tensors stay" if count > 1 else "an instruction on tensors stays"
        )
        report.warnings.append(f"@{f.name}: {what} f32: those are for auto-cast-fp32, which knows what is stored where")
