"""What a run knows of the runs before it, and what has changed since: the causes of changes, and edits by hand.

Deliberately absent: anything that decides what is written. Without a memory a run gives the same, and says less.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from brewer.cache import State, read_state, read_written
from brewer.fingerprints import Fingerprints, digest_of, take_fingerprints
from brewer.project import Project

_MOST_NAMED = 3  # causes of one kind, such as templates
_CONFLICT = (b"<<<<<<< ", b"\n>>>>>>> ")


class Memory:
    """The last complete run of a project, and its files as they were before this one. Each is read when asked for."""

    def __init__(self, project: Project, now: Fingerprints | None = None) -> None:
        self.root = str(project.root)
        self._now = now
        self._is_foreign = project.layout.is_foreign  # of other repositories nothing is kept

    @cached_property
    def now(self) -> Fingerprints | None:
        """None where something is unusual; a run that will keep what it found asks before it reads anything."""
        if self._is_foreign:
            return None
        return self._now or take_fingerprints(self.root, str(Project.of_this_tool().root))

    @cached_property
    def state(self) -> State | None:
        return None if self._is_foreign else read_state(self.root)

    @cached_property
    def written(self) -> frozenset[str] | None:
        """Digests of what brewer wrote at some time; None: not known."""
        return read_written(self.root, self.state.written) if self.state else None

    def was_edited(self, path: str, data: bytes) -> bool:
        """Whether what stands in an output cannot be what brewer wrote.

        Line ends that git may have changed, and a file with the markers of a merge conflict, are nobody's work.
        """
        if self.state is None or self.written is None or path not in self.state.outputs or not data.strip():
            return False
        if all(marker in data for marker in _CONFLICT):
            return False
        forms = {digest_of(data), digest_of(data.replace(b"\r\n", b"\n"))}
        return not forms & self.written and self.state.outputs[path] not in forms

    def cause(self, path: str, definition: str, bases: Iterable[str]) -> str:
        """Why an output is not what it should be; where that is not known, what it is made from."""
        own = [file for file in (definition, *bases) if file]
        if self.state is None or self.now is None:
            return f"from {definition or 'the definitions together'}"
        if definition and definition not in self.state.inputs:
            return f"new: {definition}"
        changed = [file for file in own if file in self._changed] if definition else self._definitions
        shared = [name for name in self._changed if name.startswith(("templates/", "defs/vocabulary.yaml"))]
        found = _named(changed, "definitions") + _named(shared, "templates")
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
        return [name for name in self._changed if name.startswith("defs/") and name != "defs/vocabulary.yaml"]

    @cached_property
    def _tools(self) -> list[str]:
        """Sources of the runtime, releases of libraries, brewer itself."""
        others = [n for n in self._changed if not n.startswith(("defs/", "templates/"))]
        runtime = [name for name in others if name.startswith("runtime/")]
        releases = [name for name in others if "/" not in name]
        is_new = len(runtime) + len(releases) < len(others)
        return [*_named(runtime, "sources of runtime/"), *releases, *["brewer itself"] * is_new]


def _named(names: list[str], kind: str) -> list[str]:
    if len(names) <= _MOST_NAMED:
        return names
    return [f"{len(names)} {kind}"]
