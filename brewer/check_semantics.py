"""What the functions that compute read of their instruction: a field that was renamed leaves its old name behind.

Only reads through the first parameter count, `inst.scale`, and only in a function of which it is certain what that
parameter is. Deliberately absent: what other functions do with the instruction that they are handed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from brewer.check_wrappers import has_members_from_elsewhere, members_below, report_in_python
from brewer.frozen import frozen
from brewer.model import Definition
from brewer.problems import Problems
from brewer.python_sources import PythonSources
from runtime.diagnostics import Note, Place, did_you_mean

_SHOWN = 3  # definitions that a function computes, in notes
_ASKING = frozenset(("callable", "getattr", "hasattr", "isinstance", "setattr", "type", "vars"))


@frozen
class _Read:
    """A member that no instance of a definition has."""

    place: Place
    name: str
    function: str
    definition: Definition
    known: frozenset[str]


def check_semantics(chains: Iterable[Sequence[Definition]], sources: PythonSources, problems: Problems) -> None:
    """Reports each such read once, whatever the number of definitions that name the function.

    `chains` are definitions, each with those that it stands on, nearest first.
    """
    found = [read for chain in chains for read in _unknown_reads(chain, sources)]
    found.sort(key=lambda read: (read.place, read.definition.file))
    for place, group in groupby(found, key=lambda read: read.place):
        reads = list(group)
        first = reads[0]
        message = f'"{first.function}" reads "{first.name}", which {first.definition.name}Gen does not have'
        notes = [Note(f'it computes "{r.definition.name}"', r.definition.name.place) for r in reads[:_SHOWN]]
        notes += [Note(f"and {len(reads) - _SHOWN} more definitions")] * (len(reads) > _SHOWN)
        report_in_python("D066", place, message, did_you_mean(first.name, first.known), notes, problems)


def _unknown_reads(chain: Sequence[Definition], sources: PythonSources) -> Iterator[_Read]:
    definition = chain[0]
    named = definition.semantics
    file = sources.semantics_files.get(named.value) if named else None
    if named is None or file is None or not definition.says(named) or not definition.fields_are_known:
        return
    function = named.value.rpartition(".")[2]
    text = sources.text_of(file)
    known = members_below(chain, sources, with_own_wrapper=True)
    if not _may_read_others(text, function, known) or has_members_from_elsewhere(chain, sources):
        return
    node = next((n for n in sources.tree_of(file).body if isinstance(n, ast.FunctionDef) and n.name == function), None)
    if node is None or not node.args.args or _is_uncertain(node, node.args.args[0].arg):
        return
    for name, line, column in _reads(node, node.args.args[0].arg):
        if name not in known and not hasattr(object, name):
            yield _Read(Place(str(file), line, column + 1), name, function, definition, known)


def _may_read_others(text: str, function: str, known: frozenset[str]) -> bool:
    """Whether parsing is worth its time: whether any name behind the parameter and a dot is none that is known."""
    start = re.search(rf"^def {function}\((\w+)[^\n]*\n(?:[ \t)][^\n]*\n|\n|#[^\n]*\n)*", text + "\n", re.MULTILINE)
    if start is None:
        return True
    return any(name not in known for name in re.findall(rf"\b{start[1]}\s*\.\s*(\w+)", start[0]))


def _reads(function: ast.FunctionDef, parameter: str) -> Iterator[tuple[str, int, int]]:
    for node in ast.walk(function):
        match node:
            case ast.Attribute(value=ast.Name(id=name)) if name == parameter:
                yield node.attr, node.lineno, node.col_offset


def _is_uncertain(function: ast.FunctionDef, parameter: str) -> bool:
    """Whether the parameter may be something else somewhere, or the function asks what it is before it reads."""
    for node in ast.walk(function):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) if name == parameter:
                return True
            case ast.arg(arg=name) if name == parameter and node is not function.args.args[0]:
                return True
            case ast.Call(func=ast.Name(id=asked), args=[ast.Name(id=name), *_]) if asked in _ASKING:
                if name == parameter:
                    return True
            case ast.Match() | ast.ExceptHandler(type=ast.Name(id="AttributeError")):
                return True
            case ast.Attribute(value=ast.Name(id=name), attr="INFO" | "__class__") if name == parameter:
                return True
    return False
