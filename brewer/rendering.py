"""Views and templates to text. Nothing is written here, and black does not run here."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import jinja2

from brewer.facts_view import facts_view
from brewer.imports import import_lines, known_names, names_used
from brewer.load import Brewable, Instructions
from brewer.problems import Problems
from brewer.project import Project
from brewer.table_views import class_entries, enum_views, group_views, mnemonic_entries
from brewer.template_faults import TemplateFaults, Unknown
from brewer.views import class_view


@dataclass(frozen=True, slots=True)
class Rendered:
    """The text of one file below `generated/`."""

    path: str  # relative to the project, with forward slashes
    text: str
    definition: str = ""  # the file of the definition; empty for what belongs to all of them
    bases: tuple[str, ...] = ()  # the files of the definitions that it stands on, nearest first


@dataclass(frozen=True)
class Renderer:
    project: Project
    instructions: Instructions
    problems: Problems
    faults: TemplateFaults = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "faults", TemplateFaults(self.project.templates))

    @cached_property
    def environment(self) -> jinja2.Environment:
        return jinja2.Environment(
            loader=jinja2.FileSystemLoader(self.project.templates),
            undefined=Unknown,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,
        )

    @cached_property
    def known(self) -> Mapping[str, str]:
        return known_names(self.instructions.vocabulary, self.project.sources)

    def render_all(self) -> tuple[Rendered, ...]:
        """Every file that the definitions give, sorted by path; mistakes in templates are collected."""
        files = [self._class_module(brewable) for brewable in self.instructions.brewables]
        files += [self._dialect(dialect) for dialect in self._dialects()]
        files += [self._facts(dialect) for dialect in sorted({d.dialect for d in self.instructions.facts})]
        files += [self._table(), self._vocabulary(), Rendered("generated/py.typed", "")]
        self.faults.report(self.project.root, self.problems)
        return tuple(sorted((file for file in files if file), key=lambda file: file.path))

    def _class_module(self, brewable: Brewable) -> Rendered | None:
        view = class_view(brewable, self.instructions.vocabulary, self.project.sources)
        origin = f"the definition in {view.file} at line {view.line}"
        body = self._render("instruction.py.j2", view.file, view=view)
        tree = self._parse(body, view.file)
        if body is None or tree is None:
            return None
        imports = import_lines(names_used(tree), {**self.known, view.base: view.base_module})
        text = self._render(
            "instruction_module.py.j2", view.file, view=view, origin=origin, imports=imports, body=body.strip("\n")
        )
        path = f"generated/{brewable.definition.dialect}/{view.name}.py"
        return None if text is None else Rendered(path, text, view.file, brewable.bases)

    def _dialects(self) -> list[str]:
        of_definitions = {definition.dialect for definition in self.instructions.definitions}
        return sorted(of_definitions | {document.dialect for document in self.instructions.facts})

    def _dialect(self, dialect: str) -> Rendered | None:
        origin = f"the definitions in defs/{dialect}/"
        of_classes = any(definition.dialect == dialect for definition in self.instructions.definitions)
        of_facts = any(document.dialect == dialect for document in self.instructions.facts)
        holds = " and ".join(
            ["an instruction class a module"] * of_classes + ["facts about foreign operators"] * of_facts
        )
        path = f"generated/{dialect}/__init__.py"
        return self._shared(path, "dialect.py.j2", origin, dialect=dialect, holds=holds)

    def _facts(self, dialect: str) -> Rendered | None:
        documents = [document for document in self.instructions.facts if document.dialect == dialect]
        origin = f"the definitions in {', '.join(document.file for document in documents)}"
        return self._shared(f"generated/{dialect}/facts.py", "facts.py.j2", origin, view=facts_view(documents))

    def _table(self) -> Rendered | None:
        return self._shared(
            "generated/__init__.py",
            "table.py.j2",
            "the definitions in defs/",
            instructions=mnemonic_entries(self.instructions, self.project.sources),
            classes=class_entries(self.instructions),
        )

    def _vocabulary(self) -> Rendered | None:
        vocabulary = self.instructions.vocabulary
        origin = f"the definition in defs/vocabulary.yaml at line {vocabulary.line}"
        views = {"enums": enum_views(vocabulary), "groups": group_views(vocabulary)}
        return self._shared("generated/vocabulary.py", "vocabulary.py.j2", origin, **views)

    def _shared(self, path: str, template: str, origin: str, **values: Any) -> Rendered | None:
        text = self._render(template, path, origin=origin, **values)
        return None if text is None else Rendered(path, text)

    def _render(self, template: str, subject: str, **values: Any) -> str | None:
        """`subject` is what is being rendered, for messages."""
        try:
            return self.environment.get_template(template).render(**values)
        except jinja2.TemplateError as error:
            self.faults.add(error, template, subject)
            return None

    def _parse(self, text: str | None, subject: str) -> ast.Module | None:
        if text is None:
            return None
        try:
            return ast.parse(text)
        except SyntaxError as error:
            self.faults.add_not_python(error, subject)
            return None
