"""Whole programs under every policy: how far off they are from f64, what casts they take, and that the chain is done.

The reference is the same text with f64 in place of f32. The error is the largest one over the largest magnitude.
"""

from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from passes.auto_mixed_precision import AutoMixedPrecision
from passes.build import build_pipeline
from passes.framework.pass_manager import PassManager
from passes.numerics.judge import NumericsJudge
from passes.precision.policy import POLICIES
from runtime import parse, run
from runtime.dtypes import holds
from runtime.functions import Module
from runtime.text.printer import print_module
from runtime.verifier import verify

FOLDER: Final = Path(__file__).parents[1] / "programs" / "precision"
TEXTS: Final = {path.stem: path.read_text() for path in sorted(FOLDER.glob("*.txt"))}
CHAIN: Final = "clean-casts"

# Casts that a policy inserts, counted in the programs by hand.
INSERTED: Final = {
    "mlp": {"autocast": 6, "always-f16": 6, "auto-mixed": 6, "auto-mixed-conservative": 6, "auto-mixed-bf16": 6},
    "if": {"autocast": 3, "always-f16": 3, "auto-mixed": 4, "auto-mixed-conservative": 4, "auto-mixed-bf16": 3},
    "while": {"autocast": 3, "always-f16": 3, "auto-mixed": 5, "auto-mixed-conservative": 5, "auto-mixed-bf16": 3},
    "lstm": {"autocast": 3, "always-f16": 3, "auto-mixed": 2, "auto-mixed-conservative": 2, "auto-mixed-bf16": 3},
}
BOUNDS: Final = {"always-f32": 1e-6, "f16": 4e-3, "bf16": 4e-2}
"""Some ten roundings of 2 ** -11 and of 2 ** -8, beside what f32 loses."""


def inputs_of(module: Module) -> dict[str, Any]:
    """Normal numbers, a counter of 3, a true condition, and the cosines and sines of angles."""
    random = np.random.default_rng(8)
    found: dict[str, Any] = {}
    for argument in module.root_function.args:
        assert argument.name is not None and argument.type.dtype is not None
        shape: Any = argument.type.shape
        if argument.type.dtype.name == "bool":
            found[argument.name] = np.array(True)
        elif argument.type.dtype.is_int:
            found[argument.name] = np.array(3, np.int32)
        elif argument.name in ("cos", "sin"):
            angles = np.arange(shape[0])[:, None] / 10.0 ** np.arange(shape[1])
            found[argument.name] = getattr(np, argument.name)(angles).astype(np.float32)
        else:
            found[argument.name] = random.normal(scale=0.5, size=shape).astype(np.float32)
    return found


def exact(name: str, inputs: dict[str, Any]) -> dict[Any, Any]:
    module = parse(TEXTS[name].replace("f32", "f64"))
    return run(
        module, {key: value.astype(np.float64) if value.dtype == np.float32 else value for key, value in inputs.items()}
    )


def converted(name: str, policy: str) -> tuple[Module, AutoMixedPrecision]:
    module, transform = parse(TEXTS[name]), AutoMixedPrecision(policy=policy)
    before = parse(TEXTS[name])
    PassManager([transform], check=verify, judge=NumericsJudge()).run(module)
    assert [value.type for value in module.root_function.args] == [value.type for value in before.root_function.args]
    return module, transform


def error_of(found: dict[Any, Any], reference: dict[Any, Any]) -> float:
    worst = 0.0
    for key, expected in reference.items():
        if expected.dtype.kind in "iub":
            np.testing.assert_array_equal(found[key], expected)
            continue
        assert found[key].dtype == np.float32 and np.isfinite(found[key]).all()
        worst = max(worst, float(np.abs(found[key] - expected).max() / np.abs(expected).max()))
    return worst


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", [name for name in TEXTS if name != "large_variance"])
def test_a_program_under_a_policy(name: str, policy: str) -> None:
    module, transform = converted(name, policy)
    inputs = inputs_of(module)
    reference = exact(name, inputs)
    bound = BOUNDS.get(policy, BOUNDS["bf16" if policy.endswith("bf16") else "f16"])
    assert error_of(run(module, inputs), reference) < bound
    if name in INSERTED:
        family = "autocast" if policy.startswith("autocast") else policy
        assert transform.report.inserted == (0 if policy == "always-f32" else INSERTED[name][family])
    text = print_module(module)
    assert not AutoMixedPrecision(policy=policy).runOnModule(module) and print_module(module) == text

    left = pairs_of(module)
    PassManager(build_pipeline(CHAIN), check=verify, judge=NumericsJudge()).run(module)
    assert pairs_of(module) == [], left
    assert error_of(run(module, inputs), reference) < bound


def pairs_of(module: Module) -> list[str]:
    """The casts of casts back to what those were cast from, where the dtype between holds all of it."""
    found = []
    for inst in module.root_function.insts:
        if inst.INFO.name != "Cast":
            continue
        (source,) = inst.operands()
        if getattr(source, "INFO", None) is not None and source.INFO.name == "Cast":  # type: ignore[attr-defined]
            (origin,) = source.operands()  # type: ignore[attr-defined]
            if origin.dtype is inst.dtype and holds(source.dtype, inst.dtype):
                found.append(print_module(module))
    return found


def test_what_f16_cannot_hold_stays_f32_and_the_report_says_why() -> None:
    module, transform = converted("large_variance", "autocast-f16")
    inputs = inputs_of(module)
    assert error_of(run(module, inputs), exact("large_variance", inputs)) < BOUNDS["f16"]
    kept = {line.value: line.reason for line in transform.report.lines if line.precision == "f32"}
    assert kept == {
        "variance": "a constant has elements beyond the range of f16",
        "eps": "the constant 1e-12 is too small for f16",
        "mask": "a constant has elements beyond the range of f16",
        "v": "a constant has elements beyond the range of f16",
        "d": "a constant has elements beyond the range of f16",
        "k": "a constant has elements beyond the range of f16",
        "p": "autocast-f16: reduction",
    }


def test_guards_may_be_asked_for_under_any_policy() -> None:
    text = TEXTS["large_variance"]
    module = parse(text)
    AutoMixedPrecision(policy="always-f16").runOnModule(module)
    inputs = inputs_of(module)
    # The variance is infinite in f16, so the first column becomes zero: nothing says that this is wrong.
    assert error_of(run(module, inputs), exact("large_variance", inputs)) > 0.02
    module = parse(text)
    AutoMixedPrecision(policy="always-f16", guards=True).runOnModule(module)
    assert error_of(run(module, inputs), exact("large_variance", inputs)) < BOUNDS["f16"]
