"""A comparison as text for people: what the outputs are off by, and what introduces how much beside its own result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from runtime.comparison.difference import Difference
from runtime.tracing.ranges import Range
from runtime.tracing.table import cut, number

if TYPE_CHECKING:
    from runtime.comparison.result import Compared, Comparison

_MOST_RANKED = 10  # instructions that are shown
_MOST_LISTED = 5  # of each list


def report(comparison: Comparison) -> str:
    """Return the text of a comparison."""
    parts = _outputs(comparison), _ranking(comparison.ranking), _rewired(comparison.rewired), _rest(comparison)
    return "\n".join(line for part in parts for line in part)


def _outputs(comparison: Comparison) -> Iterator[str]:
    yield "outputs of the second version, beside those of the first:"
    for name, found in comparison.outputs.items():
        label = f"result {name}" if isinstance(name, int) else f"%{name}"
        yield f"  {label}: {'of another shape or kind' if found is None else distance(found, ulps=False)}"


def _ranking(ranking: Sequence[Compared]) -> Iterator[str]:
    guilty = [one for one in ranking if one.score]
    exact = len(ranking) - len(guilty)
    yield ""
    if not guilty:
        yield f"none of {len(ranking)} values that were compared introduces an error"
        return
    yield "what introduces most, beside the size of its own result (the outputs may feel little of it):"
    for place, one in enumerate(guilty[:_MOST_RANKED], 1):
        yield from _entry(place, one)
    if all(one.is_own_rounding and not one.is_carried for one in guilty):
        yield "  none of them introduces more than one rounding of its result"
    if len(guilty) > _MOST_RANKED:
        yield f"  and {len(guilty) - _MOST_RANKED} that introduce less"
    if exact:
        yield f"  {exact} of {len(ranking)} values introduce{'s' * (exact == 1)} nothing"


def _entry(place: int, one: Compared) -> Iterator[str]:
    which = f"  // result {one.result}" if one.result else ""
    where = "" if one.function == "main" else f"  // in @{one.function}"
    yield f"{place:3}. {cut(one.line)}{which}{where}"
    if one.first is None:
        yield "     a cast that the first version does not have"
    elif one.first_line is not None and one.first_line != one.line:
        yield f"     was {cut(one.first_line)}"
    assert one.introduced is not None
    yield f"     introduces  {distance(one.introduced)}{_remark(one)}"
    if one.inherited is not None and one.inherited.differing:
        yield f"     inherits    {distance(one.inherited, ulps=False)}"
    yield f"     range       {_shown(one.first_range)} in the first, {_shown(one.second_range)} in the second"
    if one.runs > 1:
        yield f"     runs        {one.runs}; the two first part in run {one.first_parted}"


def _remark(one: Compared) -> str:
    if one.is_carried and one.runs > 1 and one.introduced is not None:
        return f"; over {one.runs} runs, each on what the last has left, up to {number(one.introduced.added_up)}"
    return "; one rounding of its result" if one.is_own_rounding else ""


def distance(found: Difference, *, ulps: bool = True) -> str:
    """Return a difference in words: `relative 0.0039, at most 0.5, 0.5 ulp`.

    Units in the last place say much about one rounding, and little about what has gone through many operations.
    """
    if not found.differing:
        return "nothing" if found.elements else "nothing, without elements"
    parts = []
    if found.overflowed:
        parts.append(f"{found.overflowed} of {found.elements} became infinite or NaN")
    if found.other_special:
        parts.append(f"{found.other_special} of {found.elements} were infinite or NaN, and differ")
    if not found.largest and not parts:
        return f"{found.differing} of {found.elements} differ"
    if found.squares or not parts:
        parts.append(f"relative {number(found.relative)}, at most {number(found.largest)}")
    if found.ulps and ulps:
        parts.append(f"{number(found.ulps)} ulp")
    if found.vanished:
        parts.append(f"{found.vanished} became zero")
    return ", ".join(parts)


def _shown(found: Range) -> str:
    special = [f"{count} {word}" for count, word in ((found.infinite, "inf"), (found.nan, "nan")) if count]
    special += [f"{found.subnormal} subnormal"] if found.subnormal else []
    return f"{number(found.low)} to {number(found.high)}{' with ' if special else ''}{' and '.join(special)}"


def _rewired(pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    if not pairs:
        return
    yield ""
    yield "with other operands than in the first version, of which the errors above do not tell:"
    for second, first in pairs[:_MOST_LISTED]:
        yield f"  {cut(second)}"
        yield f"    was {cut(first)}"
    if len(pairs) > _MOST_LISTED:
        yield f"  and {len(pairs) - _MOST_LISTED} more"


def _rest(comparison: Comparison) -> Iterator[str]:
    unseen = [f"{one.line}: {one.why_not}" for one in comparison.ranking if one.why_not]
    lists = (
        ("without a counterpart in the first version:", comparison.only_second),
        ("without a counterpart in the second version:", comparison.only_first),
        ("casts that the second version does without:", comparison.removed_casts),
        ("not executed again on the same operands:", unseen),
        ("note:", comparison.notes),
    )
    for title, lines in lists:
        if lines:
            yield ""
            yield title
            yield from (f"  {cut(line)}" for line in lines[:_MOST_LISTED])
            if len(lines) > _MOST_LISTED:
                yield f"  and {len(lines) - _MOST_LISTED} more"
