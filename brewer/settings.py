"""`[tool.brewer]` in the pyproject.toml of another repository: where its definitions, templates and own code are.

Deliberately absent: anything that changes what a definition means, or how a class looks. That is in definitions and
templates. Nothing that is named here is imported.
"""

from __future__ import annotations

import keyword
import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from brewer.fingerprints import digest_of
from brewer.places import Places
from brewer.problems import Problems
from brewer.project import SETTINGS_FILE as FILE
from brewer.project import Layout, Project
from brewer.python_sources import Modules, PythonSources
from brewer.toml_places import TomlTable
from runtime.diagnostics import Note, Place, listed, shown_path

TABLE = ("tool", "brewer")
DEFAULT_PACKAGE = "brewed"
SETTINGS: Mapping[str, str] = {
    "definitions": 'the folder of the dialects with their definitions (default: "defs")',
    "templates": "a folder of templates; one in it replaces that of brewer with the same name",
    "vocabulary": "the file of words (default: vocabulary.yaml beside the dialects if there is one, else brewer's)",
    "python": 'the folder that Python finds the packages of the repository in, such as "src" (default: ".")',
    "output": f'the package of the brewed modules, as it is imported (default: "{DEFAULT_PACKAGE}")',
    "bases": "a list of modules with base classes, which derive from one of brewer's runtime",
    "wrappers": "the module or package of the hand-written classes on top of brewed ones",
    "semantics": "the module or package of the functions that instructions compute with, a module a family",
    "inference": "the module or package of functions that find the types of results",
}
"""Every key of the table, all of them optional."""

OUR_PACKAGES = ("brewer", "frontends", "generated", "passes", "runtime")
_TAKEN = (*OUR_PACKAGES, "black", "jinja2", "ml_dtypes", "numpy", "yaml")
_MODULES = ("wrappers", "semantics", "inference")
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\Z", re.ASCII)


def read_settings(root: Path, text: str, problems: Problems) -> Layout | None:
    """The layout that the table says; None where there is no such table, or no TOML."""
    file = str(root / FILE)
    problems.add_source(file, text)
    try:
        tools = tomllib.loads(text).get(TABLE[0], {})
    except ValueError as error:  # not TOML, or a number of more digits than Python reads
        problems.error("D110", _place_in(file, str(error)), f"the file is not TOML: {_without_place(str(error))}")
        return None
    except RecursionError:
        problems.error("D110", Place(file, 1, 1), "the file is not TOML that can be read: it is nested too deeply")
        return None
    found = tools.get(TABLE[1]) if isinstance(tools, dict) else None
    if found is None:
        return None
    table = TomlTable(file, text, TABLE)
    if not isinstance(found, dict):
        problems.error("D112", table.place, '"brewer" is not a table', help="write [tool.brewer], and keys below it")
        return None
    return replace(_Reader(root, table, found, problems).layout(), settings=digest_of(text.encode()))


@dataclass(frozen=True)
class _Reader:
    root: Path
    table: TomlTable
    found: Mapping[str, Any]
    problems: Problems
    refused: set[str] = field(default_factory=set)  # keys whose value is not what it must be

    def layout(self) -> Layout:
        for key in self.found:
            if key not in SETTINGS:
                self.problems.unknown("D111", self.table.place_of(key), "setting of brewer", key, SETTINGS)
        texts = {key: self._text(key) for key in SETTINGS if key != "bases"}
        python = self._path("python", texts["python"]) or "."
        modules = Modules(
            package=self._package(texts["output"]),
            bases=tuple(name for name in self._texts("bases") if self._is_module("bases", name, python)),
            **{key: texts[key] if self._is_module(key, texts[key], python) else "" for key in _MODULES},
        )
        layout = Layout(
            definitions=self._path("definitions", texts["definitions"]) or "defs",
            templates=self._path("templates", texts["templates"]),
            vocabulary=self._path("vocabulary", texts["vocabulary"]),
            python=python,
            modules=modules,
            is_foreign=True,
        )
        self._check_neighbours(python)
        self._check_output(Project(self.root, layout).places)
        self._check_classes(layout)
        return layout

    def _text(self, key: str) -> str:
        value = self.found.get(key, "")
        if isinstance(value, str) and (value or key not in self.found):
            return value
        self._refuse(key, "a text, and not an empty one")
        return ""

    def _texts(self, key: str) -> list[str]:
        value = self.found.get(key, [])
        if isinstance(value, list) and all(isinstance(each, str) and each for each in value):
            return value
        self._refuse(key, "a list of texts")
        return []

    def _refuse(self, key: str, kind: str) -> None:
        self.problems.error("D112", self.table.place_of(key), f'"{key}" must be {kind}', help=f"it is {SETTINGS[key]}")

    def _path(self, key: str, value: str) -> str:
        """A folder or file below the root, without `./` and `/` at its ends; empty where there is none."""
        default = "defs" if key == "definitions" else ""
        if not value and not default:
            return ""
        path = Path(value or default)
        place = self.table.place_of_value(key, value) if value else self.table.place
        whole = self.root / path
        if path.is_absolute() or ".." in path.parts:
            help = f"name it from the folder of {FILE}"
            self.problems.error("D113", place, f'"{value}" does not lie below the folder of {FILE}', help=help)
        elif not (whole.is_file() if key == "vocabulary" else whole.is_dir()):
            kind = "file" if key == "vocabulary" else "folder"
            known = self._neighbours(whole, kind == "file")
            missing = f'"{key}" is {SETTINGS[key]}' + f"; make it: mkdir {path.as_posix()}" * (kind == "folder")
            help = self.problems.hint(place, path.as_posix(), known) or missing
            self.problems.error("D113", place, f'there is no {kind} "{path.as_posix()}"', help=help)
        else:
            return path.as_posix()
        return ""

    def _neighbours(self, path: Path, files: bool) -> list[str]:
        """What stands beside a path that is not there, and might be meant."""
        try:
            there = sorted(path.parent.iterdir())
        except OSError:
            return []
        return [p.relative_to(self.root).as_posix() for p in there if (p.is_file() if files else p.is_dir())]

    def _package(self, value: str) -> str:
        return value if value and self._is_importable("output", value) else DEFAULT_PACKAGE

    def _is_importable(self, key: str, name: str) -> bool:
        place = self.table.place_of_value(key, name)
        first = name.partition(".")[0]
        if not _DOTTED.match(name) or any(keyword.iskeyword(part) for part in name.split(".")):
            slashed = name.strip("./").removesuffix(".py").replace("/", ".")
            help = "a name is letters, digits and _, no keyword of Python, with dots in between"
            if slashed != name and _DOTTED.match(slashed):
                help = f'write it as it is imported: "{slashed}"'
            self.problems.error("D112", place, f'"{name}" is not the name of a module', help=help)
        elif first in _TAKEN or first in sys.stdlib_module_names:
            owner = "brewer" if first in OUR_PACKAGES else "Python" if first in sys.stdlib_module_names else "a library"
            message = f'"{first}" is the name of a package of {owner}, and Python finds only one of the two'
            help = f'rename yours, or put it into a package of your own, such as "acme.{name}"'
            self.problems.error("D114", place, message, help=help)
        else:
            return True
        return False

    def _is_module(self, key: str, name: str, python: str) -> bool:
        if not name or not self._is_importable(key, name):
            return False
        sources = PythonSources(self.root / python)
        if sources.files_of(name):
            return True
        place = self.table.place_of_value(key, name)
        path = f"{'' if python == '.' else f'{python}/'}{name.replace('.', '/')}"
        help = self.problems.hint(place, name, _modules_beside(self.root / python, name))
        message = f'there is no module "{name}": neither {path}.py, nor Python files in {path}/'
        self.problems.error("D113", place, message, help=help or 'the folder that Python looks in is "python"')
        return False

    def _check_neighbours(self, python: str) -> None:
        """A package of theirs that has the name of one of ours takes its place, or is never found."""
        folder = self.root / python
        place = self.table.place_of("python") if python != "." else self.table.place
        for name in OUR_PACKAGES:
            found = [path for path in (folder / name / "__init__.py", folder / f"{name}.py") if path.is_file()]
            if found:
                shown = self._shown(found[0].parent if found[0].name == "__init__.py" else found[0])
                message = f'{shown} has the name of brewer\'s package "{name}", and Python finds only one of the two'
                help = f"rename {shown}, or move it into a package of its own"
                self.problems.error("D114", place, message, help=help)

    def _check_output(self, places: Places) -> None:
        """What is brewed stands in a folder of its own: in none that is read, and with nothing below it that is."""
        written = Path(places.outputs)
        read = [Path(folder) for folder in (places.definitions, places.templates) if folder]
        others = [Path(name) for name in (*places.modules, places.vocabulary) if name]
        place = self.table.place_of_value("output", str(self.found.get("output", "")))
        near = [p for p in dict.fromkeys([*read, *others]) if p.is_relative_to(written)]
        near += [p for p in read if written.is_relative_to(p) and p != written]  # below modules it is no harm
        if near:
            whole = (self.root / path for path in near)
            shown = listed((self._shown(p if p.exists() else p.with_suffix(".py")) for p in whole), "and")
            message = f"brewer would write to {written.as_posix()}/, but reads {shown}"
            help = 'give "output" a package of its own, such as "acme.instructions"'
            self.problems.error("D117", place, message, help=help)

    def _check_classes(self, layout: Layout) -> None:
        """Brewed modules import classes by name, so one name is one class."""
        sources = Project(self.root, layout).sources
        runtime = PythonSources(Project.of_this_tool().root).classes
        for name, found in sources.own_bases.items():
            if name in runtime:
                with_source(found.place.file, self.problems)
                message = f'"{name}" is a class of brewer\'s runtime, so no base class may have its name'
                notes = [Note(f"it is a class of {runtime[name].module}")]
                self.problems.error("D116", found.place, message, help="rename the class", notes=notes)

    def _shown(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix() + "/" * path.is_dir()


def with_source(file: str, problems: Problems) -> None:
    """Remembers the text of a Python file, for the source lines of diagnostics."""
    problems.add_source(file, Path(file).read_text(encoding="utf-8", errors="replace"))


def report_missing(start: Path, named: Path | None, files: tuple[Path, ...], problems: Problems) -> None:
    """That no file says where the definitions are; `files` are those that might."""
    what = f'[tool.brewer] with, for example, output = "acme.instructions"; all keys: {listed(SETTINGS, "and")}'
    if files:
        message = "the file has no [tool.brewer], by which brewer knows where definitions are"
        problems.error("D115", Place(str(files[0]), 1, 1), message, help=f"write {what}")
        return
    where = shown_path(str(named)) if named else ""
    if named and not named.is_dir():
        message = f"there is no folder {where}"
    elif named:
        message = (
            f"{'this folder' if where == '.' else where} has no {FILE}, by which brewer knows where definitions are"
        )
    else:
        message = f"neither {start} nor a folder above it has a {FILE} with [tool.brewer]"
    help = f"start brewer in a project, or name one with --root: its {FILE} has {what}"
    problems.error("D115", None, message, help=help)


def _modules_beside(folder: Path, name: str) -> list[str]:
    """The modules and packages that stand where one is looked for, and at the top."""
    above = name.rpartition(".")[0]
    found = []
    for prefix in dict.fromkeys((above, "")):
        top = folder.joinpath(*prefix.split(".")) if prefix else folder
        for path in sorted(top.glob("*")) if top.is_dir() else ():
            if path.suffix == ".py" or (path.is_dir() and any(path.glob("*.py"))):
                found.append(f"{prefix}.{path.stem}".strip("."))
    return found


def _place_in(file: str, message: str) -> Place:
    match = re.search(r"\(at line (\d+), column (\d+)\)", message)
    return Place(file, int(match[1]), int(match[2])) if match else Place(file, 1, 1)


def _without_place(message: str) -> str:
    said = re.sub(r" \(at [^)]*\)\Z", "", message)
    return said[:1].lower() + said[1:]
