"""`convert(module, policy)`: a module with a precision policy applied, and what was decided."""

from __future__ import annotations

from collections.abc import Iterable

from passes.auto_mixed_precision import AutoMixedPrecision
from passes.precision.policy import PrecisionPolicy
from passes.precision.report import PrecisionReport
from passes.precision.requests import Requests, check_patterns
from runtime.functions import Module


def convert(
    module: Module,
    policy: PrecisionPolicy | str = "autocast-f16",
    *,
    keep: Iterable[str] = (),
    keep_io: bool = True,
) -> tuple[Module, PrecisionReport]:
    """Return a converted clone of a module and the report; the module itself stays as it is.

    Nodes or operators that a pattern in `keep` names stay f32; without `keep_io`, inputs and outputs that are only used
    in the lower float get it.

    Raises: UnknownPolicyError where `policy` is a name that no policy has; DiagnosticsError where a pattern means
    nothing in the program; TypeError where `keep` is one text.
    """
    if isinstance(keep, str):
        raise TypeError(f'keep takes several patterns, such as ["{keep}"], and this is one text')
    transform = AutoMixedPrecision.of(policy)
    transform.requests = Requests(tuple(keep), keep_io=keep_io)
    check_patterns(transform.requests.keep, module)
    converted = module.clone()
    transform.runOnModule(converted)
    return converted, transform.report
