"""What is done to a program before it is converted: local functions are inlined, the operator set is raised.

    module, notes = prepared(module, policy, keep=("head*",))

Either is done only where a policy needs it, and the notes say so, for the report.

Deliberately absent: reading and writing programs.
"""

from __future__ import annotations

from collections.abc import Sequence

from passes.precision.inlining import inlined_functions
from passes.precision.operator_sets import needed_operator_set, what_it_allows
from passes.precision.policy import PrecisionPolicy
from passes.precision.reach import OLDEST
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.functions import Module
from runtime.generic import ONNX_DOMAIN


def raised_to(module: Module, version: int, called: str = "the program") -> Module:
    """Return a copy of a program in a newer operator set.

    Raises: DiagnosticsError where it cannot be had; the message calls it something.
    """
    found = _raised(module, version)
    if isinstance(found, str):
        message = f"{called} cannot be had in operator set {version}: {found}"
        raise DiagnosticsError([Diagnostic("P065", message)])
    return found


def prepared(
    module: Module,
    policy: PrecisionPolicy,
    *,
    keep: Sequence[str] = (),
    opset: int | None = None,
    keep_functions: bool = False,
    called: str = "the program",
) -> tuple[Module, tuple[str, ...]]:
    """Return a program as it is to be converted, which is the same or a copy, and what is to be said of it.

    Raises: DiagnosticsError where it cannot be had in the operator set `opset`; the message calls it something.
    """
    found, notes = (module, []) if keep_functions else inlined_functions(module, policy, keep)
    needed = (opset, []) if opset is not None else needed_operator_set(found, policy, OLDEST)
    if needed is None:
        return found, tuple(notes)
    version, operators = needed
    is_newer = version != found.root_function.operator_sets.get(ONNX_DOMAIN)
    if is_newer and len(found.functions) > 1 and not keep_functions:  # no operator set is raised around functions
        found, more = inlined_functions(found, policy, keep, with_all=True)
        notes += more
    if opset is not None:
        return raised_to(found, opset, called), tuple(notes)
    what, raised = what_it_allows(version, operators, policy), _raised(found, version)
    if isinstance(raised, str):
        return found, (*notes, f"the program stays as it is, and is not raised to {what}: {raised}")
    return raised, (*notes, f"the program was raised to {what}")


def _raised(module: Module, version: int) -> Module | str:
    return "it is no model" if module.signatures is None else module.signatures.raised(module, version)
