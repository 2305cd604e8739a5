"""The verifier: everything that is wrong with a program, each mistake once, with its place.

It trusts nothing that the program says of itself: use-lists, accesses and links are counted afresh. The time is nearly
linear in the number of instructions.

What is said is so for certain: where a question cannot be decided, or only for some placement of tensors, nothing is.

Deliberately absent: repair, addresses, and whether each element is written before it is read.
"""

from __future__ import annotations

from runtime.diagnostics import Diagnostic
from runtime.functions import Module
from runtime.instructions import Instruction
from runtime.targets import Target, UnknownTargetError, parse_target
from runtime.text.places import Places
from runtime.verifier.findings import Findings
from runtime.verifier.generic import check_carried, check_names, check_operator_sets
from runtime.verifier.initialisation import check_initialised
from runtime.verifier.links import are_linked, check_tables
from runtime.verifier.liveness import check_room
from runtime.verifier.plans import ClassPlan
from runtime.verifier.tensors import check_tensors
from runtime.verifier.uses import UseCensus
from runtime.verifier.walk import FunctionWalk

__all__ = ["verify"]


def verify(module: Module, target: Target | None = None, places: Places | None = None) -> list[Diagnostic]:
    """Return all that is wrong with a program, in program order; an empty list for a good one.

    Without `target`, the program's own counts; where it names none, nothing is checked that depends on the target.
    `places` are those of the parser, by default those that the program knows; a statement that has none is shown as it
    is printed, and its place says function and value, `@main %h`.
    """
    findings = Findings(module.places if places is None else places)
    if target is None:
        target = _target_of(module, findings)
    check_carried(module.carried, module, findings, "the program")
    check_tables(module, findings)
    census = UseCensus(findings)
    plans: dict[type[Instruction], ClassPlan] = {}
    walks = []
    for function in module.functions.values():
        findings.enter(function)
        check_operator_sets(function, findings)
        if are_linked(function, findings):
            walk = FunctionWalk(function, target, plans, census, findings)
            walk.run()
            walks.append((function, walk.defined))
            check_names(walk.defined, findings)
            check_initialised(function, census.accesses_of, findings)
            if target is not None:
                check_room(function, target, census.accesses_of, findings)
        check_tensors(function, target, findings)
    if len(walks) < len(module.functions):
        return findings.diagnostics()  # with statements that nobody can reach, all use-lists would look wrong
    for function, defined in walks:
        findings.enter(function)
        census.check_values(defined)
        census.check_tensors(function.tensors.values())
    return findings.diagnostics()


def _target_of(module: Module, findings: Findings) -> Target | None:
    if module.target is None:
        return None
    try:
        return parse_target(module.target)
    except UnknownTargetError as error:
        message, _, help = str(error).partition("; ")
        findings.add("V062", message, module, help=help)
        return None
