"""Whether readers of BIR are told that the fields of a record are others than at a git reference: by a new `version`.

A record says the version of its definition. A reader that knows only an older one then refuses it, and says so, where
it would otherwise complain of unknown fields, or silently take a default for another.
"""

from __future__ import annotations

from pathlib import Path

from brewer.load import Instructions
from brewer.meaning.comparison import Difference, compare, without_version
from brewer.meaning.rules import Change
from brewer.meaning.snapshot import snapshot_at, snapshot_of_work_tree
from brewer.problems import Problems
from brewer.project import Project
from runtime.diagnostics import Note, Place


def check_versions(project: Project, instructions: Instructions, asked: str) -> list[str]:
    """Compares with the definitions at a git reference, and returns what is to be said of a good result.

    Raises: DiagnosticsError at each definition whose BIR fields changed while its version did not.
    """
    before = snapshot_at(project, asked)
    comparison = compare(before, snapshot_of_work_tree(project, instructions))
    problems = Problems()
    for difference, changes in without_version(comparison.differences):
        _report(difference, changes, project, before.title, problems)
    problems.raise_if_any()
    unread = [f"not compared, since the definition at {before.title} cannot be read: {name}" for name in before.unread]
    return [*unread, f"no BIR field changed since {before.title} without a new version"]


def _report(
    difference: Difference, changes: tuple[Change, ...], project: Project, title: str, problems: Problems
) -> None:
    definition = difference.brewable.definition
    for file in {place.file for place in (definition.name.place, *(change.place for change in changes)) if place}:
        problems.add_source(file, Path(file).read_text(encoding="utf-8"))
    place = next((change.place for change in changes if change.place), definition.name.place)
    message = (
        f'the BIR fields of "{definition.name}" changed since {title}, but its version is still {definition.version}'
    )
    notes = [
        Note(f"{change.subject}: {change.said}".removesuffix(": "), _own(change.place, place)) for change in changes
    ]
    problems.error("D077", place, message, help=_help(difference), notes=notes)


def _own(place: Place | None, main: Place) -> Place | None:
    """The place of a further change; that of the mistake itself is said already."""
    return None if place == main else place


def _help(difference: Difference) -> str:
    definition = difference.brewable.definition
    version = definition.version + 1
    operands = {operand.name.value for operand in definition.operands}  # a record has no names of them
    pairs = ", ".join(f"{old}: {new}" for old, new in difference.renamed if new not in operands)
    renames = f" and `renames: {{{version}: {{{pairs}}}}}`" if pairs else ""
    return f"write `version: {version}`{renames} in {definition.file}"
