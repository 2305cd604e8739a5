"""What the precision passes know of operators that have no definition of ours: one entry an operator and version.

Deliberately absent: the operators themselves. Their table is brewed from `defs/onnx/`, with indices in place of formal
names, so that whoever reads it needs no library of theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class AttributeFacts:
    """What an attribute holds, where a pass must look at its value.

    `precision` is `contents` (the elements of the result), `weights` (only those that are too large matter), `bound` or
    `scalar`, as of operands.
    """

    precision: str
    default: float | None = None  # what it is where the instruction does not say
    added_to: int | None = None  # the operand that it is added to: beside large elements a small one changes nothing


@dataclass(frozen=True, slots=True)
class PrecisionFacts:
    """The facts of one version of an operator.

    `operands` and `results` say for an index what its values are, where a pass may not simply convert them: `keep`
    (never converted), `any` (of any type, and whatever it is changes nothing else), `f32` (always f32), `index` (an
    index, a size or a length), or a value whose underflow changes the result: `divisor`, `bound` (of the result) or
    `scalar` (any other: an epsilon, an exponent).
    """

    op_kind: str  # compute, reduction, elementwise, data_movement or boundary
    operands: Mapping[int, str] = field(default_factory=dict)
    results: Mapping[int, str] = field(default_factory=dict)
    attributes: Mapping[str, AttributeFacts] = field(default_factory=dict)
    computes: str | None = None  # the arithmetic that it is: add, subtract, convert, same (elements moved) ...
    regions: str | None = None  # how values pass between it and its regions: as in branches, a loop or a scan
    wide_range: bool = False  # the result may leave the range of f16 although the operands are in it
    range_safe: bool = False  # the first result usually is in the range of f16 although an operand may not be
    follow: bool = False  # runs in the dtype of its data operands, as data movement does
    keeps_dtype: bool = False  # the dtype of its result is what it is for
    precision_intact: bool = False  # no pass changes the dtypes of anything about it
    force_f32: bool = False  # runs in f32 only


SCALARS: Final = ("scalar", "divisor", "bound")
"""Roles of operands that may be converted although their underflow changes the result."""

FACTOR: Final = "factor"
"""The role of an operand that is multiplied with others: where all of its elements are lost, so is the result."""

FactsTable = Mapping[tuple[str, str], tuple[tuple[int, PrecisionFacts], ...]]


def facts_at(table: FactsTable, domain: str, op_type: str, version: int) -> PrecisionFacts | None:
    """Return the facts of an operator at a version of its operator set: those of the newest entry up to it."""
    newest = None
    for since, facts in table.get((domain, op_type), ()):
        if since <= version:
            newest = facts
    return newest
