"""What hand-written Python offers to definitions: classes with their members, functions by name.

It is the runtime's, and in another repository than brewer's own the modules that this one names beside it.

Read as source text. Nothing is imported, so brewing works while `generated/` is broken or absent. Most of the files are
only searched for names: parsing all of them takes as long as brewing fifty definitions.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from brewer.fingerprints import read_file
from brewer.frozen import frozen
from runtime.diagnostics import Place

ROOT_CLASS = "Instruction"  # what every base of a definition derives from


@frozen
class Modules:
    """Packages and modules of a project as they are imported; the defaults are those of brewer's own repository.

    A name stands for a module, or for all modules of a package.
    """

    package: str = "generated"  # what is brewed goes there
    bases: tuple[str, ...] = ()  # base classes beside those of the runtime
    wrappers: str = "runtime.wrappers"
    semantics: str = "runtime.semantics"
    inference: str = "runtime.infer"


_CLASS = re.compile(r"^class[ \t]+(\w+)", re.MULTILINE)
_FUNCTION = re.compile(r"^def[ \t]+([^\W_]\w*)", re.MULTILINE)


@frozen
class Parameter:
    name: str
    annotation: str
    default: str  # empty where there is none
    types: tuple[str, ...]  # the names that the annotation consists of

    @cached_property
    def text(self) -> str:
        """As it stands in a constructor."""
        return f"{self.name}: {self.annotation}" + (f" = {self.default}" if self.default else "")


@frozen
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
    def required(self) -> dict[str, int]:
        """Properties that it declares for type checkers only, with their lines: what stands on it must have them."""
        return dict(_required(self.node))

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """The slots that the class itself adds."""
        return tuple(_slots(self.node))

    @cached_property
    def init(self) -> tuple[Parameter, ...]:
        """The parameters of its constructor after self; empty where it has none of its own."""
        return tuple(_init(self.node))


@frozen
class PythonFunction:
    name: str
    parameters: tuple[str, ...]
    doc: str  # the first line of its docstring
    place: Place
    module: str  # runtime.infer


class PythonClasses(Mapping[str, PythonClass]):
    """The classes of some files by name. A file is parsed when one of its classes is asked for, and not before."""

    def __init__(self, files: Mapping[Path, str]) -> None:
        """`files` are those to search, each with the name of its module; the last of equal names counts."""
        self._modules = files
        self._files = {name: file for file in files for name in _CLASS.findall(text_of(file))}
        self._found: dict[str, PythonClass] = {}
        self._parsed: set[Path] = set()

    def __getitem__(self, name: str) -> PythonClass:
        file = self._files[name]
        if file not in self._parsed:
            self._parsed.add(file)
            self._found.update((found.name, found) for found in self._classes_of(file))
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._files if self.get(name))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def modules(self) -> dict[str, str]:
        """Name -> module, also of what only looks like a class; nothing is parsed for it."""
        return {name: self._modules[file] for name, file in self._files.items()}

    def of_module(self, module: str) -> Iterator[PythonClass]:
        """The classes of one module, by name."""
        names = sorted(name for name, file in self._files.items() if self._modules[file] == module)
        return (found for name in names if (found := self.get(name)))

    def _classes_of(self, file: Path) -> Iterator[PythonClass]:
        module = self._modules[file]
        tree = _parse(file)
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        imports = {node.name: module for node in classes} | dict(_imports(tree))
        for node in classes:
            if self._files.get(node.name) == file:
                yield PythonClass(
                    node.name,
                    module,
                    bases=tuple(_last_name(base) for base in node.bases),
                    imports=imports,
                    place=Place(str(file), node.lineno, len("class ") + 1, len(node.name)),
                    node=node,
                )


@dataclass(frozen=True)
class PythonSources:
    """The `runtime` folder, and the modules of a project beside it, read when asked."""

    root: Path  # the folder that `runtime` stands in
    modules: Modules = field(default_factory=Modules)
    python: Path | None = None  # where Python finds the modules; None: beside `runtime`
    prefix: str = ""  # this folder from the root of the project, `src/`
    _lineages: dict[str, tuple[PythonClass, ...]] = field(init=False, default_factory=dict)
    _owners: dict[str, dict[str, PythonClass]] = field(init=False, default_factory=dict)
    _texts: dict[Path, str] = field(init=False, default_factory=dict)
    _trees: dict[Path, ast.Module] = field(init=False, default_factory=dict)

    @property
    def folder(self) -> Path:
        return self.root / "runtime"

    @cached_property
    def classes(self) -> PythonClasses:
        """The classes of runtime/*.py, and of the modules with further base classes, by name."""
        return PythonClasses({**self._files_of_bases, **self._files_of_runtime})

    @cached_property
    def own_bases(self) -> PythonClasses:
        """The classes of the modules with further base classes by name."""
        return PythonClasses(self._files_of_bases)

    @cached_property
    def wrappers(self) -> PythonClasses:
        """The classes of the modules of wrappers by name."""
        return PythonClasses(self.files_of(self.modules.wrappers))

    @cached_property
    def semantics(self) -> dict[str, str]:
        """The functions that compute, by what a definition calls them, `family.function`, with their names in `INFO`.

        The two are alike for those of `runtime.semantics`; others have the whole name of their module there.
        """
        found = {}
        for function, file in self.semantics_files.items():
            prefix = self._files_of_semantics[file].removeprefix("runtime.semantics.")
            found[function] = f"{prefix}.{function.partition('.')[2]}"
        return found

    @cached_property
    def semantics_files(self) -> dict[str, Path]:
        """The files of the functions that compute."""
        files = [file for file in self._files_of_semantics if not file.stem.startswith("_")]
        return {f"{file.stem}.{name}": file for file in files for name in _FUNCTION.findall(text_of(file))}

    @cached_property
    def inference(self) -> dict[str, PythonFunction]:
        """The public functions of runtime/infer/, and of the modules with further ones, by name."""
        return {name: found for file, module in self._files_of_inference for name, found in _functions(file, module)}

    @property
    def inference_names(self) -> dict[str, str]:
        """Name -> module; nothing is parsed for it."""
        files = self._files_of_inference
        return {name: module for file, module in files for name in _FUNCTION.findall(text_of(file))}

    def files_of(self, name: str) -> dict[Path, str]:
        """The files of a module, or of all modules right in a package, with the names of these modules."""
        if not name:
            return {}
        folder = self.root if name.partition(".")[0] == "runtime" else self.python or self.root
        path = folder.joinpath(*name.split("."))
        if path.with_suffix(".py").is_file():
            return {path.with_suffix(".py"): name}
        return {file: f"{name}.{file.stem}".removesuffix(".__init__") for file in sorted(path.glob("*.py"))}

    def own_files(self) -> tuple[Path, ...]:
        """The files of the project's own modules."""
        modules = self.modules
        names = (*modules.bases, modules.wrappers, modules.semantics, modules.inference)
        return tuple(dict.fromkeys(file for name in names for file in self.files_of(name)))

    def all_files(self) -> tuple[Path, ...]:
        """Every file that is read, whether the project's own or of the runtime."""
        names = ("runtime", "runtime.semantics", *self.modules.bases, self.modules.wrappers, self.modules.semantics)
        names = (*names, "runtime.infer", self.modules.inference)
        return tuple(dict.fromkeys(file for name in names for file in self.files_of(name)))

    def where(self, setting: str) -> str:
        """Where what a setting of `[tool.brewer]` names stands, for messages: `runtime/wrappers/`."""
        name = getattr(self.modules, setting) or getattr(Modules(), setting)
        path = name.replace(".", "/") if name.startswith("runtime.") else f"{self.prefix}{name.replace('.', '/')}"
        is_module = any(module == name and file.stem != "__init__" for file, module in self.files_of(name).items())
        return f"{path}.py" if is_module else f"{path}/"

    @property
    def _files_of_runtime(self) -> dict[Path, str]:
        return self.files_of("runtime")

    @property
    def _files_of_bases(self) -> dict[Path, str]:
        return {file: module for name in self.modules.bases for file, module in self.files_of(name).items()}

    @cached_property
    def _files_of_semantics(self) -> dict[Path, str]:
        names = dict.fromkeys(("runtime.semantics", self.modules.semantics))
        return {file: module for name in names for file, module in self.files_of(name).items()}

    @property
    def _files_of_inference(self) -> list[tuple[Path, str]]:
        names = dict.fromkeys(("runtime.infer", self.modules.inference))
        return [found for name in names for found in self.files_of(name).items()]

    def text_of(self, file: Path) -> str:
        if file not in self._texts:
            self._texts[file] = text_of(file)
        return self._texts[file]

    def tree_of(self, file: Path) -> ast.Module:
        """A file as Python reads it; empty where it cannot."""
        if file not in self._trees:
            self._trees[file] = _parse(file)
        return self._trees[file]

    def takes_dst(self, name: str) -> bool:
        """Whether instructions of a runtime class write tensors: their constructor takes a `dst`."""
        init = next((found.init for found in self.lineage(name) if found.init), ())
        return any(parameter.name == "dst" for parameter in init)

    def lineage(self, name: str) -> tuple[PythonClass, ...]:
        """A class of `runtime` and all its bases of ours, nearest first."""
        if name not in self._lineages:
            self._lineages[name] = self._lineage(name)
        return self._lineages[name]

    def owners_in(self, name: str) -> Mapping[str, PythonClass]:
        """What a class of `runtime` answers to, and which class of its lineage has it; the nearest one counts."""
        if name not in self._owners:
            found = reversed(self.lineage(name))
            self._owners[name] = {member: owner for owner in found for member in owner.members}
        return self._owners[name]

    @cached_property
    def instruction_classes(self) -> tuple[str, ...]:
        """The classes that a definition may have as its base: those beside the root of all, and those of `bases`."""
        root = self.classes.get(ROOT_CLASS)
        beside = [found.name for found in self.classes.of_module(root.module)] if root else []
        return tuple(name for name in sorted({*beside, *self.own_bases}) if root in self.lineage(name))

    def _lineage(self, name: str) -> tuple[PythonClass, ...]:
        found: dict[str, PythonClass] = {}
        waiting = [name]
        while waiting:
            current = self.classes.get(waiting.pop(0))
            if current is not None and current.name not in found:
                found[current.name] = current
                waiting.extend(current.bases)
        return tuple(found.values())


def text_of(file: Path) -> str:
    """The text of a Python file; empty where it cannot be read, which a check of the files says."""
    try:
        return read_file(str(file)).decode("utf-8", errors="replace").replace("\r\n", "\n")
    except OSError:
        return ""


def _parse(file: Path) -> ast.Module:
    try:
        return ast.parse(read_file(str(file)), filename=str(file))
    except (OSError, SyntaxError, ValueError):
        return ast.Module([], [])  # other tools say what is wrong with it; here it offers nothing


def _functions(file: Path, module: str) -> Iterator[tuple[str, PythonFunction]]:
    for node in _parse(file).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield (
                node.name,
                PythonFunction(
                    node.name,
                    parameters=tuple(argument.arg for argument in node.args.args),
                    doc=(ast.get_docstring(node) or "").partition("\n")[0],
                    place=Place(str(file), node.lineno, len("def ") + 1, len(node.name)),
                    module=module,
                ),
            )


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


def _required(node: ast.ClassDef) -> Iterator[tuple[str, int]]:
    for guarded in node.body:
        match guarded:
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                for statement in guarded.body:
                    match statement:
                        case ast.FunctionDef(decorator_list=[ast.Name(id="property")]):
                            yield statement.name, statement.lineno


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
