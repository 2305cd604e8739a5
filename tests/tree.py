"""What the whole-tree tests know about the tree: its root, its files, its modules and what each of them imports.

What somebody keeps beside the project, at the top of the tree, is no part of it: there, git says what is tracked. In
the project's folders every file counts, tracked yet or not. The tests must pass in an unpacked archive too, so without
git everything counts, and ignored files are found by reading .gitignore, whose entries are plain names or globs that
are matched against every part of a path.
"""

import ast
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

CODE_FOLDERS = ("bench", "brewer", "frontends", "generated", "passes", "runtime", "tests")
"""The folders that may hold Python modules; also the first-party names for ruff's isort rules."""

SHIPPED_FOLDERS = ("brewer", "frontends", "generated", "passes", "runtime")
"""The folders whose modules are in the wheel."""


@dataclass(frozen=True, order=True)
class Import:
    """One import statement's target, at the place where it stands."""

    module: str
    """Dotted name of what is imported; for `from a import b`, `a.b` where that is a module of ours, else `a`."""
    line: int
    type_checking_only: bool


@dataclass(frozen=True)
class Module:
    """One Python file of the tree."""

    name: str
    path: Path

    @property
    def place(self) -> str:
        """The path as it stands in messages: from the root, with forward slashes."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def package(self) -> str:
        """The package that a relative import in this module starts from."""
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]


@cache
def ignored_names() -> tuple[str, ...]:
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    return (".git", *(line.strip() for line in lines if line.strip() and not line.startswith("#")))


def is_ignored(name: str) -> bool:
    return any(fnmatch(name, pattern) for pattern in ignored_names())


def top_level_names(root: Path = ROOT) -> list[str]:
    """What stands at the top of the tree and belongs to the project."""
    tracked = _tracked_names(root)
    names = sorted(path.name for path in root.iterdir() if not is_ignored(path.name))
    return [name for name in names if not tracked or name in tracked]


@cache
def files() -> tuple[Path, ...]:
    """All files of the project that are not ignored, sorted."""
    tops = set(top_level_names())
    return tuple(path for path in _files_under(ROOT) if path.relative_to(ROOT).parts[0] in tops)


@cache
def modules() -> tuple[Module, ...]:
    """All Python modules of the tree, sorted by path."""
    found = []
    for path in files():
        parts = path.relative_to(ROOT).with_suffix("").parts
        if path.suffix == ".py" and parts[0] in CODE_FOLDERS:
            found.append(Module(".".join(parts[:-1] if parts[-1] == "__init__" else parts), path))
    return tuple(found)


@cache
def imports_of(module: Module) -> tuple[Import, ...]:
    """Every import of a module, inside functions too, and `import_module` calls with a literal name; sorted."""
    syntax = ast.parse(module.path.read_text(encoding="utf-8"), filename=module.place)
    return tuple(sorted(set(_imports_below(syntax, module, type_checking_only=False))))


@cache
def module_names() -> frozenset[str]:
    return frozenset(module.name for module in modules())


def _tracked_names(root: Path) -> frozenset[str]:
    """What git tracks at the top of a tree; nothing where there is no git, or the tree is none of its own."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    except OSError:
        return frozenset()
    return frozenset(name.partition("/")[0] for name in done.stdout.split("\0") if name)


def _files_under(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if is_ignored(path.name) or path.is_symlink():
            continue
        if path.is_dir():
            yield from _files_under(path)
        else:
            yield path


def _imports_below(node: ast.AST, module: Module, *, type_checking_only: bool) -> Iterator[Import]:
    for name in _names_imported_by(node, module):
        yield Import(name, getattr(node, "lineno", 1), type_checking_only)
    guarded = node.body if isinstance(node, ast.If) and _is_type_checking(node.test) else []
    for child in ast.iter_child_nodes(node):
        yield from _imports_below(child, module, type_checking_only=type_checking_only or child in guarded)


def _names_imported_by(node: ast.AST, module: Module) -> list[str]:
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom():
            source = _absolute_source(node, module)
            candidates = [f"{source}.{alias.name}" for alias in node.names]
            return [candidate if candidate in module_names() else source for candidate in candidates]
        case ast.Call(
            func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            return [name]
    return []


def _absolute_source(node: ast.ImportFrom, module: Module) -> str:
    if not node.level:
        assert node.module is not None, "an absolute `from` import names its module"
        return node.module
    parts = module.package.split(".")
    base = parts[: len(parts) - (node.level - 1)]
    return ".".join([*base, *([node.module] if node.module else [])])


def _is_type_checking(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )
