"""Precision policies: which kinds of operations run in a lower float.

Deliberately absent: operators by name. An operator has a kind and flags (`facts_of.py`), and a policy says what each
kind does.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from runtime.diagnostics import did_you_mean, either
from runtime.dtypes import DType, bf16, f16


class Precision(Enum):
    """What a policy decides for a kind of operation."""

    LOW = "low"
    F32 = "f32"
    FOLLOW = "follow"  # low where all its float operands are


class OpKind(Enum):
    """What an operation does with its operands."""

    COMPUTE = "compute"
    REDUCTION = "reduction"
    ELEMENTWISE = "elementwise"
    DATA_MOVEMENT = "data_movement"
    BOUNDARY = "boundary"


class UnknownPolicyError(ValueError):
    """No policy has this name."""


@dataclass(frozen=True)
class PrecisionPolicy:
    """A lower float, and the kinds of operations that run in it.

    With `guards`, values that the lower float cannot hold, or that must be exact, stay f32 whatever the kind says.
    """

    name: str
    low: DType
    compute: Precision = Precision.LOW
    reduction: Precision = Precision.F32
    elementwise: Precision = Precision.LOW
    data_movement: Precision = Precision.FOLLOW
    boundary: Precision = Precision.F32
    guards: bool = True

    def precision_of(self, kind: OpKind) -> Precision:
        """Return what operations of a kind do."""
        precision: Precision = getattr(self, kind.value)
        return precision


AutocastF16: Final = PrecisionPolicy("autocast-f16", f16)
AutocastBf16: Final = PrecisionPolicy("autocast-bf16", bf16)

POLICIES: Final = {policy.name: policy for policy in (AutocastF16, AutocastBf16)}


def policy_named(name: str) -> PrecisionPolicy:
    """Return the policy of a name.

    Raises: UnknownPolicyError, whose text has near names.
    """
    found = POLICIES.get(name)
    if found is None:
        help = did_you_mean(name, POLICIES) or f"there are {either(POLICIES, 'and')}"
        raise UnknownPolicyError(f'there is no policy "{name}"; {help}')
    return found
