"""What a comparison found, as data; `report` makes the text of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from runtime.comparison.difference import Difference
from runtime.comparison.report import report
from runtime.dtypes import DType
from runtime.instructions import Instruction
from runtime.tracing.ranges import Range

_OWN_ROUNDING = 0.5  # units in the last place


@dataclass(frozen=True)
class Compared:
    """One result of an instruction of the second version beside its counterpart, over all runs.

    An inserted cast has no counterpart: `first` is None, and its reference is its own operand.
    """

    first: Instruction | None
    second: Instruction
    result: int  # which of its results
    function: str
    line: str  # the instruction of the second version as text
    first_line: str | None  # its counterpart as text
    dtype: DType | None
    order: int  # when it was first executed, among all that are compared
    runs: int
    is_carried: bool  # whether an iteration reads what the one before has left
    first_parted: int | None  # the run, from 1, in which more than nothing was introduced or inherited
    introduced: Difference | None  # by the instruction itself; None where it was not executed again
    inherited: Difference | None
    total: Difference | None  # None where the two have different shapes
    first_range: Range
    second_range: Range
    why_not: str | None  # why it was not executed again

    @property
    def score(self) -> float:
        """How much it introduces, beside its result: infinite where values leave the range, else relative."""
        if self.introduced is None:
            return 0.0
        if self.introduced.special:
            return inf
        return self.introduced.added_up if self.is_carried and self.runs > 1 else self.introduced.relative

    @property
    def is_own_rounding(self) -> bool:
        """Whether nothing is introduced but the one rounding of each result."""
        found = self.introduced
        return found is not None and not found.special and found.ulps <= _OWN_ROUNDING

    def as_data(self) -> dict[str, Any]:
        """Return what JSON can have of it."""
        parts = {"introduced": self.introduced, "inherited": self.inherited, "total": self.total}
        return {
            "function": self.function,
            "first": self.first_line,
            "second": self.line,
            "result": self.result,
            "dtype": None if self.dtype is None else self.dtype.name,
            "runs": self.runs,
            "is_carried": self.is_carried,
            "first_parted": self.first_parted,
            "score": self.score,
            **{name: None if part is None else part.as_data() for name, part in parts.items()},
            "first_range": self.first_range.as_data(),
            "second_range": self.second_range.as_data(),
            "why_not_executed_again": self.why_not,
        }


@dataclass(frozen=True)
class Comparison:
    """Two versions of a program, compared on one set of inputs. Its text is a report.

    `ranking` has what introduces most first; of those whose values leave the range, the one that was executed first.
    """

    ranking: tuple[Compared, ...]
    outputs: Mapping[int | str, Difference | None]  # by name or position; None: of different shapes
    only_first: tuple[str, ...]  # instructions without a counterpart, as text
    only_second: tuple[str, ...]
    removed_casts: tuple[str, ...]
    notes: tuple[str, ...] = field(default=())  # what the user should know of the inputs and of the matching
    rewired: tuple[tuple[str, str], ...] = field(default=())  # what has other operands, and its counterpart, as text

    def __str__(self) -> str:
        return report(self)

    def as_data(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
        return {
            "ranking": [one.as_data() for one in self.ranking],
            "outputs": {str(name): None if one is None else one.as_data() for name, one in self.outputs.items()},
            "only_first": list(self.only_first),
            "only_second": list(self.only_second),
            "removed_casts": list(self.removed_casts),
            "notes": list(self.notes),
            "rewired": [{"first": first, "second": second} for second, first in self.rewired],
        }
