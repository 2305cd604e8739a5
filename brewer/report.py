"""What a run says: the cause of each change first, differences after it, no more of them than somebody would read."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TextIO

from brewer.frozen import frozen
from brewer.plan import Change, Plan

SHOWN_BY_CHECK = 40  # lines of difference
_SHOWN_OF_A_HUNK = 16
_DONE = {"create": "wrote", "overwrite": "overwrote", "remove": "removed"}
_TO_DO = {"create": "to write", "overwrite": "to overwrite", "remove": "to remove"}


@frozen
class Hunk:
    """One stretch of a difference, with lines around it."""

    heading: str  # the lines that it stands in: @@ ... @@
    lines: tuple[str, ...]

    @property
    def change(self) -> tuple[str, ...]:
        """The lines that come and go, which other files may have, too; an empty one may be counted at either end."""
        return tuple(line for line in self.lines if not line.startswith(" ") and line[1:].strip())


def written_lines(plan: Plan) -> list[str]:
    """After writing: each file, and why."""
    lines = [f"{_DONE[change.kind]} {change.path} ({change.cause})" for change in plan.changes]
    return [*lines, *([_elsewhere("left alone, though not up to date", plan)] if plan.elsewhere else [])]


def unchanged_line(n_definitions: int, n_files: int, output: str = "generated") -> str:
    """`output` is the folder of the brewed modules."""
    return f"{output}/ is up to date: {_counted(n_definitions, 'definition')}, {n_files} files"


def current_lines(plan: Plan, n_definitions: int, names: Sequence[str], output: str = "generated") -> list[str]:
    """Where nothing is to do."""
    if not names:
        return [unchanged_line(n_definitions, plan.n_files, output)]
    said = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} up to date"
    return [_elsewhere(f"{said}; not up to date elsewhere", plan) if plan.elsewhere else said]


def check_lines(plan: Plan) -> list[str]:
    """What is not up to date and why; then the beginning of each difference, but no whole files."""
    lines = [
        "not up to date:",
        *(f"  {_TO_DO[change.kind]} {change.path} ({change.cause})" for change in plan.changes),
    ]
    overwritten = [change for change in plan.changes if change.kind == "overwrite"]
    shown: list[str] = []
    left = 0
    for difference in _differences(overwritten, context=1):
        room = max(0, min(_SHOWN_OF_A_HUNK, SHOWN_BY_CHECK - len(shown)))
        shown += difference[:room]
        left += len(difference[room:])
    lines += ["", *shown] if shown else []
    lines += [f"... {_counted(left, 'more line')} of difference; --diff shows all"] if left else []
    return [*lines, "", "run `python -m brewer` and review the diff"]


def diff_lines(plan: Plan) -> list[str]:
    """Every line that would change, as a patch; a change that many files have in common is shown once."""
    return [line for difference in _differences(plan.changes, context=3) for line in difference]


class NotSaid(Exception):
    """Standard output takes nothing, be it that the disk is full that it goes to."""


def say(lines: Iterable[str], out: TextIO) -> None:
    """Raises: NotSaid."""
    try:
        print("\n".join(lines), file=out, flush=True)
    except BrokenPipeError:  # whoever reads, such as `head`, has seen enough
        say_no_more(out)
    except OSError as error:
        say_no_more(out)
        if out is not sys.stderr:  # else there is nobody left to tell
            raise NotSaid(f"cannot write to standard output: {error.strerror or error}") from error


def say_no_more(out: TextIO) -> None:
    """Lets what is still to be said go nowhere, so that Python does not try again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def _elsewhere(said: str, plan: Plan) -> str:
    return f"{said}: {', '.join(change.path for change in plan.elsewhere)}"


def _differences(changes: Iterable[Change], context: int) -> list[list[str]]:
    """For each hunk its lines, the names of the files before the first one of a file.

    Of hunks that are the same in several files, one is shown, with the number of the others.
    """
    found = [(change, _hunks(change, context)) for change in changes]
    count = Counter(hunk.change for _, hunks in found for hunk in {h.change: h for h in hunks}.values())
    shown: set[tuple[str, ...]] = set()
    lines: list[list[str]] = []
    for change, hunks in found:
        names = _names(change)
        in_this_file: set[tuple[str, ...]] = set()
        for hunk in hunks:
            if hunk.change in shown and hunk.change not in in_this_file:
                continue
            in_this_file.add(hunk.change)
            others = count[hunk.change] - 1
            note = [f"... the same change in {_counted(others, 'more file')}"] if others else []
            lines.append([*names, hunk.heading, *hunk.lines, *note])
            names = []
        shown |= in_this_file
    return lines


def _names(change: Change) -> list[str]:
    old = "/dev/null" if change.kind == "create" else f"a/{change.path}"
    new = "/dev/null" if change.kind == "remove" else f"b/{change.path}"
    return [f"--- {old}", f"+++ {new}"]


def _hunks(change: Change, context: int) -> list[Hunk]:
    from difflib import unified_diff  # here, since most runs show no difference

    old, new = change.old.splitlines(), change.new.splitlines()
    skipped = max(0, _equal_at_start(old, new) - context)  # comparing what is equal would take most of the time
    found: list[tuple[str, list[str]]] = []
    for line in list(unified_diff(old[skipped:], new[skipped:], n=context, lineterm=""))[2:]:
        if line.startswith("@@"):
            found.append((_moved(line, skipped), []))
        else:
            found[-1][1].append(line)
    return [Hunk(heading, tuple(lines)) for heading, lines in found]


def _equal_at_start(old: list[str], new: list[str]) -> int:
    equal = 0
    for one, two in zip(old, new, strict=False):
        if one != two:
            break
        equal += 1
    return equal


def _moved(heading: str, skipped: int) -> str:
    """The heading of a hunk whose files begin some lines earlier."""
    if not skipped:
        return heading
    _, old, new, _ = heading.split()
    return f"@@ {_shifted(old, skipped)} {_shifted(new, skipped)} @@"


def _shifted(stretch: str, skipped: int) -> str:
    start, comma, length = stretch.partition(",")
    return f"{start[0]}{int(start[1:]) + skipped}{comma}{length}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
