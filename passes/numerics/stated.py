"""What a pass states of roundings in one run: those of the run alone, as instructions of the program before and after.

A pass may keep adding to one list over all its runs, or begin a fresh one with each; both say the same here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from passes.framework.dot_transform import DotTransform
from runtime.functions import Module
from runtime.instructions import Instruction

Rounded = frozenset[Instruction]


@dataclass(frozen=True)
class Earlier:
    """What a pass had stated before a run."""

    removed: tuple[Instruction, ...]
    added: tuple[Instruction, ...]

    @classmethod
    def of(cls, transform: DotTransform) -> Earlier:
        """Return what a pass states now."""
        return cls(tuple(transform.removed_roundings), tuple(transform.added_roundings))


@dataclass(frozen=True)
class Stated:
    """The roundings that a run removed from the program before, and added to the program after."""

    removed: Rounded  # of the copy of the program before
    added: Rounded
    strangers: tuple[str, ...] = ()  # what is wrong with the statement itself

    @classmethod
    def since(
        cls, earlier: Earlier, transform: DotTransform, after: Module, originals: Mapping[Instruction, Instruction]
    ) -> Stated:
        """Return what a run has stated; `originals` are the instructions of the copy, by those of the program."""
        removed = _since(earlier.removed, transform.removed_roundings)
        added = _since(earlier.added, transform.added_roundings)
        there = {inst for inst in added if inst.parent_function in after.functions.values()}
        strangers = [
            f"removed_roundings names what was not in the program before: {inst!r}"
            for inst in removed
            if inst not in originals
        ]
        strangers += [
            f"added_roundings names what is not in the program after: {inst!r}" for inst in added if inst not in there
        ]
        known = frozenset(originals[inst] for inst in removed if inst in originals)
        return cls(known, frozenset(there), tuple(strangers))

    def by_function(self) -> Mapping[str, tuple[Rounded, Rounded]]:
        """Return what is removed and added in each function of which something is stated."""
        found: dict[str, tuple[set[Instruction], set[Instruction]]] = {}
        for at, insts in enumerate((self.removed, self.added)):
            for inst in insts:
                function = inst.parent_function
                assert function is not None
                found.setdefault(function.name, (set(), set()))[at].add(inst)
        return {name: (frozenset(removed), frozenset(added)) for name, (removed, added) in found.items()}


def _since(earlier: tuple[Instruction, ...], now: Sequence[Instruction]) -> Sequence[Instruction]:
    """Return what was added to a list, or all of it where it does not go on from there."""
    count = len(earlier)
    goes_on = len(now) >= count and all(one is other for one, other in zip(earlier, now, strict=False))
    return now[count:] if goes_on else now
