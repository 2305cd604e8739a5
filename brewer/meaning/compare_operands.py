"""Operands: which there are, where they stand, and what they may be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from brewer.meaning.allowed import change_of
from brewer.meaning.rules import Change
from brewer.meaning.sides import Sides, pairs_of
from brewer.model import Operand
from brewer.vocabulary import Vocabulary


def compare_operands(sides: Sides) -> Iterator[Change]:
    old, new = sides.definitions
    partners = set(sides.names.values())
    for operand in old.operands:
        if operand.name.value not in sides.names:
            yield Change("operand_removed", _subject(operand), described(operand))
    n_kept = max((at for at, o in enumerate(new.operands, 1) if o.name.value in partners), default=0)
    for at, operand in enumerate(new.operands):
        if operand.name.value not in partners:
            yield Change(_added(operand, at >= n_kept), _subject(operand), described(operand), operand.name.place)
    yield from _moved(sides)
    for before, now in pairs_of(old.operands, new.operands, sides.names):
        yield from _compare(before, now, sides)


def described(operand: Operand) -> str:
    """What a reviewer wants to know of an operand that came or went."""
    facts = [operand.access.replace("_", "/")]
    facts += ["optional"] * operand.optional + ["any number"] * operand.variadic
    facts += [" or ".join(operand.dtypes)] * bool(operand.dtypes)
    facts += [f"in {' or '.join(operand.memory)}"] * bool(operand.memory)
    return ", ".join(facts)


def _subject(operand: Operand) -> str:
    return f'operand "{operand.name}"'


def _added(operand: Operand, at_the_end: bool) -> str:
    if not (operand.optional or operand.variadic):
        return "operand_added"
    return "operand_added_at_the_end" if at_the_end else "operand_added_in_between"


def _moved(sides: Sides) -> Iterator[Change]:
    old, new = sides.definitions
    before = [sides.names[o.name.value] for o in old.operands if o.name.value in sides.names]
    now = [operand.name.value for operand in new.operands if operand.name.value in before]
    if before != now:
        yield Change(
            "operands_moved", "operands", f"{', '.join(before)} -> {', '.join(now)}", new.operands[0].name.place
        )


def _compare(before: Operand, now: Operand, sides: Sides) -> Iterator[Change]:
    subject, place = _subject(now), now.name.place
    if before.name.value != now.name.value:
        yield Change("operand_renamed", subject, f'was "{before.name}"', place)
    rule = _presence(before, now, sides)
    if rule:
        yield Change(rule, subject, f"{_how_many(before)} -> {_how_many(now)}", place)
    if before.access != now.access:
        yield Change("operand_access_changed", subject, f"access {before.access} -> {now.access}", place)
    if before.precision != now.precision:
        said = f"precision {before.precision or 'any'} -> {now.precision or 'any'}"
        yield Change("operand_precision_changed", subject, said, place)
    allowed = (
        ("dtypes", expanded(before.dtypes, sides.words_before), expanded(now.dtypes, sides.words_now)),
        ("memory", before.memory, now.memory),
        ("rank", _ranks(before), _ranks(now)),
    )
    for what, old, new in allowed:
        change = change_of(old, new)
        if change:
            rule = "operand_narrowed" if change.narrowed else "operand_widened"
            yield Change(rule, subject, f"{what} {change.said}", place)


def _presence(before: Operand, now: Operand, sides: Sides) -> str:
    """The rule for an operand that may be absent, or several times there, where it might not before, or no longer."""
    if before.variadic != now.variadic:
        if before.variadic:
            return "operand_no_longer_variadic"
        in_form = not before.optional and sides.is_always_shown(before.name.value)
        return "operand_in_form_now_variadic" if in_form else "operand_now_variadic"
    if before.optional == now.optional:
        return ""
    return "operand_now_optional" if now.optional else "operand_now_required"


def _how_many(operand: Operand) -> str:
    return "any number" if operand.variadic else "optional" if operand.optional else "required"


def _ranks(operand: Operand) -> tuple[int, ...]:
    """What `shape` says of the rank counts as well; its letters and extents are rules of the verifier."""
    return (len(operand.shape),) if operand.shape is not None else operand.rank


def expanded(words: Iterable[str], vocabulary: Vocabulary) -> tuple[str, ...]:
    """Groups of data types written out, so that another word for the same is no change."""
    groups = dict(vocabulary.dtype_groups)
    return tuple(dtype for word in words for dtype in groups.get(word, (word,)))
