"""The table of auto-cast modes: what is narrowed, and to which float.

What a user says is `--auto-cast none|matmult|all` and `--auto-cast-type bf16|fp16|tf32|fp8_e4m3`; the compiler hands
on one token for both, `fp32-cast-matmult-bf16`, and older ones without the prefix or without the type. Each of them
stands in the table; any other is an error with near names.

    type tf32      is fp32r, the float that the tensor engine rounds f32 to by itself; with `all` it means `matmult`
    type f16, f8e4m3, f32r: the words of a program's text mean the types fp16, fp8_e4m3, tf32
    type fp8_e4m3  is fp8e4, the accelerator's own e4m3, whose largest value is 240
    matmult        is bf16, but fp16 for what only passes through the tensor engine to be transposed

Departures from the source: there, a mode that is none of three keys is f16, so that "none" and every "matmult-..."
would be f16. Here each has a line of its own.

Deliberately absent: which operands the tensor engine takes; that is the target's (`Target.getMatmultOperandType`).

Source: penguin, AutoCastFP32 and its flags.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from runtime.diagnostics import did_you_mean
from runtime.dtypes import DType, bf16, f8e4m3, f16, f32r

Scope = Literal["none", "matmult", "all", "inputs"]
PREFIX: Final = "fp32-cast-"


@dataclass(frozen=True, slots=True)
class CastMode:
    """What is narrowed, and to which float; `transpose` is the float of what the tensor engine only transposes."""

    scope: Scope
    dtype: DType
    transpose: DType


class UnknownCastModeError(ValueError):
    """No auto-cast mode has this name."""


_NONE = CastMode("none", bf16, bf16)
_MATMULT_FP32R = CastMode("matmult", f32r, f32r)
_ALL_BF16 = CastMode("all", bf16, bf16)
_ALL_FP16 = CastMode("all", f16, f16)

CAST_MODES: Final[Mapping[str, CastMode]] = {
    "none": _NONE,
    "matmult": CastMode("matmult", bf16, f16),
    "matmult-bf16": CastMode("matmult", bf16, bf16),
    "matmult-fp16": CastMode("matmult", f16, f16),
    "matmult-fp32r": _MATMULT_FP32R,
    "matmult-fp8e4": CastMode("matmult", f8e4m3, f8e4m3),
    "all": _ALL_BF16,
    "all-bf16": _ALL_BF16,
    "all-fp16": _ALL_FP16,
    "experimental-all-fp16": _ALL_FP16,
    "all-fp32r": CastMode("all", f32r, f32r),
    "all-fp8e4": CastMode("all", f8e4m3, f8e4m3),
}
"""Every mode by the name that it has inside the compiler."""

CANONICAL_TYPES: Final[Mapping[str, str]] = {"bf16": "bf16", "fp16": "fp16", "tf32": "fp32r", "fp8_e4m3": "fp8e4"}
"""The types that a user may ask for -> their names in tokens."""

SPELLINGS: Final[Mapping[str, str]] = {
    "f16": "fp16",
    "float16": "fp16",
    "bfloat16": "bf16",
    "f32r": "tf32",
    "f8e4m3": "fp8_e4m3",
}
"""Other words for these types, as the text of a program has them, and numpy."""


def canonical_token(scope: str, type: str) -> str:
    """Return the token for what a user asked for: `fp32-cast-matmult-fp32r` for `all` and `tf32`.

    Raises: UnknownCastModeError.
    """
    type = SPELLINGS.get(type, type)
    if type not in CANONICAL_TYPES:
        raise UnknownCastModeError(_unknown("auto-cast type", type, CANONICAL_TYPES))
    if scope not in ("none", "matmult", "all"):
        raise UnknownCastModeError(_unknown("auto-cast mode", scope, ("none", "matmult", "all")))
    if scope == "none":
        return f"{PREFIX}none"
    if type == "tf32":
        scope = "matmult"
    return f"{PREFIX}{scope}-{CANONICAL_TYPES[type]}"


def cast_mode(token: str) -> CastMode:
    """Return the mode that a token names, with or without its prefix.

    Raises: UnknownCastModeError with near names.
    """
    found = CAST_MODES.get(token.removeprefix(PREFIX))
    if found is None:
        raise UnknownCastModeError(_unknown("auto-cast mode", token, CAST_MODES))
    return found


def mode_of(scope: str, type: str) -> CastMode:
    """Return the mode for what a user asked for.

    Raises: UnknownCastModeError.
    """
    return cast_mode(canonical_token(scope, type))


def _unknown(what: str, word: str, known: Mapping[str, object] | tuple[str, ...]) -> str:
    help = did_you_mean(word, known) or f"known: {', '.join(known)}"
    return f'no {what} is called "{word}"; {help}'
