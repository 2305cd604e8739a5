"""One side of a comparison: what the definitions say now, or said at a git reference, as far as it can be read.

Deliberately absent: what the rules of today think of definitions of before. Only what they say is compared; what can
no longer be read at all is named, and left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from brewer.definition_files import extended_vocabulary, load_headers
from brewer.load import Brewable, Instructions, check_together, load
from brewer.meaning.reference import find_reference, write_files
from brewer.problems import Problems
from brewer.project import Project
from brewer.rhs_grammar import Group
from brewer.vocabulary import Vocabulary, read_vocabulary
from brewer.yaml_tree import read_tree
from runtime.diagnostics import Diagnostic, DiagnosticsError, Place

Key = tuple[str, str]  # dialect and name of a definition


@dataclass(frozen=True)
class Snapshot:
    """What the definitions of one side say."""

    title: str  # how people call it: `HEAD (16ef9ec9a)`
    instructions: Instructions
    classes_in_memory: frozenset[str]  # the runtime classes whose instructions write tensors
    unread: tuple[str, ...] = ()  # definitions, `neuron/X`, of which too little can be read
    mistakes: tuple[Diagnostic, ...] = ()  # of definitions that the rules of today refuse

    @cached_property
    def brewables(self) -> dict[Key, Brewable]:
        """The definitions that can be compared."""
        found = {key_of(brewable): brewable for brewable in self.instructions.brewables}
        unread = set(self.unread)
        return {key: brewable for key, brewable in found.items() if "/".join(key) not in unread}


def key_of(brewable: Brewable) -> Key:
    return brewable.definition.dialect, brewable.definition.name.value


def snapshot_of_work_tree(project: Project, instructions: Instructions) -> Snapshot:
    return Snapshot("the work tree", instructions, _classes_in_memory(project, instructions))


def load_both(project: Project, asked: str) -> tuple[Snapshot, Snapshot]:
    """The definitions at a git reference, and those of the work tree.

    Raises: DiagnosticsError where the work tree has mistakes, or the reference cannot be read at all.
    """
    return snapshot_at(project, asked), snapshot_of_work_tree(project, load(project))


def snapshot_at(project: Project, asked: str) -> Snapshot:
    """The definitions at a git reference.

    Raises: DiagnosticsError where git cannot show them, or their vocabulary cannot be read.
    """
    reference = find_reference(project.root, asked)
    with TemporaryDirectory(prefix="brewer-") as folder:
        root = Path(folder).resolve()
        write_files(project.root, reference, project.read_from, root)
        return _snapshot(project.at(root), str(reference), reference.asked)


def _snapshot(project: Project, title: str, asked: str) -> Snapshot:
    if not project.definitions.is_dir():
        return Snapshot(title, Instructions(Vocabulary(), (), ()), frozenset())
    problems = Problems()
    vocabulary = _vocabulary(project, problems)
    if vocabulary is None:
        raise _unreadable(title, (_as_of(asked, project.root, found) for found in problems.found))
    instructions = check_together(project, load_headers(project, problems), vocabulary, problems)
    mistakes = tuple(_as_of(asked, project.root, found) for found in problems.found)
    read = {found.definition.file for found in instructions.brewables if _is_complete(found)}
    read |= {document.file for document in instructions.facts}
    paths = sorted(project.definitions.glob("*/*.yaml"))
    unread = tuple(f"{path.parent.name}/{path.stem}" for path in paths if project.relative(path) not in read)
    return Snapshot(title, instructions, _classes_in_memory(project, instructions), unread, mistakes)


def _vocabulary(project: Project, problems: Problems) -> Vocabulary | None:
    """The words as far as they can be read; None where there is nothing that could be."""
    file = project.vocabulary
    if not file.is_file():
        problems.error("D084", None, f"there is no file {project.relative(file)}")
        return None
    tree = read_tree(str(file), file.read_bytes(), problems)
    return read_vocabulary(tree, problems, extended_vocabulary(project)) if tree else None


def _is_complete(brewable: Brewable) -> bool:
    """Whether fields and form are known, and each optional group of it shows one field."""
    definition, rhs = brewable.definition, brewable.rhs
    if rhs is None:
        return definition.fields_are_known and definition.abstract
    groups = (part for part in rhs.parts if isinstance(part, Group))
    return definition.fields_are_known and all(len(group.fields) == 1 for group in groups)


def _classes_in_memory(project: Project, instructions: Instructions) -> frozenset[str]:
    roots = {brewable.root for brewable in instructions.brewables}
    return frozenset(root for root in roots if project.sources.takes_dst(root))


def _unreadable(title: str, mistakes: Iterable[Diagnostic]) -> DiagnosticsError:
    problems = Problems()
    help = "the mistakes above are those of the definitions as they were; compare with another commit"
    problems.error("D085", None, f"the vocabulary at {title} does not load, so nothing can be compared", help=help)
    return DiagnosticsError((*mistakes, *problems.found))


def _as_of(asked: str, root: Path, found: Diagnostic) -> Diagnostic:
    """The mistake with the places of git, `HEAD:defs/neuron/X.yaml`, in place of those of the temporary folder."""
    notes = tuple(replace(note, place=_place_as_of(asked, root, note.place)) for note in found.notes)
    return replace(found, place=_place_as_of(asked, root, found.place), notes=notes)


def _place_as_of(asked: str, root: Path, place: Place | None) -> Place | None:
    if place is None or not place.file.startswith(str(root)):
        return place
    return place._replace(file=f"{asked}:{Path(place.file).relative_to(root).as_posix()}")
