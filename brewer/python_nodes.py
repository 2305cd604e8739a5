"""What syntax trees of hand-written Python say of its classes: members, slots, imports.

Deliberately absent: files, and what is made of it (brewer/python_sources.py).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator


def members(node: ast.ClassDef) -> Iterator[tuple[str, int]]:
    """Methods, class variables, slots, constructor parameters and what methods assign to self."""
    for statement in node.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield statement.name, statement.lineno
            yield from _assigned_to_self(statement)
            if statement.name == "__init__":
                arguments = statement.args
                yield from ((a.arg, a.lineno) for a in (*arguments.args[1:], *arguments.kwonlyargs))
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id, statement.lineno
        elif isinstance(statement, ast.Assign):
            names = [target.id for target in statement.targets if isinstance(target, ast.Name)]
            yield from ((name, statement.lineno) for name in names)
            if "__slots__" in names:
                yield from ((name, statement.lineno) for name in _texts(statement.value))


def required(node: ast.ClassDef) -> Iterator[tuple[str, int]]:
    """Properties that stand below `if TYPE_CHECKING`."""
    for guarded in node.body:
        match guarded:
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                for statement in guarded.body:
                    match statement:
                        case ast.FunctionDef(decorator_list=[ast.Name(id="property")]):
                            yield statement.name, statement.lineno


def slots(node: ast.ClassDef) -> Iterator[str]:
    """The names in `__slots__`."""
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="__slots__")]):
                yield from _texts(statement.value)


def imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """What a module imports by name, with the modules; what is there for type checkers only, too."""
    guarded = [inner for node in tree.body if isinstance(node, ast.If) for inner in node.body]  # for type checkers
    for node in (*tree.body, *guarded):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((alias.asname or alias.name, node.module) for alias in node.names)


def _assigned_to_self(function: ast.AST) -> Iterator[tuple[str, int]]:
    """What statements assign to, a tenth of all nodes; a comprehension that assigns to an attribute is left out."""
    for field in _WITH_STATEMENTS:
        for inner in getattr(function, field, ()):
            yield from _assigned_to_self(inner)
    for field in _WITH_TARGETS:
        found = getattr(function, field, None)
        for target in found if isinstance(found, list) else [found] if found else []:
            yield from _attributes_of_self(target)


_WITH_STATEMENTS = ("body", "orelse", "finalbody", "handlers", "cases")
_WITH_TARGETS = ("target", "targets", "items")


def _attributes_of_self(target: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(target):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), ctx=ast.Store()):
                yield node.attr, node.lineno


def _texts(node: ast.expr) -> list[str]:
    return [item.value for item in ast.walk(node) if isinstance(item, ast.Constant) and isinstance(item.value, str)]


def last_name(node: ast.expr) -> str:
    """The name of a base class without what stands before its dots and in its brackets."""
    if isinstance(node, ast.Subscript):
        return last_name(node.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
