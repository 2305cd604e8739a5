"""A comparison as people read it: for each definition its changes, what each one breaks and why, then a verdict."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from brewer.meaning.comparison import Comparison, Difference, without_version
from brewer.meaning.rules import Change, Effect

_WIDTH = 120
_MISTAKES_SHOWN = 3
_CONCERNED_SHOWN = 6
_PHRASES = (
    (Effect.PRINT, "prints differently"),
    (Effect.VERIFY, "programs may be refused"),
    (Effect.PYTHON, "changes Python callers"),
    (Effect.BEHAVIOUR, "is treated differently"),
)

_ALSO = (
    (Effect.PRINT, "print differently"),
    (Effect.VERIFY, "the verifier may refuse programs of"),
    (Effect.PYTHON, "change Python callers"),
    (Effect.BEHAVIOUR, "passes, engines or the interpreter treat differently"),
)


def comparison_lines(comparison: Comparison, differences: Sequence[Difference], names: Sequence[str] = ()) -> list[str]:
    """Everything that is said; of the definitions that are named, and nothing of shared words, where some are."""
    lines = [*_unread_lines(comparison)]
    if not differences if names else comparison.is_empty:
        whole = f"{', '.join(names)}: no change" if names else "no change"
        return [*lines, f"{whole} of what is meant since {comparison.before.title}"]
    lines += [f"compared with {comparison.before.title}:"]
    for difference in (difference for difference in differences if not difference.only_docs):
        lines += ["", *_difference_lines(difference)]
    if not names:
        lines += _section("vocabulary", comparison.vocabulary) + _facts_section(comparison.facts)
    documented = [f"  {d.name}: {'; '.join(map(_said, d.changes))}" for d in differences if d.only_docs]
    lines += ["", "only for people:", *documented] if documented else []
    return [*lines, "", *_verdict_lines(comparison, differences)]


def verdict_of(difference: Difference, effect: Effect) -> str:
    """`compatible`, or `breaks` and what does it; of an abstract definition there are no texts and records."""
    if not difference.is_concrete:
        return "none of its own"
    breaking = dict.fromkeys(change.subject for change in difference.having(effect))
    return f"BREAKS ({', '.join(breaking)})" if breaking else "compatible"


def effect_phrases(effect: Effect, *, version_is_raised: bool) -> list[str]:
    """What a change does, in the order of how bad it is."""
    broken = [word for part, word in ((Effect.TEXT, "text"), (Effect.BIR, "BIR")) if part in effect]
    phrases = [f"breaks {' and '.join(broken)}"] * bool(broken)
    phrases += [phrase for part, phrase in _PHRASES if part in effect]
    return phrases + ["needs a new version"] * (Effect.VERSION in effect and not version_is_raised)


def _difference_lines(difference: Difference) -> Iterator[str]:
    before, now = difference.pair.before, difference.pair.now
    status = "new" if before is None else "removed" if now is None else difference.was and f"was {difference.was}"
    yield f"{difference.name}{f' ({status})' if status else ''}"
    raised = not difference.needs_version
    for change in difference.changes:
        if change not in difference.inherited:
            yield from _change_lines(change, raised)
    if before is None and now is not None:
        form, semantics = now.definition.rhs_str, now.definition.semantics
        yield from [f"      text: {form}"] * bool(form)
        yield from [f"      semantics: {semantics}"] * bool(semantics)
    if difference.inherited:
        count = len(difference.inherited)
        yield f"  ~ as {difference.base}, on which it stands: {count} change{'s' * (count > 1)}"
    if difference.is_concrete and before and now:
        yield f"  text: {verdict_of(difference, Effect.TEXT)}; BIR: {verdict_of(difference, Effect.BIR)}"


def _change_lines(change: Change, version_is_raised: bool) -> Iterator[str]:
    yield f"  {change.mark} {_said(change)}"
    phrases = effect_phrases(change.effect, version_is_raised=version_is_raised)
    if phrases or change.why:
        yield f"      {', '.join(phrases) or 'compatible'}{': ' * bool(change.why)}{change.why}"


def _section(title: str, changes: Iterable[Change]) -> list[str]:
    lines: list[str] = []
    for change in changes:
        lines.append(f"  {change.mark} {_said(change)}{_concerns(change)}")
    return ["", title, *lines] if lines else []


def _said(change: Change) -> str:
    return f"{change.subject}: {change.said}" if change.said else change.subject


def _facts_section(changes: Sequence[Change]) -> list[str]:
    """Operators that came or went by name only, those of one document together; then what is said of others."""
    lines: list[str] = []
    for rule, mark in (("operator_added", "+"), ("operator_removed", "-")):
        names: dict[str, list[str]] = {}
        for change in (change for change in changes if change.rule == rule):
            document, _, name = change.subject.rpartition(" ")
            names.setdefault(document, []).append(f"{name} ({change.said})")
        for document, listed in names.items():
            whole = f"  {mark} {document}: {', '.join(listed)}"
            lines += textwrap.wrap(whole, _WIDTH, subsequent_indent="      ", break_on_hyphens=False)
    others = _section("", (change for change in changes if change.rule == "operator_changed"))[2:]
    return ["", "facts", *lines, *others] if lines or others else []


def _concerns(change: Change) -> str:
    if not change.concerns:
        return ""
    more = len(change.concerns) - _CONCERNED_SHOWN
    shown = ", ".join(change.concerns[:_CONCERNED_SHOWN])
    return f" (used by {shown}{f' and {more} more' if more > 0 else ''})"


def _verdict_lines(comparison: Comparison, differences: Sequence[Difference]) -> Iterator[str]:
    """Whether what was written before is still read; who must be told what."""
    count = sum(not found.definition.abstract for found in comparison.before.brewables.values())
    yield "verdict:"
    for effect, title in ((Effect.TEXT, "text"), (Effect.BIR, "BIR")):
        broken = [d.name for d in differences if d.is_concrete and effect in d.effect]
        if broken:
            yield f"  {title}: BREAKS for {len(broken)} of {count} instructions: {', '.join(broken)}"
        else:
            yield f"  {title}: compatible; all that was written before is read to the same meaning"
    for effect, title in _ALSO:
        names = [d.name for d in differences if d.is_concrete and d.pair.before and d.pair.now and effect in d.effect]
        if names:
            yield f"  {title}: {', '.join(names)}"
    unversioned = [found.name for found, _ in without_version(differences)]
    if unversioned:
        yield f"  need a new version: {', '.join(unversioned)}"


def _unread_lines(comparison: Comparison) -> list[str]:
    """What the definitions of before leave in the dark."""
    before = comparison.before
    lines = [f"not compared, since the definition at {before.title} cannot be read: {name}" for name in before.unread]
    if before.mistakes:
        count = len(before.mistakes)
        said = f"the definitions at {before.title} have {count} mistake{'s' * (count > 1)} by the rules of today"
        lines.append(f"{said}; what they are about may show as a change:")
        lines += [f"  {found.render().splitlines()[0]}" for found in before.mistakes[:_MISTAKES_SHOWN]]
        lines += [f"  ... and {count - _MISTAKES_SHOWN} more"] if count > _MISTAKES_SHOWN else []
    return [*lines, ""] if lines else []
