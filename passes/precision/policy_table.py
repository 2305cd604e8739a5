"""What runs in which float under each policy, as a table for people: a row a policy, a column a kind of operation.

Deliberately absent: boundaries, which are f32 under each, and overrides, which no policy of a name has.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from passes.precision.policy import OpKind, Precision, PrecisionPolicy

KINDS: Final = (OpKind.COMPUTE, OpKind.REDUCTION, OpKind.ELEMENTWISE, OpKind.DATA_MOVEMENT)
HEADER: Final = (
    "policy",
    *(kind.value.replace("_", " ") for kind in KINDS),
    "values out of range",
    "already f16 or bf16",
)


def policy_rows(policies: Iterable[PrecisionPolicy]) -> tuple[tuple[str, ...], ...]:
    """Return a row for each policy: its name, the float of each kind, and what becomes of what no kind tells of."""
    return tuple(
        (
            policy.name,
            *(_shown(policy, policy.precision_of(kind)) for kind in KINDS),
            "stay f32" if policy.guards else "not looked at",
            "by kind, too" if policy.by_kind else "stays",
        )
        for policy in policies
    )


def policy_table(policies: Iterable[PrecisionPolicy]) -> str:
    """Return the table as text, its columns in line."""
    rows = (HEADER, *policy_rows(policies))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(f"    {line.rstrip()}" for line in lines)


def _shown(policy: PrecisionPolicy, precision: Precision) -> str:
    return "as its operands" if precision is Precision.FOLLOW else policy.dtype_of(precision).name
