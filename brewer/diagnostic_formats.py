"""Diagnostics for people, for programs, and for the annotations of a GitHub workflow.

Deliberately absent: where they are printed. All forms go to standard error, so that standard output holds results only.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from runtime.diagnostics import Diagnostic, Place, render_all, shown_path

FORMATS = ("text", "json", "github")


def formatted(diagnostics: Sequence[Diagnostic], format: str) -> str:
    """All diagnostics in one of the forms; `json` is one object, `github` a line each."""
    if format == "json":
        return json.dumps({"diagnostics": [_as_json(found) for found in diagnostics]}, indent=2)
    if format == "github":
        return "\n".join(_as_command(found) for found in diagnostics)
    return render_all(diagnostics)


def _as_json(found: Diagnostic) -> dict[str, object]:
    return {
        "code": found.code,
        "severity": found.severity,
        "message": found.message,
        **_place_as_json(found.place),
        "help": found.help,
        "notes": [{"message": note.message, **_place_as_json(note.place)} for note in found.notes],
    }


def _place_as_json(place: Place | None) -> dict[str, object]:
    """Lines and columns count from 1, in characters; null where there is no place."""
    if place is None:
        return dict.fromkeys(("file", "line", "column", "length"))
    return {"file": shown_path(place.file), "line": place.line, "column": place.column, "length": place.length}


def _as_command(found: Diagnostic) -> str:
    """A workflow command, `::error file=...,line=...::text`, in one line."""
    values: dict[str, str] = {}
    if found.place:
        place = found.place
        values = {"file": shown_path(place.file), "line": str(place.line), "col": str(place.column)}
        if place.length > 1:
            values["endColumn"] = str(place.column + place.length)
    values["title"] = found.code
    lines = [found.message, *([f"help: {found.help}"] if found.help else []), *(note.render() for note in found.notes)]
    properties = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in values.items())
    return f"::{found.severity} {properties}::{_escaped(chr(10).join(lines))}"


def _escaped(text: str, more: str = "") -> str:
    """Percent signs, line ends and the given characters as GitHub's runner wants them."""
    return "".join(f"%{ord(c):02X}" if c in "%\r\n" + more else c for c in text)
