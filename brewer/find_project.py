"""Which project a run works on: the one that is named, or the nearest around the current directory.

A project is a repository whose pyproject.toml has `[tool.brewer]`, or brewer's own, which needs none.
"""

from __future__ import annotations

from pathlib import Path

from brewer.problems import Problems
from brewer.project import SETTINGS_FILE as FILE
from brewer.project import Project
from brewer.settings import read_settings, report_missing
from runtime.diagnostics import Place


def find_project(named: Path | None, start: Path) -> Project:
    """The project in the folder `named`; None: the nearest one from `start` upward.

    Raises: DiagnosticsError where there is none, or its settings have mistakes.
    """
    problems = Problems()
    without: list[Path] = []
    for folder in (named,) if named else (start, *start.parents):
        project = _project_at(folder, problems, is_named=named is not None)
        problems.raise_if_any()
        if project:
            return project
        if (folder / FILE).is_file():
            without.append(folder / FILE)
    report_missing(start, named, tuple(without), problems)
    problems.raise_if_any()
    raise AssertionError("a missing project is a mistake")


def _project_at(folder: Path, problems: Problems, *, is_named: bool) -> Project | None:
    file = folder / FILE
    if file.is_file():
        text = _text_of(file, problems)
        layout = read_settings(folder, text, problems) if text is not None else None
        if layout or problems.found:
            return Project(folder, layout) if layout else None
    return Project(folder) if _is_of_brewer(folder, is_named) else None


def _is_of_brewer(folder: Path, is_named: bool) -> bool:
    """Whether this is brewer's own repository, or another state of it; an installed brewer is none."""
    if is_named or (folder / FILE).is_file() or folder == Project.of_this_tool().root:
        return (folder / "runtime" / "instructions.py").is_file() and "site-packages" not in folder.parts
    return False


def _text_of(file: Path, problems: Problems) -> str | None:
    try:
        return file.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        problems.error("D110", Place(str(file), 1, 1), "the file is not UTF-8 text, as TOML must be")
    except OSError as error:
        problems.error("D110", Place(str(file), 1, 1), f"the file cannot be read: {error.strerror}")
    return None
