"""The node tests of onnx, converted: valid, stable, of legal types, and all within 2 % of what they were.

The interpreter computes both, with one rounding for each result.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto

import passes
import runtime
from frontends.onnx import load, to_proto
from frontends.onnx.evaluate import evaluator
from runtime.functions import Module
from runtime.interpreter import InterpreterError
from tests.frontends.onnx.node_cases import array, cases
from tests.frontends.onnx.test_corpus import FILES

POLICIES = ("autocast-f16", "autocast-bf16")
LARGEST_ERROR = 0.02
"""Of the largest result, or of 1."""


@pytest.mark.parametrize("policy", POLICIES)
def test_some_cases(policy: str) -> None:
    wrong, n_low = check(cases()[::9], policy)
    assert wrong == {} and n_low > 40


@pytest.mark.long
@pytest.mark.parametrize("policy", POLICIES)
def test_all_cases(policy: str) -> None:
    wrong, n_low = check(cases(), policy)
    assert wrong == {} and n_low > 500


def check(chosen: list[Any], policy: str) -> tuple[dict[str, str], int]:
    """Return why a case is wrong, by name, and in how many something runs low."""
    wrong, n_low = {}, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in chosen:
            module = load(case.model)
            converted, report = passes.convert(module, policy)
            is_low = any(line.precision != "f32" for line in report.lines)
            n_low += is_low
            reason = why_invalid(case.model, to_proto(converted), policy)
            if reason is None and is_low and case.data_sets:
                reason = why_inaccurate(module, converted, [array(one) for one in case.data_sets[0][0]])
            if reason is not None:
                wrong[case.name] = reason
    return wrong, n_low


def why_invalid(source: ModelProto, result: ModelProto, policy: str) -> str | None:
    try:
        onnx.checker.check_model(source, full_check=True)
        onnx.shape_inference.infer_shapes(source, check_type=True, strict_mode=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError):
        return None  # one is wrong before
    try:
        onnx.checker.check_model(result, full_check=True)
        onnx.shape_inference.infer_shapes(result, check_type=True, strict_mode=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        return str(error)
    again, _ = passes.convert(load(result), policy)
    return None if to_proto(again).SerializeToString() == result.SerializeToString() else "a second run changes it"


def why_inaccurate(module: Module, converted: Module, inputs: list[Any]) -> str | None:
    try:
        want = run(module, inputs)
    except InterpreterError:
        return None  # what onnx's own reference cannot compute
    try:
        got = run(converted, inputs)
    except InterpreterError as error:
        return str(error)
    found = largest_error(want, got)
    return None if found <= LARGEST_ERROR else f"an error of {found:.3g}"


def run(module: Module, inputs: list[Any]) -> list[Any]:
    names = [str(argument.name) for argument in module.root_function.args]
    given = dict(zip(names, inputs, strict=False))
    return list(runtime.run(module, given, evaluator=evaluator(module)).values())


def largest_error(want: Any, got: Any) -> float:
    if isinstance(want, (list, tuple)):
        return max((largest_error(*pair) for pair in zip(want, got, strict=True)), default=0.0)
    want, got = np.asarray(want), np.asarray(got)
    if want.dtype.kind in "OUSc" or not want.size:
        return 0.0
    a, b = want.astype(np.float64), got.astype(np.float64)
    finite = np.isfinite(a)
    if want.shape != got.shape or want.dtype != got.dtype or (finite != np.isfinite(b)).any():
        return float("inf")
    if not finite.any():
        return 0.0
    return float(abs(a - b)[finite].max() / max(1.0, abs(a[finite]).max()))


@pytest.mark.long
@pytest.mark.parametrize("policy", POLICIES)
def test_all_model_files(policy: str) -> None:
    """The files that come with onnx, the light models among them; what is checked is the form."""
    wrong = {}
    for path in FILES:
        source = onnx.load(path)
        converted, _ = passes.convert(load(source), policy)
        reason = why_invalid(source, to_proto(converted), policy)
        if reason is not None:
            wrong[path.name] = reason
    assert wrong == {} and len(FILES) >= 149
