"""What a pipeline does to a program, measured: the casts after each of its passes, and the error of the result.

The error is that of the outputs on some inputs, beside the reference of the program that came in: that program with
every float widened to f64 (`passes/numerics/reference.py`).

Deliberately absent: a run that is not asked for. Where nobody can run the program, or its reference, the casts are
counted all the same, and why there is no error is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from passes.framework.dot_transform import DotTransform
from passes.framework.instrumentation import PassInstrumentation
from passes.framework.pass_run import PassRun
from passes.measuring.casts import Casts, casts_of
from passes.numerics.errors import OutputError, errors_of
from passes.numerics.inputs import InputSet
from passes.numerics.reference import Reference, reference_of
from passes.numerics.runs import outputs_of
from runtime.functions import Module
from runtime.interpreter.errors import InterpreterError


@dataclass
class CastCount(PassInstrumentation):
    """The casts that passes have inserted and removed so far.

    Each pass counts by what it adds or takes away on balance, whatever it says of itself.
    Units: bytes; those of casts are what they write in each partition.
    """

    before: Casts
    inserted: int = 0
    removed: int = 0
    removed_bytes: int = 0
    left: int = field(init=False)
    tensors_saved: int = 0
    _now: Casts = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._now, self.left = self.before, self.before.number

    def run_after_pass(self, transform: DotTransform, module: Module) -> None:
        earlier, now = self._now, casts_of(module)
        self.inserted += max(now.number - earlier.number, 0)
        self.removed += max(earlier.number - now.number, 0)
        self.removed_bytes += max(earlier.bytes_written - now.bytes_written, 0)
        self.tensors_saved = self.before.bytes_of_tensors - now.bytes_of_tensors
        self._now, self.left = now, now.number


@dataclass(frozen=True)
class Measured:
    """What one run of a pipeline did."""

    options: Mapping[str, str]  # those that tell it from other runs of the same pipeline
    casts: CastCount
    runs: Sequence[PassRun]
    errors: tuple[OutputError, ...] | None
    why_no_error: str = ""


class Yardstick:
    """The program that came in, and its reference on some inputs, which is run once."""

    def __init__(self, module: Module, inputs: InputSet | None, why_none: str = "") -> None:
        self.inputs = inputs
        self.casts = casts_of(module)
        self.n_statements = sum(1 for inst in module.insts if not inst.is_terminator)
        self.reference: Reference | None = None
        self.why_none = why_none
        if inputs is None:
            return
        try:
            self.reference = reference_of(module, inputs.function, inputs.arrays)
        except InterpreterError as error:
            self.why_none = str(error)

    def measure(
        self, module: Module, options: Mapping[str, str], casts: CastCount, runs: Sequence[PassRun]
    ) -> Measured:
        """Return what a run did that made `module` of the program."""
        if self.reference is None or self.inputs is None:
            return Measured(options, casts, runs, None, self.why_none)
        try:
            found = outputs_of(module, self.inputs.function, self.inputs.arrays)
        except InterpreterError as error:
            return Measured(options, casts, runs, None, str(error))
        return Measured(options, casts, runs, errors_of(found, self.reference.outputs))
