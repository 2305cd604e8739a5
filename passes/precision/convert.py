"""`convert(module, policy)`: a module with a precision policy applied, and what was decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Any

from passes.auto_mixed_precision import AutoMixedPrecision
from passes.numerics.inputs import check_given, given_inputs
from passes.precision.calibration import calibrated
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
    calibrate: Sequence[Mapping[str, Any]] = (),
    tolerance: float | None = None,
) -> tuple[Module, PrecisionReport]:
    """Return a converted clone of a module and the report; the module itself stays as it is.

    Nodes or operators that a pattern in `keep` names stay f32; without `keep_io`, inputs and outputs that are only used
    in the lower float get it. The clone of an ONNX model is raised to the operator set `opset`; without that, to the
    one in which its products have the lower float, where it is of an older one and can be raised. Its local functions
    are inlined where they would keep something in f32, unless they are to be kept. The report says so.

    `calibrate` are sets of inputs by name, arrays of the types that the program states. It is run on each, and what the
    lower float does not hold stays f32. With a `tolerance`, so does what is needed for the error of each output on them
    to be at most that, beside the output's largest magnitude (`passes/precision/within_tolerance.py`).

    Raises: UnknownPolicyError where `policy` is a name that no policy has; DiagnosticsError where a pattern means
    nothing in the program, where it cannot be had in `opset`, run on `calibrate`, or be within a tolerance; TypeError
    where `module` is none, or `keep` one text; ValueError for a tolerance that is none, or without inputs.
    """
    if not isinstance(module, Module):
        raise TypeError(f"convert takes a module, as frontends.onnx.load gives one, not {module!r:.80}")
    if isinstance(keep, str):
        raise TypeError(f'keep takes several patterns, such as ["{keep}"], and this is one text')
    transform = AutoMixedPrecision.of(policy)
    keep = tuple(keep)
    found, notes = prepared(module, transform.policy, keep=keep, opset=opset, keep_functions=keep_functions)
    converted = module.clone() if found is module else found
    requests = Requests(keep, keep_io=keep_io, notes=notes)
    check_patterns(keep, converted)
    transform.requests = _calibrated(requests, converted, transform.policy, calibrate, tolerance)
    transform.runOnModule(converted)
    return converted, transform.report


def _calibrated(
    requests: Requests,
    module: Module,
    policy: PrecisionPolicy,
    inputs: Sequence[Mapping[str, Any]],
    tolerance: float | None,
) -> Requests:
    if isinstance(inputs, Mapping):
        raise TypeError("calibrate takes several sets of inputs, [{name: array}], and this is one of them")
    if tolerance is not None and not (inputs and isinstance(tolerance, (int, float)) and 0 < tolerance < inf):
        raise ValueError(f"a tolerance is a number above 0, and for inputs to calibrate with, not {tolerance!r:.40}")
    if not inputs:
        return requests
    runs = [(f"calibrate[{at}]", given_inputs(module, one).arrays) for at, one in enumerate(inputs)]
    for called, arrays in runs:
        check_given(module, arrays, called)
    return calibrated(requests, module, policy, runs, tolerance)
