"""What stands at a place, `FILE:LINE`, and the lines that belong to it: generated, of a template, of a definition."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from brewer.origins.answers import Answer, Line, line_of, mistake
from brewer.origins.lines import Origin, Origins
from brewer.origins.traced import TemplateLine
from brewer.origins.trees import KeyPath, entry_in
from brewer.yaml_tree import Mapping
from runtime.diagnostics import Place, did_you_mean

_PLACE = re.compile(r"(.+?):([0-9]{1,9})(?::[0-9]{1,9})?\Z")


def place_in(asked: str) -> tuple[str, int] | None:
    """File and line, where what is asked for is a place."""
    match = _PLACE.match(asked)
    return (match[1], int(match[2])) if match else None


def answer_by_place(file: str, number: int, origins: Origins) -> Answer:
    """The lines that belong to a line.

    Raises: DiagnosticsError where there is no such line, or nothing comes from such a file.
    """
    path = _existing(file, origins)
    project = origins.project
    shown = project.relative(path)
    folder = next((each for each in project.template_folders if path.is_relative_to(each)), None)
    is_definition = path == project.vocabulary or path.is_relative_to(project.definitions)
    if shown not in origins.files and folder is None and not is_definition:
        message = f'"{file}" is no file that brewer writes, no template and no definition'
        raise mistake("D089", message, did_you_mean(shown, origins.files))
    lines = path.read_text(encoding="utf-8").splitlines()
    if not 0 < number <= len(lines):
        raise mistake("D089", f"{shown} has no line {number}", f"its last line is {len(lines)}")
    if not lines[number - 1].strip():
        raise mistake("D089", f"{shown}:{number} is an empty line", "ask for one with text")
    if shown in origins.files:
        return _at_generated(path, shown, number, origins)
    if folder:
        here = TemplateLine(path.relative_to(folder).as_posix(), number)
        written = (origin for found in origins.files.values() for origin in found if here in origin.templates)
        return Answer(f"{shown}:{number}", (), tuple(written))
    return _at_definition(path, shown, number, origins)


def _existing(file: str, origins: Origins) -> Path:
    """The file, whose name is given from the current directory or from the root of the project."""
    project = origins.project
    for path in (Path(file), project.root / file, *(folder / file for folder in project.template_folders)):
        if path.is_file():
            return Path(os.path.abspath(path))
    known = [*origins.files, *origins.trees.definitions]
    known += [f"templates/{path.name}" for folder in project.template_folders for path in sorted(folder.glob("*.j2"))]
    raise mistake("D089", f'there is no file "{file}"', did_you_mean(file, known))


def _at_generated(path: Path, shown: str, number: int, origins: Origins) -> Answer:
    lines = origins.files[shown]
    if path.read_text(encoding="utf-8") != "\n".join(line.text for line in lines):
        message = f"{shown} is not up to date, so its lines come from nowhere"
        raise mistake("D089", message, "run `python -m brewer` first")
    found = lines[number - 1]
    definition = (line_of(found.place),) if found.place and found.text.strip() else ()
    return Answer(f"{shown}:{number}", definition, (found,))


def _at_definition(path: Path, shown: str, number: int, origins: Origins) -> Answer:
    """The lines that come from the key at a line, and from what stands below it."""
    known = origins.trees.definitions.get(shown)
    tree = known.header.tree if known else origins.trees.read(path)
    keys = _deepest_at(tree, number)
    entry = entry_in(tree, keys)
    if entry is None:
        help = "it is a comment, from which nothing comes"
        raise mistake("D089", f"{shown}:{number} stands above the first key", help)
    own, around = _lines_of(tree, keys, path, origins), keys
    while not own and len(around) > 1:
        around = around[:-1]
        own = _lines_of(tree, around, path, origins)
    title, holder = f"{shown}:{number}, {'.'.join(keys)}", ".".join(around) if own and around != keys else ""
    return Answer(title, (Line(path, entry.place.line),), own, around=holder)


def _lines_of(tree: Mapping, keys: KeyPath, path: Path, origins: Origins) -> tuple[Origin, ...]:
    places = {(place.line, place.column) for place in _places(tree, keys)}
    lines = (origin for found in origins.files.values() for origin in found if origin.text.strip())
    own = (o for o in lines if o.place and Path(o.place.file) == path and (o.place.line, o.place.column) in places)
    return tuple(own)


def _deepest_at(tree: Mapping, number: int) -> KeyPath:
    """The outermost key that starts on the line, or the innermost that starts above it and holds it."""
    keys: KeyPath = ()
    within: object = tree
    while isinstance(within, Mapping):
        above = [entry for entry in within if entry.place.line <= number]
        if not above:
            break
        on_line = [entry for entry in above if entry.place.line == number]
        keys = (*keys, (on_line or above[-1:])[0].name)
        within = None if on_line else above[-1].value
    return keys


def _places(tree: Mapping, keys: KeyPath) -> Iterator[Place]:
    entry = entry_in(tree, keys)
    assert entry is not None
    yield entry.place
    if isinstance(entry.value, Mapping):
        for inner in entry.value:
            yield from _places(tree, (*keys, inner.name))
