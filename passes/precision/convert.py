"""`convert(module, policy)`: a module with a precision policy applied, and what was decided."""

from __future__ import annotations

from passes.auto_mixed_precision import AutoMixedPrecision
from passes.precision.policy import PrecisionPolicy
from passes.precision.report import PrecisionReport
from runtime.functions import Module


def convert(module: Module, policy: PrecisionPolicy | str = "autocast-f16") -> tuple[Module, PrecisionReport]:
    """Return a converted clone of a module and the report; the module itself stays as it is.

    Raises: UnknownPolicyError where `policy` is a name that no policy has.
    """
    transform = AutoMixedPrecision.of(policy)
    converted = module.clone()
    transform.runOnModule(converted)
    return converted, transform.report
