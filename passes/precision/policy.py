"""Precision policies: which kinds of operations run in a lower float.

Deliberately absent: operators by name, but for the overrides that a user writes. An operation has a kind and flags
(`facts_of.py`), and a policy says what each kind does.

There are two families. Those called `autocast` are ours: they narrow f32 where that is safe, and leave every other
float as the program has it. The others are those of RLX, under its names: the kind of an operation decides alone, in
both directions. `always-f32` changes nothing at all: it narrows nothing, and what is f16 or bf16 already stays so.
A name says little of the kinds: `auto-mixed` has matrix products in f32, and all but those and data movement in f16;
`python -m passes --list` prints what each policy does (`policy_table.py`).

Source: RLX compiler, rlx-compile/src/precision.rs, PrecisionPolicy::precision_for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from passes.framework.options import FileForm
from runtime.diagnostics import Place, did_you_mean, either
from runtime.dtypes import DType, bf16, f16, f32


class Precision(Enum):
    """What a policy decides for a kind of operation."""

    F32 = "f32"
    F16 = "f16"
    BF16 = "bf16"
    LOW = "low"  # the lower float of the policy
    FOLLOW = "follow"  # the lower float that all its float operands are

    __hash__ = object.__hash__  # that of enumerations runs in Python, once for each node

    @property
    def dtype(self) -> DType | None:
        """The float that it is; None where that depends."""
        return _DTYPES.get(self)


_DTYPES: Final = {Precision.F32: f32, Precision.F16: f16, Precision.BF16: bf16}


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
class Override:
    """What some instructions do in place of what their kind says; of several that fit, the last one counts.

    They are those of an operator (`graph.softmax`, `ai.onnx::Conv`, `Conv`), or those whose node or first result has a
    name that fits the pattern `name`, or both; in a pattern `*` is any text, `?` any character, and every other
    character is itself. With `operand`, a name or a position, it is about this operand alone, which then keeps the
    dtype that it has.
    """

    precision: Precision = Precision.F32
    instruction: str | None = None
    name: str | None = None
    operand: str | int | None = None
    place: Place | None = field(default=None, compare=False, repr=False)  # in a file

    @property
    def about(self) -> str:
        """What it is about: `{name: head/*}`."""
        said = {"instruction": self.instruction, "name": self.name, "operand": self.operand}
        return f"{{{', '.join(f'{key}: {value}' for key, value in said.items() if value is not None)}}}"

    def __str__(self) -> str:
        """Return what it is about, and where it stands in its file: `{name: head/*}, mine.yaml:3:5`."""
        return self.about if self.place is None else f"{self.about}, {self.place}"


@dataclass(frozen=True)
class PrecisionPolicy:
    """A lower float, and the kinds of operations that run in it.

    With `guards`, values that the lower float cannot hold, or that must be exact, stay f32 whatever the kind says.

    With `by_kind`, as in RLX: what runs in f32 gets its f16 and bf16 operands widened; operations that a backend has in
    f32 only (`force_f32`) run in f32; constants keep their dtype, with a cast behind them; nothing follows.
    """

    name: str
    low: DType
    compute: Precision = Precision.LOW
    reduction: Precision = Precision.F32
    elementwise: Precision = Precision.LOW
    data_movement: Precision = Precision.FOLLOW
    boundary: Precision = Precision.F32
    guards: bool = True
    by_kind: bool = False
    overrides: tuple[Override, ...] = ()

    def __post_init__(self) -> None:
        """Check that nothing follows where kinds decide alone.

        Raises: ValueError.
        """
        decided = [*(self.precision_of(kind) for kind in OpKind), *(one.precision for one in self.overrides)]
        if self.by_kind and Precision.FOLLOW in decided:
            raise ValueError(f"under {self.name} the kind of an operation decides alone, so none follows its operands")

    @classmethod
    def custom(
        cls, kinds: Mapping[OpKind, Precision], name: str = "custom", low: DType = f16, guards: bool = False
    ) -> PrecisionPolicy:
        """Return a policy as RLX's `Custom`: what a kind says, and f32 for each that says nothing."""
        compute, reduction, elementwise, movement, boundary = (kinds.get(kind, Precision.F32) for kind in OpKind)
        return cls(name, low, compute, reduction, elementwise, movement, boundary, guards, by_kind=True)

    def precision_of(self, kind: OpKind) -> Precision:
        """Return what operations of a kind do."""
        precision: Precision = getattr(self, kind.value)
        return precision

    def dtype_of(self, precision: Precision) -> DType:
        """Return the float that a precision is here, of what follows the one that it may become."""
        return precision.dtype or self.low

    @property
    def lower_floats(self) -> tuple[DType, ...]:
        """The floats below f32 that something may run in."""
        stated = [*(self.precision_of(kind) for kind in OpKind), *(one.precision for one in self.overrides)]
        return tuple(dict.fromkeys((self.low, *[self.dtype_of(one) for one in stated if one is not Precision.F32])))

    @property
    def floats(self) -> tuple[DType, ...]:
        """The floats that it converts."""
        return (f32, f16, bf16) if self.by_kind else (f32,)


def _by_kind(
    name: str, low: DType, compute: Precision, reduction: Precision, elementwise: Precision, data_movement: Precision
) -> PrecisionPolicy:
    return PrecisionPolicy(name, low, compute, reduction, elementwise, data_movement, guards=False, by_kind=True)


_F32, _LOW = Precision.F32, Precision.LOW

AutocastF16: Final = PrecisionPolicy("autocast-f16", f16)
AutocastBf16: Final = PrecisionPolicy("autocast-bf16", bf16)
AlwaysF32: Final = PrecisionPolicy("always-f32", f16, _F32, _F32, _F32, _F32, guards=False)
AlwaysF16: Final = _by_kind("always-f16", f16, _LOW, _LOW, _LOW, _LOW)
AutoMixedConservative: Final = _by_kind("auto-mixed-conservative", f16, _F32, _F32, _LOW, _F32)
AutoMixed: Final = _by_kind("auto-mixed", f16, _F32, _LOW, _LOW, _F32)
AutoMixedBf16: Final = _by_kind("auto-mixed-bf16", bf16, _LOW, _LOW, _LOW, _LOW)

POLICIES: Final = {
    policy.name: policy
    for policy in (
        AutocastF16,
        AutocastBf16,
        AlwaysF32,
        AlwaysF16,
        AutoMixedConservative,
        AutoMixed,
        AutoMixedBf16,
    )
}


ENDINGS: Final = (".yaml", ".yml")
POLICY_FORM: Final = FileForm(tuple(POLICIES), ENDINGS)
"""What an option takes for a policy: its name, or a file that holds one."""


def policy_named(name: str) -> PrecisionPolicy:
    """Return the policy of a name.

    Raises: UnknownPolicyError, whose text has near names.
    """
    found = POLICIES.get(name)
    if found is None:
        help = did_you_mean(name, POLICIES) or f"there are {either(POLICIES, 'and')}"
        raise UnknownPolicyError(f'there is no policy "{name}"; {help}')
    return found
