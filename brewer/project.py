"""Where a project's folders are: those of brewer's own repository, or of another one, by its `[tool.brewer]`."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path

from brewer.frozen import frozen
from brewer.places import Places
from brewer.python_sources import Modules, PythonSources

_TOOL = Path(__file__).resolve().parent.parent
SETTINGS_FILE = "pyproject.toml"
_VOCABULARY = "vocabulary.yaml"


@frozen
class Layout:
    """The parts of a project, from its root; the defaults are those of brewer's own repository."""

    definitions: str = "defs"
    templates: str = "templates"  # laid over those of brewer; empty: there are none
    vocabulary: str = ""  # empty: the file beside the dialects if there is one, else the one of brewer
    python: str = "."  # the folder in which Python finds the project's packages
    modules: Modules = Modules()
    settings: str = ""  # the digest of the file that says all this
    is_foreign: bool = False  # whether `runtime` is that of the installed brewer, not a folder of the project


@frozen
class Project:
    root: Path
    layout: Layout = Layout()

    @classmethod
    def of_this_tool(cls) -> Project:
        """The project that the running brewer stands in: `defs/` and `templates/` lie beside the package."""
        return cls(_TOOL)

    def at(self, root: Path) -> Project:
        """The same project in another folder, such as one for an older state of it."""
        return replace(self, root=root)

    @cached_property
    def definitions(self) -> Path:
        return self.root / self.layout.definitions

    @property
    def vocabulary(self) -> Path:
        """The file of the words. Another repository that has none uses brewer's."""
        if self.layout.vocabulary:
            return self.root / self.layout.vocabulary
        own = self.definitions / _VOCABULARY
        return own if own.is_file() or not self.layout.is_foreign else _TOOL / "defs" / _VOCABULARY

    @property
    def templates(self) -> Path:
        return self.template_folders[0]

    @property
    def template_folders(self) -> tuple[Path, ...]:
        """Where templates are looked for: one in the project replaces that of brewer with the same name."""
        own = (self.root / self.layout.templates,) if self.layout.templates else ()
        return (*own, _TOOL / "templates") if self.layout.is_foreign else own

    @property
    def package(self) -> str:
        """How the package of the brewed modules is imported."""
        return self.layout.modules.package

    @cached_property
    def generated(self) -> Path:
        return self.root / self.layout.python / self.package.replace(".", "/")

    @cached_property
    def output(self) -> str:
        """The folder of the brewed modules, as paths in plans and messages begin: `generated`."""
        return self.relative(self.generated)

    @cached_property
    def sources(self) -> PythonSources:
        if not self.layout.is_foreign:
            return PythonSources(self.root)
        return PythonSources(_TOOL, self.layout.modules, self.root / self.layout.python, self._python_prefix)

    @property
    def read_from(self) -> tuple[str, ...]:
        """The files and folders of the project that definitions and the code that they name stand in."""
        if not self.layout.is_foreign:
            return ("defs", "runtime")
        own = [self.definitions, self.vocabulary, *self.sources.own_files()]
        return tuple(sorted({self.relative(path) for path in own if path.is_relative_to(self.root)}))

    @property
    def places(self) -> Places:
        """Where a run finds everything, for the cache."""
        if not self.layout.is_foreign:
            return Places()
        layout, modules = self.layout, self.layout.modules
        python = self._python_prefix
        names = (*modules.bases, modules.wrappers, modules.semantics, modules.inference)
        return Places(
            layout.definitions,
            layout.templates,
            layout.vocabulary,
            self.output,
            SETTINGS_FILE,
            python,
            tuple(f"{python}{name.replace('.', '/')}" for name in dict.fromkeys(names) if name),
        )

    @property
    def _python_prefix(self) -> str:
        return "" if self.layout.python == "." else f"{self.layout.python}/"

    def relative(self, path: Path) -> str:
        """A path of the project as provenance markers and messages name it."""
        if path.is_relative_to(self.root):
            return path.relative_to(self.root).as_posix()
        return f"brewer's {path.relative_to(_TOOL).as_posix()}"
