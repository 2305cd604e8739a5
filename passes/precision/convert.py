"""`convert(module, policy)`: a module with a precision policy applied, and what was decided."""

from __future__ import annotations

from collections.abc import Iterable

from passes.auto_mixed_precision import AutoMixedPrecision
from passes.precision.operator_sets import needed_operator_set, what_it_allows
from passes.precision.policy import PrecisionPolicy
from passes.precision.reach import OLDEST
from passes.precision.report import PrecisionReport
from passes.precision.requests import Requests, check_patterns
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.functions import Module


def convert(
    module: Module,
    policy: PrecisionPolicy | str = "autocast-f16",
    *,
    keep: Iterable[str] = (),
    keep_io: bool = True,
    opset: int | None = None,
) -> tuple[Module, PrecisionReport]:
    """Return a converted clone of a module and the report; the module itself stays as it is.

    Nodes or operators that a pattern in `keep` names stay f32; without `keep_io`, inputs and outputs that are only used
    in the lower float get it. The clone of an ONNX model is raised to the operator set `opset`; without that, to the
    one in which its products have the lower float, where it is of an older one and can be raised. The report says so.

    Raises: UnknownPolicyError where `policy` is a name that no policy has; DiagnosticsError where a pattern means
    nothing in the program, or where it cannot be had in `opset`; TypeError where `module` is none, or `keep` one text.
    """
    if not isinstance(module, Module):
        raise TypeError(f"convert takes a module, as frontends.onnx.load gives one, not {module!r:.80}")
    if isinstance(keep, str):
        raise TypeError(f'keep takes several patterns, such as ["{keep}"], and this is one text')
    transform = AutoMixedPrecision.of(policy)
    converted, notes = _raised(module, transform.policy, opset)
    transform.requests = Requests(tuple(keep), keep_io=keep_io, notes=notes)
    check_patterns(transform.requests.keep, converted)
    transform.runOnModule(converted)
    return converted, transform.report


def _raised(module: Module, policy: PrecisionPolicy, opset: int | None) -> tuple[Module, tuple[str, ...]]:
    """Return a clone in the operator set that is asked for, or that the policy needs, and what is to be said of it."""
    if opset is not None:
        found = "it is no model" if module.signatures is None else module.signatures.raised(module, opset)
        if isinstance(found, str):
            raise DiagnosticsError([Diagnostic("P065", f"the program cannot be had in operator set {opset}: {found}")])
        return found, ()
    needed = needed_operator_set(module, policy, OLDEST)
    if needed is None or module.signatures is None:
        return module.clone(), ()
    version, operators = needed
    what = what_it_allows(version, operators, policy)
    found = module.signatures.raised(module, version)
    if isinstance(found, str):
        return module.clone(), (f"the program stays as it is, and is not raised to {what}: {found}",)
    return found, (f"the program was raised to {what}",)
