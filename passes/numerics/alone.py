"""Which rounding of a converted program makes most of its error: the outputs with one rounding alone.

    everything rounded                 0.0012      the error that is to be explained
    nothing rounded                    0.0000      else what was converted is not only rounded, and nothing is claimed
    %b1 alone 0.00004, %ob alone 0.0011            the largest of them is told

How much an instruction introduces, beside its own result, is about half a unit for every rounding, and says nothing of
what becomes of it. So the converted program is run with all roundings left out but those of a few instructions; where
there are many, groups that make more are parted first.

Deliberately absent: local functions, inside which no rounding can be left out, and more patience than `SECONDS`.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from time import monotonic
from typing import Any, Final

from passes.numerics.runs import Outputs, outputs_of
from runtime.comparison import Comparison, Difference
from runtime.comparison.difference import difference
from runtime.dtypes import f32, holds
from runtime.functions import Module
from runtime.instructions import Instruction
from runtime.interpreter.errors import InterpreterError

SECONDS: Final = 20.0  # that are spent on looking
_MOST_GROUPS: Final = 16  # to begin with
_EXPLAINED: Final = sqrt(0.5)  # of an error: half of its square, since errors add up like random ones
_LEFT_OVER: Final = 0.1  # of the error, where nothing is rounded


@dataclass(frozen=True)
class Alone:
    """The instruction whose rounding alone makes the largest error, and which one."""

    inst: Instruction
    outputs: Mapping[int | str, Difference | None]
    is_most: bool  # whether that explains most of the error


def largest_alone(
    compared: Comparison,
    reference: Outputs,
    module: Module,
    inputs: Mapping[str, Any],
) -> Alone | str:
    """Return what makes the largest error of a converted program by itself, or why that is not known.

    `reference` is what the program gave before.
    """
    function = module.root_function
    narrowing = {inst for inst in function.insts if _is_narrow(inst)}
    ranked = sorted((one for one in compared.ranking if one.score), key=lambda one: one.order)
    candidates = list(dict.fromkeys(one.second for one in ranked if one.second in narrowing))
    originals = {one.second: one.first for one in compared.ranking if one.first is not None}

    def outputs_with(rounded: Sequence[Instruction]) -> Mapping[int | str, Difference | None]:
        skipped = narrowing.difference(rounded)
        found = outputs_of(module, function.name, inputs, skipped, originals)
        pairs = zip(found.items(), reference.values(), strict=True)
        return {name: difference(value, expected, None) for (name, value), expected in pairs}

    if not candidates:
        return "none of its instructions rounds to a narrower float"
    total = _size(compared.outputs)
    started = monotonic()
    try:
        if _size(outputs_with(())) > _LEFT_OVER * min(total, 1.0):
            return "the outputs are apart without roundings, too"
        found = _largest(candidates, outputs_with, started + SECONDS)
    except (InterpreterError, ValueError) as error:
        return f"its roundings cannot be left out: {str(error).partition(chr(10))[0]}"
    if found is None:
        return f"looking through {len(candidates)} roundings takes more than {SECONDS:.0f} s"
    inst, outputs = found
    return Alone(inst, outputs, _size(outputs) >= _EXPLAINED * total)


def _largest(
    candidates: Sequence[Instruction],
    outputs_with: Callable[[Sequence[Instruction]], Mapping[int | str, Difference | None]],
    end: float,
) -> tuple[Instruction, Mapping[int | str, Difference | None]] | None:
    """Return the candidate that makes most, the first of equals; None where there was no time to find it."""
    step = -(-len(candidates) // _MOST_GROUPS)
    waiting = [candidates[at : at + step] for at in range(0, len(candidates), step)]
    seen: list[tuple[float, int, Sequence[Instruction], Mapping[int | str, Difference | None]]] = []
    first = {inst: at for at, inst in enumerate(candidates)}
    while True:
        for group in waiting:
            if monotonic() > end:
                return None
            outputs = outputs_with(group)
            heapq.heappush(seen, (-_size(outputs), first[group[0]], group, outputs))
        _, _, group, outputs = heapq.heappop(seen)
        if len(group) == 1:
            return group[0], outputs
        waiting = [group[: len(group) // 2], group[len(group) // 2 :]]


def _size(outputs: Mapping[int | str, Difference | None]) -> float:
    """Return the largest error of an output; infinite where elements become infinite or NaN."""
    return max((inf if one is None or one.special else one.relative for one in outputs.values()), default=0.0)


def _is_narrow(inst: Instruction) -> bool:
    dtypes = [result.type.dtype for result in inst.results]
    return any(dtype is not None and dtype.is_float and dtype is not f32 and holds(f32, dtype) for dtype in dtypes)
