"""Models in which a lower float loses what counts, or would seem to: a text each, and what is asked of it.

Each is converted, checked, and run with one rounding for each result, beside `onnx.reference` on the source.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from onnx.reference import ReferenceEvaluator

import passes
import runtime
from frontends.onnx import load
from frontends.onnx.evaluate import evaluator
from passes.precision.policy import PrecisionPolicy, policy_named
from tests.passes.precision.models import convert, read

EYE: Final = np.eye(4, dtype=np.float32)
NOISE: Final = np.random.default_rng(0).standard_normal((2, 4)).astype(np.float32)
XY: Final = "g (float[2,4] x) => (float[2,4] y) "


@dataclass(frozen=True)
class Lossy:
    """A model by its text, what it is run on, and the nodes that must be f32 and low under each policy."""

    body: str
    x: Any
    constants: dict[str, Any] = field(default_factory=dict)
    f32: str = ""  # names of values, with blanks in between
    low: str = ""
    policies: tuple[str, ...] = ("autocast-f16", "autocast-bf16")
    opset: int = 17
    head: str = XY
    within: dict[str, float] = field(default_factory=lambda: {"autocast-f16": 2e-3, "autocast-bf16": 1.6e-2})
    others: dict[str, Any] = field(default_factory=dict)  # further inputs
    loses: bool = True  # whether the guard makes the difference: without guards the error is beyond the bound

    @property
    def model(self) -> Any:
        """The model."""
        arrays = {name: np.float32(held) if isinstance(held, float) else held for name, held in self.constants.items()}
        return read(f"{self.head}{{ {self.body} }}", self.opset, **arrays)

    @property
    def feeds(self) -> dict[str, Any]:
        """What it is run on."""
        return {"x": np.asarray(self.x, np.float32), **self.others}


def check(case: Lossy, policy: str) -> None:
    """Convert a model, and hold what runs in which float, and the error, against what is asked."""
    source = case.model
    _, report = convert(source, policy)  # which looks at the second run, too
    found = {line.value: line.precision for line in report.lines}
    low = policy.removeprefix("autocast-")
    wanted = {**dict.fromkeys(case.f32.split(), "f32"), **dict.fromkeys(case.low.split(), low)}
    assert {name: found[name] for name in wanted} == wanted
    limit = case.within[policy]
    assert error_of(source, case.feeds, policy_named(policy), case.opset) <= limit
    if case.loses:
        assert error_of(source, case.feeds, without_guards(policy), case.opset) > limit


def without_guards(policy: str) -> PrecisionPolicy:
    """Return a policy that lets everything run low that its kind lets."""
    found = policy_named(policy)
    return PrecisionPolicy(f"{policy}-unguarded", found.low, guards=False)


def error_of(source: Any, feeds: dict[str, Any], policy: PrecisionPolicy, opset: int) -> float:
    """Return the largest error of an output, of its largest result, with one rounding for each result."""
    module, _ = passes.convert(load(source), policy, opset=opset)
    got = runtime.run(module, feeds, evaluator=evaluator(module)).values()
    pairs = zip(ReferenceEvaluator(source).run(None, feeds), got, strict=True)
    return max(_error(np.asarray(want, np.float64), np.asarray(one, np.float64)) for want, one in pairs)


def _error(want: Any, got: Any) -> float:
    finite = np.isfinite(want)
    if (finite != np.isfinite(got)).any():
        return float("inf")
    return float(abs(want - got)[finite].max() / abs(want[finite]).max())
