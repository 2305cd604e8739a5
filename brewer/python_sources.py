"""What hand-written Python of the project offers to definitions: classes with their members, functions by name.

Read as source text. Nothing is imported, so brewing works while `generated/` is broken or absent.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from runtime.diagnostics import Place

ROOT_CLASS = "Instruction"  # what every base of a definition derives from


@dataclass(frozen=True)
class Parameter:
    name: str
    annotation: str
    default: str  # empty where there is none
    types: tuple[str, ...]  # the names that the annotation consists of


@dataclass(frozen=True)
class PythonClass:
    name: str
    module: str  # runtime.instructions
    bases: tuple[str, ...]
    imports: dict[str, str]  # what the module imports: name -> module
    place: Place
    node: ast.ClassDef  # read further only where a definition needs the class

    @cached_property
    def members(self) -> dict[str, int]:
        """Everything that instances and the class answer to, with the line where it stands."""
        return dict(_members(self.node))

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """The slots that the class itself adds."""
        return tuple(_slots(self.node))

    @cached_property
    def init(self) -> tuple[Parameter, ...]:
        """The parameters of its constructor after self; empty where it has none of its own."""
        return tuple(_init(self.node))


@dataclass(frozen=True)
class PythonFunction:
    name: str
    parameters: tuple[str, ...]
    doc: str  # the first line of its docstring
    place: Place


@dataclass(frozen=True)
class PythonSources:
    """The `runtime` folder of a project, read when asked."""

    root: Path
    folder: Path = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", self.root / "runtime")

    @cached_property
    def classes(self) -> dict[str, PythonClass]:
        """The classes of runtime/*.py by name."""
        return {found.name: found for file in sorted(self.folder.glob("*.py")) for found in self._classes_of(file)}

    @cached_property
    def wrappers(self) -> dict[str, PythonClass]:
        """The classes of runtime/wrappers/*.py by name."""
        files = sorted((self.folder / "wrappers").glob("*.py"))
        return {found.name: found for file in files for found in self._classes_of(file)}

    @cached_property
    def semantics(self) -> frozenset[str]:
        """The public functions of runtime/semantics/*.py, each as `family.function`."""
        files = sorted((self.folder / "semantics").glob("[!_]*.py"))
        return frozenset(f"{file.stem}.{name}" for file in files for name in _functions(file))

    @cached_property
    def inference(self) -> dict[str, PythonFunction]:
        """The public functions of runtime/infer.py by name."""
        return _functions(self.folder / "infer.py")

    def lineage(self, name: str) -> tuple[PythonClass, ...]:
        """A class of `runtime` and all its bases of ours, nearest first."""
        found: dict[str, PythonClass] = {}
        waiting = [name]
        while waiting:
            current = self.classes.get(waiting.pop(0))
            if current is not None and current.name not in found:
                found[current.name] = current
                waiting.extend(current.bases)
        return tuple(found.values())

    @cached_property
    def instruction_classes(self) -> tuple[str, ...]:
        """The names of the runtime classes that a definition may have as its base: those beside the root of all."""
        root = self.classes.get(ROOT_CLASS)
        beside = [name for name, found in sorted(self.classes.items()) if root and found.module == root.module]
        return tuple(name for name in beside if root in self.lineage(name))

    def _classes_of(self, file: Path) -> Iterator[PythonClass]:
        module = ".".join(file.relative_to(self.root).with_suffix("").parts)
        tree = _parse(file)
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        imports = {node.name: module for node in classes} | dict(_imports(tree))
        for node in classes:
            yield PythonClass(
                node.name,
                module,
                bases=tuple(_last_name(base) for base in node.bases),
                imports=imports,
                place=Place(str(file), node.lineno, len("class ") + 1, len(node.name)),
                node=node,
            )


def _parse(file: Path) -> ast.Module:
    try:
        return ast.parse(file.read_bytes(), filename=str(file))
    except (OSError, SyntaxError, ValueError):
        return ast.Module([], [])  # other tools say what is wrong with it; here it offers nothing


def _functions(file: Path) -> dict[str, PythonFunction]:
    functions = (node for node in _parse(file).body if isinstance(node, ast.FunctionDef))
    return {
        node.name: PythonFunction(
            node.name,
            parameters=tuple(argument.arg for argument in node.args.args),
            doc=(ast.get_docstring(node) or "").partition("\n")[0],
            place=Place(str(file), node.lineno, len("def ") + 1, len(node.name)),
        )
        for node in functions
        if not node.name.startswith("_")
    }


def _members(node: ast.ClassDef) -> Iterator[tuple[str, int]]:
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


def _slots(node: ast.ClassDef) -> Iterator[str]:
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="__slots__")]):
                yield from _texts(statement.value)


def _init(node: ast.ClassDef) -> Iterator[Parameter]:
    function = next((f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "__init__"), None)
    if function is None:
        return
    arguments = function.args.args[1:]
    defaults = [None] * (len(arguments) - len(function.args.defaults)) + list(function.args.defaults)
    for argument, default in zip(arguments, defaults, strict=True):
        annotation = argument.annotation or ast.Name("object")
        types = tuple(part.id for part in ast.walk(annotation) if isinstance(part, ast.Name))
        yield Parameter(argument.arg, ast.unparse(annotation), ast.unparse(default) if default else "", types)


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    guarded = [inner for node in tree.body if isinstance(node, ast.If) for inner in node.body]  # for type checkers
    for node in (*tree.body, *guarded):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((alias.asname or alias.name, node.module) for alias in node.names)


def _assigned_to_self(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, int]]:
    for node in ast.walk(function):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), ctx=ast.Store()):
                yield node.attr, node.lineno


def _texts(node: ast.expr) -> list[str]:
    return [item.value for item in ast.walk(node) if isinstance(item, ast.Constant) and isinstance(item.value, str)]


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript):
        return _last_name(node.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
