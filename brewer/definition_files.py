"""The files below `defs/`: which are read, and as what. One that looks like a definition is never ignored silently.

Deliberately absent: what begins with a dot. It belongs to tools, or to editors, which lock and save by such files.
"""

from __future__ import annotations

import keyword
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from brewer import vocabulary as words
from brewer.fingerprints import NO_FILE, read_file
from brewer.frozen import frozen
from brewer.inheritance import Header
from brewer.model import Text
from brewer.problems import Problems
from brewer.project import Project
from brewer.read_definition import read_header
from brewer.read_facts import FactsDocument, is_facts_document, read_facts_document
from brewer.runtime_words import check_runtime_words
from brewer.vocabulary import Vocabulary
from brewer.yaml_tree import Mapping, Scalar, read_tree
from runtime.diagnostics import Place, shown_path

LARGEST = 1 << 19
"""Bytes of the largest file that is read. Definitions have a few thousand."""
_YAML_NAME = re.compile(r".\.y[^.]*ml\Z", re.IGNORECASE)
_DIALECT = re.compile(r"[a-z][a-z0-9_]*\Z")
_TAKEN = frozenset(("vocabulary", *keyword.kwlist))  # a brewed module beside the dialects, and what cannot be imported


@frozen
class Headers:
    headers: tuple[Header, ...]  # sorted by file
    facts: tuple[FactsDocument, ...]  # sorted by file
    unread: frozenset[str]  # names, by their files, of definitions that could not be read so far


def why_no_dialect(name: str) -> str | None:
    """Why a folder of that name is none of definitions; None where it is one."""
    if _DIALECT.match(name) and name not in _TAKEN:
        return None
    reason = "a dialect is a Python package in lower case"
    if name in _TAKEN:
        reason += ", and this is " + ("that of the words" if name == "vocabulary" else "a keyword of Python")
    return reason


def load_vocabulary(project: Project, problems: Problems) -> Vocabulary | None:
    """The words that definitions may use; None after a mistake in them."""
    file = project.vocabulary
    if not os.path.lexists(file):
        help = "it lists the words that definitions may use"
        problems.error("D084", None, f"there is no file {shown_path(str(file))}", help=help)
        return None
    tree = _read_file(str(file), problems)
    ours = extended_vocabulary(project)
    vocabulary = words.read_vocabulary(tree, problems, ours) if tree else None
    if vocabulary and ours and not problems.found:
        check_runtime_words(str(file), file.read_text(encoding="utf-8"), vocabulary, ours, problems)
    return None if problems.found or vocabulary is None else replace(vocabulary, where=_where(project))


def _where(project: Project) -> str:
    """The file of the words, and where those of a repository go that has none."""
    shown = project.relative(project.vocabulary)
    if project.layout.is_foreign and project.vocabulary == Project.of_this_tool().vocabulary:
        return (
            f"{shown}, and yours in {project.layout.definitions}/vocabulary.yaml, which starts with `extends: brewer`"
        )
    return shown


def extended_vocabulary(project: Project) -> Vocabulary | None:
    """Brewer's vocabulary, beside that of another repository which has one; else None."""
    if not project.layout.is_foreign or project.vocabulary == Project.of_this_tool().vocabulary:
        return None
    ours = load_vocabulary(Project.of_this_tool(), Problems())
    assert ours is not None, "brewer's own vocabulary has no mistake"
    return ours


def load_headers(project: Project, problems: Problems, only: Iterable[str] | None = None) -> Headers:
    """The definitions and documents of facts, or only those in these files."""
    headers: list[Header] = []
    facts: list[FactsDocument] = []
    unread: set[str] = set()
    top = str(project.definitions)
    found = _files_below(top, problems) if only is None else (str(project.root / name) for name in only)
    vocabulary, root = str(project.vocabulary), f"{project.root}{os.sep}"
    for file in sorted(found, key=lambda file: file.replace(os.sep, "/")):
        if file == vocabulary:
            continue
        tree = _read_file(file, problems) if _is_in_its_place(file, project, problems) else None
        relative = file[len(root) :].replace(os.sep, "/") if file.startswith(root) else project.relative(Path(file))
        dialect = file.split(os.sep)[-2]
        if tree and is_facts_document(tree):
            facts.append(read_facts_document(dialect, relative, tree, problems))
        elif tree and (name := read_header(file, tree, problems)):
            headers.append(Header(name, dialect, relative, tree, _base_of(tree)))
        else:
            unread.add(Path(file).stem)
    return Headers(tuple(headers), tuple(facts), frozenset(unread))


def _is_in_its_place(file: str, project: Project, problems: Problems) -> bool:
    parts = file[len(str(project.definitions)) + 1 :].split(os.sep)
    if len(parts) != 2 or not file.endswith(".yaml"):
        help = f"definitions are the files {project.layout.definitions}/<dialect>/<Name>.yaml"
        problems.error("D026", Place(file, 1, 1), "nothing reads this file", help=help)
    elif reason := why_no_dialect(parts[0]):
        help = f"rename the folder: {reason}"
        problems.error("D018", Place(file, 1, 1), f'"{parts[0]}" is not a name of a dialect', help=help)
    else:
        return True
    return False


def _files_below(top: str, problems: Problems) -> Iterator[str]:
    """Whatever has the name of a YAML file, be it one or not."""
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                seen = [(entry, entry.is_symlink()) for entry in entries if not entry.name.startswith(".")]
        except OSError as error:
            problems.error("D027", Place(folder, 1, 1), f"the folder cannot be read: {error.strerror}")
            continue
        for entry, is_link in seen:
            if _YAML_NAME.search(entry.name):
                yield entry.path
            elif is_link and os.path.isdir(entry):  # unlike its like, no error for links in a circle
                help = "a folder of definitions is a real one, so that none is read twice"
                problems.error("D026", Place(entry.path, 1, 1), "nothing reads this link to a folder", help=help)
            elif not is_link and entry.is_dir():
                waiting.append(entry.path)


def _read_file(file: str, problems: Problems) -> Mapping | None:
    try:
        status = os.stat(file)
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):  # a pipe would wait for its writer
            problems.error("D027", Place(file, 1, 1), f"the file cannot be read: {NO_FILE}")
            return None
        if status.st_size > LARGEST:
            message = f"the file has {status.st_size} bytes; at most {LARGEST} are read"
            problems.error("D028", Place(file, 1, 1), message, help="one definition a file, a few thousand bytes")
            return None
        data = read_file(file)
    except OSError as error:
        problems.error("D027", Place(file, 1, 1), f"the file cannot be read: {error.strerror}")
        return None
    return read_tree(file, data, problems)


def _base_of(tree: Mapping) -> Text | None:
    entry = tree.get("base")
    if entry and isinstance(entry.value, Scalar) and isinstance(entry.value.value, str):
        return Text(entry.value.value, entry.value.place)
    return None
