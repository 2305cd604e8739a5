"""The files below `defs/`: which are read, and as what. One that looks like a definition is never ignored silently."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from brewer import vocabulary as words
from brewer.inheritance import Header
from brewer.model import Text
from brewer.problems import Problems
from brewer.project import Project
from brewer.read_definition import read_header
from brewer.read_facts import FactsDocument, is_facts_document, read_facts_document
from brewer.vocabulary import Vocabulary
from brewer.yaml_tree import Mapping, Scalar, read_tree
from runtime.diagnostics import Place, shown_path

_DIALECT = re.compile(r"[a-z][a-z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class Headers:
    headers: tuple[Header, ...]  # sorted by file
    facts: tuple[FactsDocument, ...]  # sorted by file
    unread: frozenset[str]  # names, by their files, of definitions that could not be read so far


def load_vocabulary(project: Project, problems: Problems) -> Vocabulary | None:
    """The words that definitions may use; None after a mistake in them."""
    file = project.root / words.FILE
    if not file.is_file():
        help = "it lists the words that definitions may use"
        problems.error("D084", None, f"there is no file {shown_path(str(file))}", help=help)
        return None
    tree = _read_file(file, problems)
    vocabulary = words.read_vocabulary(tree, problems) if tree else None
    return None if problems.found else vocabulary


def load_headers(project: Project, problems: Problems) -> Headers:
    headers: list[Header] = []
    facts: list[FactsDocument] = []
    unread: set[str] = set()
    for path in sorted(project.definitions.rglob("*.y*ml"), key=lambda path: path.as_posix()):
        relative = project.relative(path)
        if relative == words.FILE:
            continue
        tree = _read_file(path, problems) if _is_in_its_place(path, relative, problems) else None
        if tree and is_facts_document(tree):
            facts.append(read_facts_document(path.parent.name, relative, tree, problems))
        elif tree and (name := read_header(str(path), tree, problems)):
            headers.append(Header(name, path.parent.name, relative, tree, _base_of(tree)))
        else:
            unread.add(path.stem)
    return Headers(tuple(headers), tuple(facts), frozenset(unread))


def _is_in_its_place(path: Path, relative: str, problems: Problems) -> bool:
    parts = relative.split("/")
    if len(parts) != 3 or path.suffix != ".yaml":
        help = "definitions are the files defs/<dialect>/<Name>.yaml"
        problems.error("D026", Place(str(path), 1, 1), "nothing reads this file", help=help)
    elif not _DIALECT.match(parts[1]):
        help = "rename the folder: a dialect is a Python package in lower case"
        problems.error("D018", Place(str(path), 1, 1), f'"{parts[1]}" is not a name of a dialect', help=help)
    else:
        return True
    return False


def _read_file(path: Path, problems: Problems) -> Mapping | None:
    try:
        data = path.read_bytes()
    except OSError as error:
        problems.error("D027", Place(str(path), 1, 1), f"the file cannot be read: {error.strerror}")
        return None
    return read_tree(str(path), data, problems)


def _base_of(tree: Mapping) -> Text | None:
    entry = tree.get("base")
    if entry and isinstance(entry.value, Scalar) and isinstance(entry.value.value, str):
        return Text(entry.value.value, entry.value.place)
    return None
