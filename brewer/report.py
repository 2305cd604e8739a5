"""What a run says: the cause of each change first, differences after it, no more of them than somebody would read."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Sequence
from typing import TextIO

from brewer.plan import Change, Plan

SHOWN_BY_CHECK = 40  # lines of difference
_SHOWN_OF_A_FILE = 16
_DONE = {"create": "wrote", "overwrite": "overwrote", "remove": "removed"}
_TO_DO = {"create": "to write", "overwrite": "to overwrite", "remove": "to remove"}


def written_lines(plan: Plan) -> list[str]:
    """After writing: each file, and why."""
    lines = [f"{_DONE[change.kind]} {change.path} ({_cause(change)})" for change in plan.changes]
    return [*lines, *([_elsewhere("left alone, though not up to date", plan)] if plan.elsewhere else [])]


def current_lines(plan: Plan, n_definitions: int, names: Sequence[str]) -> list[str]:
    """Where nothing is to do."""
    if not names:
        return [f"generated/ is up to date: {_counted(n_definitions, 'definition')}, {plan.n_files} files"]
    said = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} up to date"
    return [_elsewhere(f"{said}; not up to date elsewhere", plan) if plan.elsewhere else said]


def check_lines(plan: Plan) -> list[str]:
    """What is not up to date and why; then the beginning of each difference, but no whole files."""
    lines = [
        "not up to date:",
        *(f"  {_TO_DO[change.kind]} {change.path} ({_cause(change)})" for change in plan.changes),
    ]
    shown: list[str] = []
    left = 0
    for change in plan.changes:
        difference = _difference(change, context=1) if change.kind == "overwrite" else []
        room = max(0, min(_SHOWN_OF_A_FILE, SHOWN_BY_CHECK - len(shown)))
        shown += difference[:room]
        left += len(difference[room:])
    lines += ["", *shown] if shown else []
    lines += [f"... {_counted(left, 'more line')} of difference; --diff shows all"] if left else []
    return [*lines, "", "run `python -m brewer` and review the diff"]


def diff_lines(plan: Plan) -> list[str]:
    """Every line that would change, as a patch."""
    return [line for change in plan.changes for line in _difference(change, context=3)]


def say(lines: Iterable[str], out: TextIO) -> None:
    try:
        print("\n".join(lines), file=out, flush=True)
    except BrokenPipeError:  # whoever reads, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def _cause(change: Change) -> str:
    if change.kind == "remove":
        return "no definition gives it"
    if not change.definition:
        return "the definitions together"
    return f"{change.definition}{''.join(f', on top of {base}' for base in change.bases)}"


def _elsewhere(said: str, plan: Plan) -> str:
    return f"{said}: {', '.join(change.path for change in plan.elsewhere)}"


def _difference(change: Change, context: int) -> list[str]:
    old = "/dev/null" if change.kind == "create" else f"a/{change.path}"
    new = "/dev/null" if change.kind == "remove" else f"b/{change.path}"
    return list(difflib.unified_diff(change.old.splitlines(), change.new.splitlines(), old, new, "", "", context, ""))


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
