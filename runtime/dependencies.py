"""Dependency edges: order between instructions beyond what values and the accesses to tensors say.

An edge says that each run of its source comes before each run of its destination within one run of the block that holds
both. Program order does so already; an edge is for whoever reorders, and must not take the two apart. It belongs to
both: erasing either removes it, a replacement takes it over, and a clone of the destination comes after the same
source, or after its clone.

Deliberately absent: edges that follow from values and accesses, and a list on the function that could get out of step.

Source: penguin, scheduling edges (`DependencyEdge`, `EdgeKind`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from runtime.extras import HasExtras
from runtime.quoting import described

if TYPE_CHECKING:
    from runtime.instructions import Instruction


class EdgeKind(Enum):
    """Why one instruction comes before another."""

    FLOW = "flow"  # it writes what the other one reads
    ANTI = "anti"  # it reads what the other one overwrites
    OUTPUT = "output"  # both write one place
    ORDERED = "ordered"  # somebody asked for it


@dataclass(frozen=True, slots=True)
class DependencyEdge:
    """`src` comes before `dst`."""

    src: Instruction
    dst: Instruction
    kind: EdgeKind


class HasDependencies(HasExtras):
    """The part of an instruction that knows its edges. One without any pays nothing: it has no slot for them."""

    __slots__ = ()

    @property
    def dependencies(self) -> tuple[DependencyEdge, ...]:
        """The edges from what must come before this, oldest first; one for each instruction."""
        edges = self._sources.items()
        return tuple(DependencyEdge(src, self, kind) for src, kind in edges)  # type: ignore[arg-type]  # an instruction

    @property
    def dependents(self) -> tuple[Instruction, ...]:
        """The instructions that must come after this, oldest edge first."""
        return tuple((self.extras and self.extras.dependents) or ())

    def depends_on(self, src: HasDependencies) -> bool:
        """Whether an edge leads from `src` to this, as this knows it; O(1)."""
        return src in self._sources

    def has_dependent(self, user: HasDependencies) -> bool:
        """Whether an edge leads from this to `user`, as this knows it; O(1)."""
        return self.extras is not None and user in (self.extras.dependents or ())

    def addDependency(self, src: Instruction, kind: EdgeKind = EdgeKind.ORDERED) -> None:
        """Let `src` come before this; a second edge from it replaces the kind of the first.

        Raises: ValueError where `src` is this itself.
        """
        if not isinstance(src, HasDependencies) or not isinstance(kind, EdgeKind):
            raise TypeError(f"an edge leads from an instruction and has an EdgeKind, not {described((src, kind))}")
        if src is self:
            raise ValueError(f"{self!r} cannot come before itself")
        extras, theirs = self._extras_to_change(), src._extras_to_change()
        if extras.sources is None:
            extras.sources = {}
        if theirs.dependents is None:
            theirs.dependents = {}
        extras.sources[src] = kind
        theirs.dependents[self] = None  # type: ignore[index]  # this is an instruction

    def removeDependency(self, src: Instruction) -> None:
        """Remove the edge from `src`.

        Raises: ValueError where there is none.
        """
        if src not in self._sources:
            raise ValueError(f"there is no edge from {src!r} to {self!r}")
        del self._sources[src]
        self._drop_empty_extras()
        assert src.extras is not None and src.extras.dependents is not None, f"{src!r} does not know of {self!r}"
        del src.extras.dependents[self]  # type: ignore[arg-type]  # this is an instruction
        src._drop_empty_extras()

    def takeDependencies(self, other: Instruction) -> None:
        """Take over all edges of `other`, which then has none; one between the two is gone."""
        for edge in other.dependencies:
            other.removeDependency(edge.src)
            if edge.src is not self:
                self.addDependency(edge.src, edge.kind)
        for user in other.dependents:
            kind = user._sources[other]
            user.removeDependency(other)
            if user is not self:
                user.addDependency(self, kind)  # type: ignore[arg-type]  # this is an instruction

    def _drop_dependencies(self) -> None:
        """Remove all edges, on the way to erasing this."""
        if self.extras is None:
            return
        for edge in self.dependencies:
            self.removeDependency(edge.src)
        for user in self.dependents:
            user.removeDependency(self)  # type: ignore[arg-type]  # as above

    def _clone_extras(self, original: Instruction, mapping: dict[object, object]) -> None:
        """Also come after what `original` comes after, or after what `mapping` has for it."""
        super()._clone_extras(original, mapping)
        mapping[original] = self  # so that clones of what comes after it find it, although it may be no value
        for edge in original.dependencies:
            self.addDependency(mapping.get(edge.src, edge.src), edge.kind)  # type: ignore[arg-type]  # an instruction

    @property
    def _sources(self) -> dict[Instruction, EdgeKind]:
        return (self.extras and self.extras.sources) or {}
