"""Which nodes stay f32 so that the error of a converted program is within a tolerance: `--tolerance`.

    needed = needed_for(module, policy, requests, [inputs], 0.01)
    needed.names, str(needed)

The program is converted again and again, and run on the inputs of `--calibrate`, with one rounding for each result. The
error of an output is its largest difference beside its largest magnitude, or ten times the difference itself where that
is less; of integers and booleans it is the share of elements that differ. An element that is infinite or NaN in one
version only is beyond all tolerance.

Deliberately absent: a runtime of others. On a CPU that computes much of what is f16 in f32, and what few roundings are
left make up for each other in some of many tries, by chance. Also absent: a promise for other inputs, and a mark in the
result: who converts that again measures against it, and not against the program that it was made from.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Final

from passes.auto_mixed_precision import AutoMixedPrecision
from passes.numerics.inputs import as_taken
from passes.precision.cheapest import cheapest
from passes.precision.policy import OpKind, PrecisionPolicy
from passes.precision.report import PrecisionReport, ReportLine
from passes.precision.requests import Requests
from runtime.comparison.difference import difference
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.functions import Module
from runtime.interpreter import InterpreterError, run
from runtime.rounding import natural_dtype

_MOST_NAMED: Final = 6  # nodes that are told
_ABSOLUTE: Final = 10  # a difference counts this many times where its output is small
Arrays = Mapping[str, Any]


@dataclass(frozen=True)
class Needed:
    """What stays f32 so that the error is within a tolerance, and what that was measured with."""

    names: frozenset[str]
    error: float
    n_low: int  # nodes that would be low without the tolerance
    n_products: int  # of what stays f32
    runs: int

    def __str__(self) -> str:
        if not self.names:
            return f"the largest error is {self.error:.2g}, so nothing stays f32 for --tolerance"
        stay = (
            f"{len(self.names)} of {self.n_low} nodes {'stay' if len(self.names) > 1 else 'stays'} f32 for --tolerance"
        )
        products = "no product" if not self.n_products else f"{self.n_products} product{'s' * (self.n_products > 1)}"
        said = f"{stay}, {products} among them: the largest error is {self.error:.2g}, found in {self.runs} conversions"
        if len(self.names) > _MOST_NAMED:
            return said
        return f"{said}; {' '.join(f'--keep {shlex.quote(name)}' for name in sorted(self.names))} does the same"


def needed_for(
    module: Module,
    policy: PrecisionPolicy,
    requests: Requests,
    runs: Sequence[Arrays],
    tolerance: float,
    say: Callable[[str], None] = lambda what: None,
) -> Needed:
    """Return what must stay f32 beside what is requested; `runs` are inputs by the names that the program prints.

    Raises: DiagnosticsError where the error is larger than the tolerance, whatever stays f32, or cannot be measured.
    """
    return _Converted(module, policy, requests, runs, say).needed(tolerance)


class _Converted:
    """A program that is converted and run as often as is asked for."""

    def __init__(
        self,
        module: Module,
        policy: PrecisionPolicy,
        requests: Requests,
        runs: Sequence[Arrays],
        say: Callable[[str], None],
    ) -> None:
        self._module, self._policy, self._say = module, policy, say
        self._requests = requests.for_copies(module, policy.low)
        self._runs = runs
        self._plain = self._converted(frozenset())
        try:
            self._expected = [self._results(module, inputs) for inputs in runs]
        except InterpreterError as error:
            message = f"--tolerance: the program cannot be run: {error}"
            raise DiagnosticsError([Diagnostic("P067", message)]) from error

    def needed(self, tolerance: float) -> Needed:
        low, product = str(self._policy.low), f"{self._policy.name}: {OpKind.COMPUTE.value}"
        lines = [line for line in self._plain[1].lines if line.precision == low and _may_be_kept(line)]
        names = [line.node or line.value or "" for line in lines]
        last = 0.0

        def error(kept: frozenset[int]) -> float:
            nonlocal last
            last = self._error(frozenset(names[at] for at in kept))
            self._say(f"--tolerance: {len(kept)} of {len(names)} nodes in f32: the largest error is {last:.2g}")
            return last / tolerance

        found = cheapest([line.reason == product for line in lines], error)
        if found is None:
            message = f"--tolerance {tolerance:g}: the largest error is {last:.2g}, with all named nodes in f32, too"
            raise DiagnosticsError([Diagnostic("P068", message)])
        n_products = sum(lines[at].reason == product for at in found.kept)
        kept = frozenset(names[at] for at in found.kept)
        return Needed(kept, found.error * tolerance, len(names), n_products, found.runs)

    def _converted(self, exact: frozenset[str]) -> tuple[Module, PrecisionReport]:
        transform, module = AutoMixedPrecision.of(self._policy), self._module.clone()
        transform.requests = replace(self._requests, exact=exact)
        transform.runOnModule(module)
        return module, transform.report

    def _results(self, module: Module, inputs: Arrays) -> list[Any]:
        """Return the outputs of a version of the program.

        Raises: InterpreterError.
        """
        return [*run(module, as_taken(module, inputs)).values()]

    def _error(self, exact: frozenset[str]) -> float:
        module = self._converted(exact)[0]
        try:
            results = [self._results(module, inputs) for inputs in self._runs]
        except InterpreterError:
            return inf
        pairs = [pair for both in zip(self._expected, results, strict=True) for pair in zip(*both, strict=True)]
        return max((_error_of(*pair) for pair in pairs), default=0.0)


def _may_be_kept(line: ReportLine) -> bool:
    """Whether an instruction can be asked for by name; a constant is as what reads it."""
    return bool(line.node or line.value) and not line.operator.endswith("::Constant")


def _error_of(expected: Any, found: Any) -> float:
    """Return how far an output is from what it is without conversion."""
    apart = difference(found, expected, None)
    if apart is None:
        return 0.0 if expected is None and found is None else inf
    if not apart.differing:
        return 0.0
    own = natural_dtype(expected.dtype) if hasattr(expected, "dtype") else None
    if own is not None and not own.is_float:
        return apart.differing / apart.elements
    return inf if apart.special else min(apart.largest_beside_largest, _ABSOLUTE * apart.largest)
