"""The report of what pipelines did to a program: a table for people, JSON for tools.

    mode     type      inserted  removed  left  eliminated  smaller  output   absolute   relative        rms  special
    matmult  bf16             3        2     1        2048      512  %y      3.906e-03  1.204e-02  2.801e-03        0

An output has a line of its own; the casts of a run stand on its first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from passes.measuring.measure import Measured, Yardstick

_LEGEND: Final = """\
inserted, removed, left: casts, statements that do nothing but convert, as each pass adds or takes away on balance
eliminated: bytes that the removed casts wrote in each partition, in all their runs
smaller: bytes by which the tensors of the program are smaller together
absolute: the largest error of an element; relative: the same beside the largest magnitude of the output
rms: the error of all elements, beside the size of all
special: elements that are infinite or NaN here or in the reference only; the errors are those of the others, - where
there are none"""
_TF32: Final = "tf32 is the float of the tensor engine's products, so mode=all with it does what mode=matmult does"
_COUNTS: Final = ("inserted", "removed", "left", "eliminated", "smaller")
_ERRORS: Final = ("output", "absolute", "relative", "rms", "special")
_NAMES: Final = ("output",)  # columns of words, to the left; numbers stand to the right


@dataclass(frozen=True)
class MeasuredReport:
    """What one or several runs of a pipeline did to one program."""

    program: str
    pipeline: str
    yardstick: Yardstick
    runs: Sequence[Measured]

    def __str__(self) -> str:
        stick = self.yardstick
        statements = f"{stick.n_statements} statement{'s' * (stick.n_statements != 1)}"
        head = f"{self.program}: {statements}, casts among them: {stick.casts.number}; {self.pipeline}"
        lines = [head]
        if stick.reference is not None and stick.inputs is not None:
            lines.append(f"errors against the same program in f64, on {stick.inputs.called}")
        lines += ["", *_aligned([self._header(), *self._rows()], len(self._options)), "", _LEGEND]
        return "\n".join([*lines, *self._notes()])

    def to_json(self) -> dict[str, Any]:
        """Return the same as data."""
        stick = self.yardstick
        reference = stick.reference
        return {
            "program": self.program,
            "pipeline": self.pipeline,
            "statements": stick.n_statements,
            "casts": stick.casts.number,
            "inputs": None if stick.inputs is None else stick.inputs.called,
            "not_widened": None if reference is None else list(reference.not_widened),
            "runs": [_run_json(run) for run in self.runs],
        }

    def text(self, is_json: bool) -> str:
        """Return the report in one of its two forms."""
        text = json.dumps(self.to_json(), indent=1, ensure_ascii=False) if is_json else str(self)
        return text.encode(errors="backslashreplace").decode()  # a name may hold half of a surrogate pair

    @property
    def _options(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for run in self.runs for name in run.options))

    def _header(self) -> list[str]:
        return [*self._options, *_COUNTS, *_ERRORS]

    def _rows(self) -> Iterator[list[str]]:
        for run in self.runs:
            first = [run.options.get(name, "-") for name in self._options]
            first += [str(count) for count in _counts(run).values()]
            for error in run.errors or (None,):
                numbers = ["-"] * len(_ERRORS)
                if error is not None:
                    errors = (error.absolute, error.relative, error.rms)
                    shown = ["-" if each is None else f"{each:.3e}" for each in errors]
                    numbers = [error.output, *shown, str(error.special)]
                yield [*first, *numbers]
                first = [""] * len(first)

    def _notes(self) -> Iterator[str]:
        reference = self.yardstick.reference
        if any(run.options.get("mode") == "all" and run.options.get("type") == "tf32" for run in self.runs):
            yield f"note: {_TF32}"
        for one in () if reference is None else reference.not_widened:
            yield f"note: not widened in the reference: {one}"
        reasons = dict.fromkeys(run.why_no_error for run in self.runs if run.errors is None)
        yield from (f"note: no error is known: {_without_help(why)}" for why in reasons)


def _without_help(why: str) -> str:
    """Return what the interpreter says, without what it advises those who call it from Python."""
    return why.partition("\nhelp: ")[0]


def _counts(run: Measured) -> dict[str, int]:
    """Return the columns of counts. Units: bytes of the last two."""
    casts = run.casts
    numbers = (casts.inserted, casts.removed, casts.left, casts.removed_bytes, casts.tensors_saved)
    return dict(zip(_COUNTS, numbers, strict=True))


def _run_json(run: Measured) -> dict[str, Any]:
    inserted, removed, left, eliminated, smaller = _counts(run).values()
    return {
        "options": dict(run.options),
        "casts_inserted": inserted,
        "casts_removed": removed,
        "casts_left": left,
        "bytes_of_casts_eliminated": eliminated,
        "bytes_of_tensors_saved": smaller,
        "errors": None if run.errors is None else [error.to_json() for error in run.errors],
        **({"why_no_error": run.why_no_error} if run.errors is None else {}),
    }


def _aligned(rows: Sequence[Sequence[str]], n_words: int) -> list[str]:
    """Return rows as lines, each column as wide as it must be; the first columns, and names, stand to the left."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    to_left = [at < n_words or name in _NAMES for at, name in enumerate(rows[0])]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if left else cell.rjust(width)
            for cell, width, left in zip(row, widths, to_left, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return lines
