"""A comparison as JSON: the same as people read, for scripts. Keys are only ever added.

{"against": "HEAD (16ef9ec9a)", "unread": [], "mistakes": [],
 "definitions": [{"name": "neuron/ActivationOp", "was": "neuron/ActivationOp", "status": "changed",
   "text": "breaking", "bir": "breaking", "needs_version": true, "changes": [
     {"rule": "default_changed", "subject": "attribute \\"scale\\"", "said": "by default 1.0 -> by default 2.0",
      "effects": ["text", "bir", "print", "version", "python"], "why": "...",
      "place": "defs/neuron/ActivationOp.yaml:27:3", "inherited_from": null}]}],
 "vocabulary": [...], "facts": [...],
 "verdict": {"text": "breaking", "bir": "breaking", "needs_version": ["neuron/ActivationOp"]}}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from brewer.meaning.comparison import Comparison, Difference, without_version
from brewer.meaning.rules import Change, Effect


def comparison_json(comparison: Comparison, differences: Sequence[Difference]) -> dict[str, Any]:
    concrete = [difference.effect for difference in differences if difference.is_concrete]
    return {
        "against": comparison.before.title,
        "unread": list(comparison.before.unread),
        "mistakes": [found.render() for found in comparison.before.mistakes],
        "definitions": [_difference(difference) for difference in differences],
        "vocabulary": [_change(change) for change in comparison.vocabulary],
        "facts": [_change(change) for change in comparison.facts],
        "verdict": {
            "text": _word(any(Effect.TEXT in effect for effect in concrete)),
            "bir": _word(any(Effect.BIR in effect for effect in concrete)),
            "needs_version": [difference.name for difference, _ in without_version(differences)],
        },
    }


def _difference(difference: Difference) -> dict[str, Any]:
    before, now = difference.pair.before, difference.pair.now
    return {
        "name": difference.name,
        "was": None if before is None else difference.was or difference.name,
        "status": "added" if before is None else "removed" if now is None else "changed",
        "abstract": not difference.is_concrete,
        "text": _word(difference.is_concrete and Effect.TEXT in difference.effect),
        "bir": _word(difference.is_concrete and Effect.BIR in difference.effect),
        "needs_version": bool(difference.needs_version),
        "changes": [
            {**_change(change), "inherited_from": difference.base if change in difference.inherited else None}
            for change in difference.changes
        ],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "rule": change.rule,
        "subject": change.subject,
        "said": change.said,
        "effects": [str(part.name).lower() for part in change.effect],
        "why": change.why,
        "place": str(change.place) if change.place else None,
        "concerns": list(change.concerns),
    }


def _word(breaks: bool) -> str:
    return "breaking" if breaks else "compatible"
