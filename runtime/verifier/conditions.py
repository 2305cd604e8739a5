"""When an instruction runs: its predicates, and what it must come after.

A predicated instruction writes a tensor, or gives nothing: a value of it would not be there where it does not run.
Whether a predicate can hold is decided exactly, or nothing is said.
"""

from __future__ import annotations

from collections.abc import Set

from runtime.affine import Axis
from runtime.dominance import comes_first
from runtime.functions import Function
from runtime.instructions import Instruction
from runtime.iterations import Undecided, witness
from runtime.verifier.findings import Findings


def check_predicates(inst: Instruction, axes: Set[Axis], findings: Findings, *, runs: bool) -> bool:
    """Check the predicates of an instruction; return whether they are over `axes`, those of the loops around it.

    `runs` says whether these loops run at all.
    """
    if inst.is_terminator or inst.results:
        what = "ends a block" if inst.is_terminator else "gives a value"
        message = f"`{inst.INFO.mnemonic}` has predicates, but {what}"
        help = "only an instruction that writes a tensor, or gives nothing, may run in some iterations only"
        findings.add("V024", message, inst, "predicates", None, help)
    sound = True
    for predicate in inst.predicates:
        for axis in (axis for axis, _ in predicate.expr.terms if axis not in axes):
            message = f"the predicate {{value}} uses the axis %{axis.name}, whose loop is not around the instruction"
            findings.add("V023", message, inst, "predicates", predicate)
            sound = False
    if sound and runs:
        _check_truth(inst, findings)
    return sound


def _check_truth(inst: Instruction, findings: Findings) -> None:
    predicates = inst.predicates
    for predicate in predicates:
        if predicate.holds_always:
            help = "leave it out; canonicalizePredicates() does"
            findings.add("V025", "the predicate {value} holds in every iteration", inst, "predicates", predicate, help)
    for some in (*((predicate,) for predicate in predicates), predicates):
        try:
            holds = witness(some) is not None
        except Undecided:
            continue
        if not holds:
            what = "the predicate {value} holds" if len(some) == 1 else "the predicates hold together"
            message = f"{what} in no iteration, so `{inst.INFO.mnemonic}` never runs"
            findings.add("V025", message, inst, "predicates", some[0])
            return


def check_dependencies(inst: Instruction, function: Function, findings: Findings) -> None:
    """Check that each edge leads from an instruction further up in the function, and that both ends know it."""
    for edge in inst.dependencies:
        if not edge.src.has_dependent(inst):
            message = "the instruction comes after one that does not know of it"
            findings.add("V013", message, inst, "dependencies", other=edge.src)
        if edge.src.parent_function is not function:
            home = edge.src.parent_function
            where = "stands in no function" if home is None else f"belongs to @{home.name}"
            message = f"the instruction must come after one that {where}"
            findings.add("V022", message, inst, "dependencies", other=edge.src)
        elif not comes_first(edge.src, inst):
            message = f"the instruction must come after one ({edge.kind.value}) that stands behind it or around it"
            findings.add("V026", message, inst, "dependencies", other=edge.src)
    for user in inst.dependents:
        if not user.depends_on(inst):
            message = "an instruction is listed as coming after this one, and does not say so"
            findings.add("V013", message, inst, "mark", other=user)
