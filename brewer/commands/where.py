"""Finds the lines that belong together: of a definition, of the templates, of the generated code.

  brewer where TensorCopyOp                      a definition: every part of its class
  brewer where TensorCopyOp.src                  an operand or attribute, wherever it shows
  brewer where TensorCopyOp.src.dtypes           a key of it
  brewer where TensorCopyOp.serialize            a method, or any other part of the class
  brewer where TensorCopyOp.INFO.engines
  brewer where generated/neuron/TensorCopyOpGen.py:78      what a generated line comes from
  brewer where templates/properties.j2:6                   what a template line has written
  brewer where defs/neuron/TensorCopyOp.yaml:21            what comes from a key

A name may have its dialect, `neuron/TensorCopyOp`, or be that of the class or the mnemonic. The numbers of generated
lines are those after the next `python -m brewer`, should generated/ not be up to date.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from brewer.load import load
from brewer.origins.answers import Answer, Line, template_path
from brewer.origins.by_name import answer_by_name
from brewer.origins.by_place import answer_by_place, place_in
from brewer.origins.lines import Origin, Origins
from brewer.origins.traced import TemplateLine
from brewer.project import Project
from brewer.python_sources import text_of
from brewer.report import say

_WIDTH = 72  # characters of a line that are shown beside its origin


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", metavar="NAME[.PART] | FILE:LINE", help="what to look for")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(project: Project, options: argparse.Namespace) -> int:
    """Prints the lines of one answer."""
    origins = Origins(project, load(project))
    place = place_in(options.what)
    answer = answer_by_place(*place, origins) if place else answer_by_name(options.what, origins)
    if options.json:
        say([json.dumps(_json(answer, project), indent=2)], sys.stdout)
    else:
        say(_lines(answer, project), sys.stdout)
    return 0


def _lines(answer: Answer, project: Project) -> list[str]:
    lines = [answer.title]
    for title, found in (("definition", answer.definition), ("written by hand", answer.hand_written)):
        if found:
            rows = ((f"  {project.relative(line.path)}:{line.number}", _text(line.path, line.number)) for line in found)
            lines += ["", title, *_table(rows)]
    if answer.whole:
        return [*lines, "", *_parts(answer, project)]
    if answer.around:
        lines += ["", f"no line is written by it alone; these are those of `{answer.around}` around it"]
    if len(answer.generated) == 1:
        return [*lines, *_one(answer.generated[0], project)]
    for file, group in groupby(answer.generated, key=lambda origin: origin.file):
        shown = ((f"  {o.number:4}  {_cut(o.text)}", _templates(o, project)) for o in group if o.text.strip())
        lines += ["", f"generated, in {file}", *_table(shown)]
    nothing = "no line is written by it alone; what it includes, places or decides has lines of its own"
    return lines if answer.generated or answer.hand_written else [*lines, "", nothing]


def _one(origin: Origin, project: Project) -> Iterator[str]:
    """A generated line, with the text of the template lines that wrote it."""
    yield from ("", "templates")
    templates = ((template_path(source.template, project), source.line) for source in origin.templates)
    yield from _table((f"  {project.relative(path)}:{line}", _text(path, line)) for path, line in templates)
    yield from ("", "generated", f"  {origin.file}:{origin.number}  {origin.text.strip()}")


def _parts(answer: Answer, project: Project) -> list[str]:
    """The parts of a class, a line each: where they stand, which template wrote them, which key decides."""
    (file,) = {origin.file for origin in answer.generated}
    rows = [("  lines", "part", "template", "definition")]
    rows += [
        (f"  {_range(part)}", name, _templates(part[0], project), _definition(part))
        for name, part in parts_of(answer.generated)
    ]
    return [f"generated, in {file}", *_table(rows)]


def parts_of(lines: Iterable[Origin]) -> Iterator[tuple[str, list[Origin]]]:
    """The parts of a class in order, `INFO` and the docstring as one each."""
    inside = (origin for origin in lines if origin.member)
    for name, group in groupby(inside, key=lambda origin: origin.member.partition(".")[0]):
        yield name, list(group)


def _range(part: list[Origin]) -> str:
    first, last = part[0].number, part[-1].number
    return str(first) if first == last else f"{first}-{last}"


def _definition(part: list[Origin]) -> str:
    """The keys that a part comes from, each with its line."""
    places = {".".join(o.keys[:2]): o.place for o in part if o.place and o.keys}
    shown = [f"{keys} {place.line}" for keys, place in places.items()]
    return ", ".join(shown[:4]) + (f" and {len(shown) - 4} more" if len(shown) > 4 else "")


def _templates(origin: Origin, project: Project) -> str:
    return ", ".join(f"{_template(source, project)}:{source.line}" for source in origin.templates)


def _template(source: TemplateLine, project: Project) -> str:
    return project.relative(template_path(source.template, project))


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."


def _table(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Columns side by side, the last one as long as it is."""
    listed = list(rows)
    widths = [max(len(row[column]) for row in listed) for column in range(len(listed[0]) - 1)] if listed else []
    return [
        "  ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[-1]]).rstrip() for row in listed
    ]


def _text(path: Path, number: int) -> str:
    lines = text_of(path).splitlines()
    return lines[number - 1].strip() if number <= len(lines) else ""


def _json(answer: Answer, project: Project) -> dict[str, Any]:
    return {
        "what": answer.title,
        "definition": [_line_json(line, project) for line in answer.definition],
        "written_by_hand": [_line_json(line, project) for line in answer.hand_written],
        "around": answer.around or None,
        "generated": [_origin_json(origin, project) for origin in answer.generated],
    }


def _line_json(line: Line, project: Project) -> dict[str, Any]:
    return {"file": project.relative(line.path), "line": line.number, "text": _text(line.path, line.number)}


def _origin_json(origin: Origin, project: Project) -> dict[str, Any]:
    place = origin.place
    return {
        "file": origin.file,
        "line": origin.number,
        "text": origin.text,
        "part": origin.member or None,
        "templates": [{"file": _template(source, project), "line": source.line} for source in origin.templates],
        "keys": list(origin.keys),
        "definition": {"file": project.relative(Path(place.file)), "line": place.line} if place else None,
    }
