"""The located trees of a project's definitions: with their bases merged in, every key with the place that says it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from brewer.definition_files import load_headers
from brewer.inheritance import Header, merged_trees
from brewer.problems import Problems
from brewer.project import Project
from brewer.yaml_tree import Entry, Mapping, read_tree
from runtime.diagnostics import Place

KeyPath = tuple[str, ...]  # ("operands", "src", "dtypes")


@dataclass(frozen=True)
class Located:
    """A definition as it is resolved."""

    header: Header
    tree: Mapping

    def entry(self, path: Sequence[str]) -> Entry | None:
        """What stands under a path of keys."""
        return entry_in(self.tree, path)

    def nearest(self, path: Sequence[str]) -> tuple[KeyPath, Place]:
        """The longest part of a path that is there, and its place; the name where nothing of it is."""
        for length in range(len(path), 0, -1):
            entry = self.entry(path[:length])
            if entry is not None:
                return tuple(path[:length]), entry.place
        return ("name",), self.header.name.place

    def entries(self) -> Iterator[tuple[KeyPath, Entry]]:
        """Every key with its path, in the order of the resolved definition."""
        return _entries(self.tree, ())


def entry_in(tree: Mapping, path: Sequence[str]) -> Entry | None:
    """What stands under a path of keys in any tree."""
    found: Entry | None = None
    for key in path:
        within = tree if found is None else found.value
        found = within.get(key) if isinstance(within, Mapping) else None
        if found is None:
            return None
    return found


@dataclass(frozen=True)
class Trees:
    """All definition files of a project, which were loaded without a mistake."""

    project: Project

    @cached_property
    def definitions(self) -> dict[str, Located]:
        """By file, `defs/neuron/X.yaml`, in order."""
        headers = load_headers(self.project, Problems()).headers
        table: dict[str, list[Header]] = {}
        for header in headers:
            table.setdefault(header.name.value, []).append(header)
        trees = merged_trees(headers, table)
        return {header.file: Located(header, trees[header.file]) for header in headers}

    @cached_property
    def vocabulary(self) -> Mapping:
        return self.read(self.project.vocabulary)

    def read(self, path: Path) -> Mapping:
        """The tree of any other file of definitions."""
        tree = read_tree(str(path), path.read_bytes(), Problems())
        assert tree is not None, f"{path.name} was loaded without a mistake, and cannot be read now"
        return tree


def _entries(tree: Mapping, path: KeyPath) -> Iterator[tuple[KeyPath, Entry]]:
    for entry in tree:
        here = (*path, entry.name)
        yield here, entry
        if isinstance(entry.value, Mapping):
            yield from _entries(entry.value, here)
