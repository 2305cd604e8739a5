"""`convert(module, policy)`: a module with a precision policy applied, and what was decided."""

from __future__ import annotations

from collections.abc import Iterable

from passes.auto_mixed_precision import AutoMixedPrecision
from passes.precision.policy import PrecisionPolicy
from passes.precision.preparation import prepared
from passes.precision.report import PrecisionReport
from passes.precision.requests import Requests, check_patterns
from runtime.functions import Module


def convert(
    module: Module,
    policy: PrecisionPolicy | str = "autocast-f16",
    *,
    keep: Iterable[str] = (),
    keep_io: bool = True,
    opset: int | None = None,
    keep_functions: bool = False,
) -> tuple[Module, PrecisionReport]:
    """Return a converted clone of a module and the report; the module itself stays as it is.

    Nodes or operators that a pattern in `keep` names stay f32; without `keep_io`, inputs and outputs that are only used
    in the lower float get it. The clone of an ONNX model is raised to the operator set `opset`; without that, to the
    one in which its products have the lower float, where it is of an older one and can be raised. Its local functions
    are inlined where they would keep something in f32, unless they are to be kept. The report says so.

    Raises: UnknownPolicyError where `policy` is a name that no policy has; DiagnosticsError where a pattern means
    nothing in the program, or where it cannot be had in `opset`; TypeError where `module` is none, or `keep` one text.
    """
    if not isinstance(module, Module):
        raise TypeError(f"convert takes a module, as frontends.onnx.load gives one, not {module!r:.80}")
    if isinstance(keep, str):
        raise TypeError(f'keep takes several patterns, such as ["{keep}"], and this is one text')
    transform = AutoMixedPrecision.of(policy)
    keep = tuple(keep)
    found, notes = prepared(module, transform.policy, keep=keep, opset=opset, keep_functions=keep_functions)
    converted = module.clone() if found is module else found
    transform.requests = Requests(keep, keep_io=keep_io, notes=notes)
    check_patterns(transform.requests.keep, converted)
    transform.runOnModule(converted)
    return converted, transform.report
