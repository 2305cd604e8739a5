"""All pages of a project, in the order in which they are listed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from brewer.documentation.blocks import Group, Page
from brewer.documentation.definition_page import DefinitionPage
from brewer.documentation.shared_pages import facts_page, vocabulary_page
from brewer.load import Instructions
from brewer.model import Definition
from brewer.project import Project


@dataclass(frozen=True)
class Reference:
    """The documentation of an instruction set."""

    title: str
    groups: tuple[Group, ...]

    @property
    def pages(self) -> tuple[Page, ...]:
        return tuple(page for group in self.groups for page in group.pages)


def make_reference(project: Project, instructions: Instructions) -> Reference:
    """The pages of a project whose definitions are without a mistake."""
    words = vocabulary_page(instructions.vocabulary, project.relative(project.vocabulary))
    groups = [*_dialects(project, instructions), Group("vocabulary", "Vocabulary", (words,))]
    return Reference("Instruction set", tuple(groups))


def _dialects(project: Project, instructions: Instructions) -> Iterator[Group]:
    names = {definition.dialect for definition in instructions.definitions}
    children: dict[str, list[Definition]] = {}
    for brewable in instructions.brewables:
        for base in brewable.bases[:1]:
            children.setdefault(base, []).append(brewable.definition)
    for dialect in sorted(names):
        pages = [
            DefinitionPage(
                brewable,
                tuple(children.get(brewable.definition.file, ())),
                instructions.vocabulary,
                project.sources,
                project.sources.takes_dst(brewable.root),
            ).page()
            for brewable in instructions.brewables
            if brewable.definition.dialect == dialect
        ]
        yield Group(dialect, f"Instructions of {dialect}", tuple(pages))
    for dialect in sorted({document.dialect for document in instructions.facts}):
        documents = (document for document in instructions.facts if document.dialect == dialect)
        yield Group(f"{dialect} facts", f"Operators of {dialect}", tuple(map(facts_page, documents)))
