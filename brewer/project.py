"""Where a project's folders are. Nothing depends on the directory that brewer was started in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from brewer.python_sources import PythonSources


@dataclass(frozen=True)
class Project:
    root: Path

    @classmethod
    def of_this_tool(cls) -> Project:
        """The project that the running brewer stands in: `defs/` and `templates/` lie beside the package."""
        return cls(Path(__file__).resolve().parent.parent)

    @property
    def definitions(self) -> Path:
        return self.root / "defs"

    @property
    def templates(self) -> Path:
        return self.root / "templates"

    @property
    def generated(self) -> Path:
        return self.root / "generated"

    @cached_property
    def sources(self) -> PythonSources:
        return PythonSources(self.root)

    def relative(self, path: Path) -> str:
        """A path of the project as provenance markers and messages name it."""
        return path.relative_to(self.root).as_posix()
