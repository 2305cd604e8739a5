"""Views and templates to text. Nothing is written here, and black does not run here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import jinja2

from brewer.facts_view import facts_view
from brewer.frozen import frozen
from brewer.imports import LinesOfCode, import_lines, known_names
from brewer.listing import Listed, list_definition
from brewer.load import Brewable, Instructions
from brewer.problems import Problems
from brewer.project import Project
from brewer.table_views import class_entries, enum_views, group_views, mnemonic_entries
from brewer.template_faults import TemplateFaults
from brewer.templates import fast_environment, plain_environment, rendered
from brewer.views import ClassView, class_view

_AT_ONCE = 32  # definitions; with all of them at once, views would take as much memory as all else together


@frozen
class Rendered:
    """The text of one file of the package that is brewed."""

    path: str  # relative to the project, with forward slashes
    text: str
    definition: str = ""  # the file of the definition; empty for what belongs to all of them
    bases: tuple[str, ...] = ()  # the files of the definitions that it stands on, nearest first


@dataclass(frozen=True)
class Renderer:
    """Renders the definitions of a project; mistakes in templates are collected until `report`."""

    project: Project
    instructions: Instructions
    problems: Problems
    compiled: jinja2.BytecodeCache | None = None  # what an earlier run has left of templates
    faults: TemplateFaults = field(init=False)
    imports: dict[tuple[frozenset[str], str, str], str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "faults", TemplateFaults(self.project.templates))

    @cached_property
    def environment(self) -> jinja2.Environment:
        return plain_environment(self.project.template_folders)

    @cached_property
    def fast(self) -> jinja2.Environment:
        """What most rendering is done with; `environment` where it fails."""
        return fast_environment(self.environment, self.compiled)

    @cached_property
    def known(self) -> Mapping[str, str]:
        return known_names(self.instructions.vocabulary, self.project.sources)

    @cached_property
    def lines_of_code(self) -> LinesOfCode:
        return LinesOfCode(self.known)

    def render_all(self) -> tuple[Rendered, ...]:
        """Every file that the definitions give, sorted by path; mistakes in templates are reported."""
        files = [*self.render_modules(self.instructions.brewables), *self.render_shared()]
        self.report()
        return tuple(sorted(files, key=lambda file: file.path))

    def render_modules(self, brewables: Iterable[Brewable]) -> list[Rendered]:
        """The modules of these definitions, some at once: doing one thing several times takes a fifth less."""
        waiting = tuple(brewables)
        batches = [waiting[at : at + _AT_ONCE] for at in range(0, len(waiting), _AT_ONCE)]
        return [file for batch in batches for file in self._class_modules(batch)]

    def render_shared(self) -> list[Rendered]:
        """The files that belong to all definitions together."""
        files = [self._dialect(dialect) for dialect in self._dialects()]
        files += [self._facts(dialect) for dialect in sorted({d.dialect for d in self.instructions.facts})]
        files += [self._vocabulary(), Rendered(f"{self.project.output}/py.typed", "")]
        files += [self.render_table(self.listed())]
        return [file for file in files if file]

    def render_table(self, listed: Sequence[Listed]) -> Rendered | None:
        """The table of all definitions, given by what it needs to know of them."""
        entries = {"instructions": mnemonic_entries(listed), "classes": class_entries(listed)}
        origin = f"the definitions in {self.project.layout.definitions}/"
        path = f"{self.project.output}/__init__.py"
        return self._shared(path, "table.py.j2", origin, package=self.project.package, **entries)

    def listed(self) -> tuple[Listed, ...]:
        return tuple(list_definition(brewable, self.project.sources) for brewable in self.instructions.brewables)

    def report(self) -> None:
        self.faults.report(self.project.root, self.problems)

    def _class_modules(self, brewables: Sequence[Brewable]) -> Iterator[Rendered]:
        vocabulary, sources = self.instructions.vocabulary, self.project.sources
        views = [class_view(brewable, vocabulary, sources) for brewable in brewables]
        bodies = [self._render("instruction.py.j2", view.file, view=view) for view in views]
        names = [self.lines_of_code.names_used(self._plain(body)) if body else frozenset() for body in bodies]
        for brewable, view, body, used in zip(brewables, views, bodies, names, strict=True):
            text = None if body is None else self._module(view, body, used)
            if text is not None:
                path = f"{self.project.output}/{brewable.definition.dialect}/{view.name}.py"
                yield Rendered(path, text, view.file, brewable.bases)

    def _module(self, view: ClassView, body: str, names: frozenset[str]) -> str | None:
        origin = f"the definition in {view.file} at line {view.line}"
        imports = self._imports(names, view.base, view.base_module)
        return self._render(
            "instruction_module.py.j2", view.file, view=view, origin=origin, imports=imports, body=body.strip("\n")
        )

    def _imports(self, names: frozenset[str], base: str, base_module: str) -> str:
        """The import lines of a module; many modules have the same."""
        key = (names, base, base_module)
        lines = self.imports.get(key)
        if lines is None:
            lines = self.imports[key] = import_lines({*names, base}, {**self.known, base: base_module})
        return lines

    def _dialects(self) -> list[str]:
        of_definitions = {definition.dialect for definition in self.instructions.definitions}
        return sorted(of_definitions | {document.dialect for document in self.instructions.facts})

    def _dialect(self, dialect: str) -> Rendered | None:
        folder = f"{self.project.layout.definitions}/{dialect}/"
        origin = f"the definitions in {folder}"
        of_classes = any(definition.dialect == dialect for definition in self.instructions.definitions)
        of_facts = any(document.dialect == dialect for document in self.instructions.facts)
        holds = " and ".join(
            ["an instruction class a module"] * of_classes + ["facts about foreign operators"] * of_facts
        )
        path = f"{self.project.output}/{dialect}/__init__.py"
        return self._shared(path, "dialect.py.j2", origin, folder=folder, holds=holds)

    def _facts(self, dialect: str) -> Rendered | None:
        documents = [document for document in self.instructions.facts if document.dialect == dialect]
        folder = f"{self.project.layout.definitions}/{dialect}/"
        origin = f"the definitions in {documents[0].file if len(documents) == 1 else folder}"
        path = f"{self.project.output}/{dialect}/facts.py"
        return self._shared(path, "facts.py.j2", origin, view=facts_view(documents))

    def _vocabulary(self) -> Rendered | None:
        vocabulary = self.instructions.vocabulary
        file = self.project.relative(self.project.vocabulary)
        origin = f"the definition in {file} at line {vocabulary.line}"
        views = {"enums": enum_views(vocabulary), "groups": group_views(vocabulary)}
        return self._shared(f"{self.project.output}/vocabulary.py", "vocabulary.py.j2", origin, **views)

    def _shared(self, path: str, template: str, origin: str, **values: Any) -> Rendered | None:
        text = self._render(template, path, origin=origin, **values)
        return None if text is None else Rendered(path, text)

    def _render(self, template: str, subject: str, **values: Any) -> str | None:
        """`subject` is what is being rendered, for messages."""
        with suppress(Exception):
            return rendered(self.fast.get_template(template), {"sources": self._sources, **values})
        try:
            return self.environment.get_template(template).render(sources=self._sources, **values)
        except Exception as error:  # whatever goes wrong while a template runs is a mistake in the template
            self.faults.add(error, template, subject)
            return None

    @cached_property
    def _sources(self) -> str:
        """What to change where a generated file is not as it should be."""
        templates = self.project.layout.templates
        return f"the definition, or {templates}/" if templates else "the definition"

    def _plain(self, text: str) -> str:
        """A rendered text as its readers will see it; who renders for other purposes may have put more into it."""
        return text
