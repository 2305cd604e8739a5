"""What `where` finds: the lines of definitions, templates, generated and hand-written code that belong together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from brewer.load import Brewable
from brewer.origins.lines import Origin
from brewer.problems import Problems
from brewer.project import Project
from runtime.diagnostics import DiagnosticsError, Place


@dataclass(frozen=True, slots=True)
class Line:
    """A line that people write: of a definition, of hand-written code."""

    path: Path
    number: int


@dataclass(frozen=True, slots=True)
class Answer:
    title: str
    definition: tuple[Line, ...]
    generated: tuple[Origin, ...]
    hand_written: tuple[Line, ...] = ()  # in the wrapper, or the class of the runtime, that has what was asked for
    whole: Brewable | None = None  # where a definition as a whole was asked for
    around: str = ""  # the key around what was asked for whose lines these are, where that has none of its own


def line_of(place: Place) -> Line:
    """The line of a place; files are known by their whole path."""
    return Line(Path(place.file), place.line)


def module_of(brewable: Brewable, project: Project) -> str:
    """The generated module of a definition, relative to the project."""
    definition = brewable.definition
    return f"{project.output}/{definition.dialect}/{definition.name}Gen.py"


def template_path(template: str, project: Project) -> Path:
    """The file of a template: one of the project before one of brewer."""
    folders = project.template_folders
    return next((folder / template for folder in folders if (folder / template).is_file()), folders[0] / template)


def mistake(code: str, message: str, help: str) -> DiagnosticsError:
    """A mistake in what was asked; it has no place in a file."""
    problems = Problems()
    problems.error(code, None, message, help=help)
    return DiagnosticsError(problems.found)
