"""Every line of the generated files with what it comes from: template lines, and a key of a definition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from brewer.load import Brewable, Instructions
from brewer.model import Definition
from brewer.origins.items import keys_of_item, keys_of_member, place_of_shared_item
from brewer.origins.members import KEYS_OF_MEMBERS, Member, members_of
from brewer.origins.traced import TemplateLine, TracedLine, TracedRenderer, without_marks
from brewer.origins.trees import KeyPath, Trees
from brewer.problems import Problems
from brewer.project import Project
from brewer.rendering import Rendered
from runtime.diagnostics import Place


@dataclass(frozen=True, slots=True)
class Origin:
    """A line of a generated file, and what it comes from."""

    file: str
    number: int
    text: str
    templates: tuple[TemplateLine, ...]  # from left to right
    member: str = ""  # the part of the class that it belongs to, `__init__`; empty outside of a class
    keys: KeyPath = ()  # the keys of the definition that it is about; empty where it is about all definitions
    place: Place | None = None  # of the last of these keys


@dataclass(frozen=True)
class Origins:
    """The origins of all lines of a project whose definitions and templates have no mistake."""

    project: Project
    instructions: Instructions

    @cached_property
    def trees(self) -> Trees:
        return Trees(self.project)

    @cached_property
    def files(self) -> dict[str, tuple[Origin, ...]]:
        """The lines of each generated file, by its path.

        Raises: DiagnosticsError where a template has mistakes.
        """
        renderer, rendered = self._rendered
        of_files = {brewable.definition.file: brewable for brewable in self.instructions.brewables}
        return {
            file.path: tuple(self._lines(file, renderer.lines_of(file.text), of_files.get(file.definition)))
            for file in rendered
        }

    def of_definition(self, file: str) -> tuple[Origin, ...]:
        """The lines of the module that the definition in a file gives."""
        return self.files[self._modules[file]]

    @cached_property
    def _modules(self) -> dict[str, str]:
        return {file.definition: file.path for file in self._rendered[1] if file.definition}

    @cached_property
    def _rendered(self) -> tuple[TracedRenderer, tuple[Rendered, ...]]:
        problems = Problems()
        renderer = TracedRenderer(self.project, self.instructions, problems)
        rendered = renderer.render_all()
        problems.raise_if_any()
        return renderer, rendered

    def _lines(self, file: Rendered, lines: tuple[TracedLine, ...], brewable: Brewable | None) -> Iterator[Origin]:
        if brewable is None:
            for number, line in enumerate(lines, 1):
                keys, place = place_of_shared_item(line.item, self.instructions, self.trees) or ((), None)
                yield Origin(file.path, number, line.text, line.sources, "", keys, place)
            return
        definition = brewable.definition
        located = self.trees.definitions[definition.file]
        members = _by_line(members_of(without_marks(file.text)))
        for number, line in enumerate(lines, 1):
            inner = members.get(number, ())
            keys, place = located.nearest(_keys(line, inner, definition))
            yield Origin(file.path, number, line.text, line.sources, inner[-1].name if inner else "", keys, place)


def _by_line(members: tuple[Member, ...]) -> dict[int, tuple[Member, ...]]:
    """The parts of a class that each line lies in, outer ones first; the class itself is only its first line."""
    found: dict[int, tuple[Member, ...]] = {}
    for member in members:
        end = member.start if member.name == "class" else member.end
        for number in range(member.start, end + 1):
            found[number] = (*found.get(number, ()), member)
    return found


def _keys(line: TracedLine, members: tuple[Member, ...], definition: Definition) -> KeyPath:
    """What a line is about: the item of the loop that wrote it, else the part of the class that it lies in."""
    keys = keys_of_item(line.item, definition)
    if keys:
        return keys
    for member in reversed(members):
        keys = member.keys or keys_of_member(member.name, definition) or KEYS_OF_MEMBERS.get(member.name, ())
        if keys:
            return keys
    return ("name",)
