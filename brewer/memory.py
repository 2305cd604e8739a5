"""What a run knows of the runs before it, and what has changed since: the causes of changes, and edits by hand.

Deliberately absent: anything that decides what is written. Without a memory a run gives the same, and says less.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from brewer.cache import State, read_state, read_written
from brewer.fingerprints import Fingerprints, digest_of, take_fingerprints
from brewer.project import Project

if TYPE_CHECKING:
    from brewer.committed import Committed

Edit = Literal["", "was edited by hand", "is not what git has, and no run is remembered that wrote it"]
BY_HAND: Edit = "was edited by hand"
UNLIKE_GIT: Edit = "is not what git has, and no run is remembered that wrote it"

_MOST_NAMED = 3  # causes of one kind, such as templates
_CONFLICT = (b"<<<<<<< ", b"\n>>>>>>> ")


class Memory:
    """The last complete run of a project, and its files as they were before this one. Each is read when asked for."""

    def __init__(self, project: Project, now: Fingerprints | None = None) -> None:
        self.root = str(project.root)
        self.places = project.places
        self._now = now
        self._settings = project.layout.settings
        self._output = project.output

    @cached_property
    def now(self) -> Fingerprints | None:
        """None where something is unusual; a run that will keep what it found asks before it reads anything."""
        now = self._now or take_fingerprints(self.root, str(Project.of_this_tool().root), self.places)
        is_as_read = now is not None and now.inputs.get(self.places.settings, "") == self._settings
        return now if is_as_read else None

    @cached_property
    def state(self) -> State | None:
        return read_state(self.root)

    @cached_property
    def written(self) -> frozenset[str] | None:
        """Digests of what brewer wrote at some time; None: not known."""
        return read_written(self.root, self.state.written if self.state else 0)

    def edit_of(self, path: str, data: bytes) -> Edit:
        """Whether what stands in an output cannot be what brewer wrote, and is nowhere else; empty where it may be.

        Where no run is remembered that left this file, as in a fresh clone, git decides: what it has in another form
        was changed since. Line ends that git may have changed, and a file with the markers of a merge conflict, are
        nobody's work; what git has is safe there.
        """
        if not data.strip() or all(marker in data for marker in _CONFLICT):
            return ""
        forms = {digest_of(data), digest_of(data.replace(b"\r\n", b"\n"))}
        left = self.state.outputs.get(path) if self.state else None
        if left in forms or not forms.isdisjoint(self.written or ()):
            return ""
        if left is not None and self.written is not None:
            return "" if self._committed.has(path, data) else BY_HAND
        return UNLIKE_GIT if self._committed.knows(path) and not self._committed.has(path, data) else ""

    @cached_property
    def _committed(self) -> Committed:
        from brewer.committed import Committed  # here, since hardly any run has to ask git

        return Committed(self.root, self._output)

    def cause(self, path: str, definition: str, bases: Iterable[str]) -> str:
        """Why an output is not what it should be; where that is not known, what it is made from."""
        own = [file for file in (definition, *bases) if file]
        if self.state is None or self.now is None:
            return f"from {definition or 'the definitions together'}"
        if definition and definition not in self.state.inputs:
            return f"new: {definition}"
        changed = [file for file in own if file in self._changed] if definition else self._definitions
        found = _named(changed, "definitions") + _named(self._shared, "templates")
        if not found:
            found = self._tools
        if found:
            return f"changed: {', '.join(found)}"
        return "not what brewer left" if path in self.now.outputs else "it was missing"

    @cached_property
    def _changed(self) -> dict[str, None]:
        """The inputs that are not what they were, also those that are new or gone; sorted."""
        assert self.state is not None and self.now is not None
        before, now = self.state.inputs, self.now.inputs
        return dict.fromkeys(n for n in sorted(before.keys() | now.keys()) if before.get(n) != now.get(n))

    @cached_property
    def _definitions(self) -> list[str]:
        return [name for name in self._changed if self._is_definition(name)]

    @cached_property
    def _shared(self) -> list[str]:
        """Templates and the vocabulary."""
        templates = f"{self.places.templates}/" if self.places.templates else None
        return [n for n in self._changed if self._is_vocabulary(n) or (templates and n.startswith(templates))]

    @cached_property
    def _tools(self) -> list[str]:
        """Hand-written sources, settings, releases of libraries, brewer itself."""
        left = [n for n in self._changed if n not in self._shared and not self._is_definition(n)]
        of_brewer = [name for name in left if name.startswith(("tool/", "brewer/"))]
        releases = [name for name in left if "/" not in name]
        sources = [name for name in left if name not in of_brewer and name not in releases]
        kind = "Python sources" if self.places.is_foreign else "sources of runtime/"
        return [*_named(sources, kind), *releases, *["brewer itself"] * bool(of_brewer)]

    def _is_definition(self, name: str) -> bool:
        return name.startswith(f"{self.places.definitions}/") and not self._is_vocabulary(name)

    def _is_vocabulary(self, name: str) -> bool:
        return name in (self.places.vocabulary, f"{self.places.definitions}/vocabulary.yaml")


def _named(names: list[str], kind: str) -> list[str]:
    if len(names) <= _MOST_NAMED:
        return names
    return [f"{len(names)} {kind}"]
