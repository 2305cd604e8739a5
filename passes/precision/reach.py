"""Which functions the mixed-precision pass can take on, and what a user is told of those that it cannot.

Deliberately absent: silence. What a policy does not reach is a warning, whatever the reason.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from passes.framework.dot_transform import TransformError
from passes.precision.reasons import Rule
from passes.precision.report import PrecisionReport, ReportLine, float_of
from runtime.functions import Function
from runtime.generic import ONNX_DOMAIN, Initializer, OnnxNode
from runtime.signatures import Signatures

OLDEST: Final = 7
"""Operator sets before this one cast and broadcast in another way: programs of them stay as they are."""


def why_untouched(f: Function, report: PrecisionReport) -> bool:
    """Whether a function must stay as it is; the report is told why, and of what else is out of reach."""
    if f.module is not None and "main" in f.module.functions and f.name != "main":
        report.notes.append(f"the local function @{f.name} stays as it is, since its callers agree on its types")
        return True
    _warn_of_others(f, report)
    nodes = [inst for inst in f.insts if isinstance(inst, OnnxNode)]
    if not nodes:
        return True
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


def signatures_of(f: Function) -> Signatures:
    """Return what is known of the types of foreign operators.

    Raises: TransformError where nobody has said.
    """
    found = f.module.signatures if f.module is not None else None
    if found is None:
        raise TransformError(
            "the module does not say which types ONNX operators may have; models that frontends.onnx.load reads do, and"
            " for other programs there is module.signatures = frontends.onnx.SIGNATURES"
        )
    return found


def _warn_of_others(f: Function, report: PrecisionReport) -> None:
    """Count instructions that are no nodes of ONNX, and report those that are f32."""
    found: Counter[str] = Counter()
    for inst in f.insts:
        if isinstance(inst, (OnnxNode, Initializer)) or inst.is_terminator:
            continue
        name = float_of(inst.results, inst.operands())
        report.counts[name] += 1
        if name == "f32":
            found[inst.INFO.dialect] += 1
            mnemonic, rule = inst.INFO.mnemonic or inst.INFO.name, Rule.NOT_ONNX
            report.lines.append(ReportLine(f.name, None, inst.name, mnemonic, "f32", rule, rule.value))
    for dialect, count in sorted(found.items()):
        stay = (
            f"{count} instructions of the dialect {dialect} stay" if count > 1 else f"an instruction of {dialect} stays"
        )
        report.warnings.append(f"@{f.name}: {stay} f32, because this pass only rewrites nodes of ONNX yet")
