"""What went wrong in templates. A mistake in one shows wherever it is used, and is said once."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jinja2
from jinja2.utils import missing

from brewer.problems import Problems
from runtime.diagnostics import Note, Place, did_you_mean


class UnknownName(jinja2.UndefinedError):
    """A template names what its views do not have."""

    def __init__(self, message: str | None = None) -> None:
        said, _, self.help = (message or "").partition("\n")
        super().__init__(said)


class Unknown(jinja2.StrictUndefined):
    """What a template gets for an unknown name; any use of it is a mistake, said in the words of views."""

    __slots__ = ()

    def __init__(self, hint: str | None = None, obj: Any = missing, name: str | None = None, *_: Any) -> None:
        super().__init__(hint, obj, name, UnknownName)

    @property
    def _undefined_message(self) -> str:
        name = self._undefined_name
        if self._undefined_obj is missing:
            return f'nothing is called "{name}" here'
        known = [word for word in dir(self._undefined_obj) if not word.startswith("_")]
        return f'{type(self._undefined_obj).__name__} has no "{name}"\n{did_you_mean(str(name), known)}'


@dataclass(frozen=True, slots=True)
class _Fault:
    place: Place
    message: str
    help: str


@dataclass(frozen=True, slots=True)
class TemplateFaults:
    """Collects the faults of a run, each with the files that were being rendered."""

    templates: Path
    found: dict[_Fault, list[str]] = field(default_factory=dict)
    not_python: dict[str, list[str]] = field(default_factory=dict)

    def add(self, error: Exception, template: str, subject: str) -> None:
        """`template` is the one that was asked for, which may include the faulty one; `subject` what it was for."""
        file, line = self._where(error, template)
        message = getattr(error, "message", None) or f"{type(error).__name__}: {error}"
        help = error.help if isinstance(error, UnknownName) else ""
        fault = _Fault(_stretch(file, line, message), message, help)
        self.found.setdefault(fault, []).append(subject)

    def add_not_python(self, error: SyntaxError, subject: str) -> None:
        """What was rendered for `subject` is not Python."""
        self.not_python.setdefault(f"{error.msg}, in `{(error.text or '').strip()}`", []).append(subject)

    def report(self, root: Path, problems: Problems) -> None:
        for fault, subjects in self.found.items():
            problems.add_source(fault.place.file, _text_of(fault.place.file))
            message = f"the template failed: {fault.message}"
            problems.error("D080", fault.place, message, help=fault.help, notes=[_seen_for(subjects)])
        for message, subjects in self.not_python.items():
            place = Place(str(root / subjects[0]), 1, 1)
            whole = f"what was rendered for this is not Python: {message}"
            problems.error("D081", place, whole, notes=[_seen_for(subjects)] if len(subjects) > 1 else [])

    def _where(self, error: Exception, template: str) -> tuple[str, int]:
        """The innermost frame that is a template, or what a syntax error says."""
        found = (str(self.templates / template), 1)
        if isinstance(error, jinja2.TemplateSyntaxError):
            return error.filename or found[0], error.lineno
        traceback = error.__traceback__
        while traceback:
            file = traceback.tb_frame.f_code.co_filename
            found = (file, traceback.tb_lineno) if file.endswith(".j2") else found
            traceback = traceback.tb_next
        return found


def _seen_for(subjects: list[str]) -> Note:
    more = f", and for {len(subjects) - 1} more" if len(subjects) > 1 else ""
    return Note(f"first seen for {subjects[0]}{more}")


def _stretch(file: str, line: int, message: str) -> Place:
    """The name that the message ends with, where it stands on the line; else the whole line."""
    lines = _text_of(file).split("\n")
    source = lines[line - 1].rstrip() if 0 < line <= len(lines) else ""
    name = re.search(r'"(\w+)"', message)
    match = re.search(rf"[\w.]*\b{name.group(1)}\b", source) if name else None
    if match:
        return Place(file, line, match.start() + 1, len(match.group()))
    indent = len(source) - len(source.lstrip())
    return Place(file, line, indent + 1, len(source) - indent)


def _text_of(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
