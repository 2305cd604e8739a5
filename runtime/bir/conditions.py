"""When an instruction runs, as JSON: predicates, and dependency edges.

"predicates": [[">=", [-128, ["%i", 1]]], ["==", 0]]      each is an affine expression that is >= 0, or == 0
"mark": 0, "dependencies": [["ordered", 0]]               the mark is that of an instruction above
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from runtime.affine import Affine
from runtime.bir.problems import BirError, Undecidable, decoded, take, unknown, wrong_kind
from runtime.dependencies import EdgeKind
from runtime.instructions import Instruction
from runtime.predicates import AffinePredicate

CONDITION_KEYS: Final = frozenset({"predicates", "mark", "dependencies"})

_KINDS = {kind.value: kind for kind in EdgeKind}
_SIGNS = {">=": False, "==": True}


class Marks:
    """The marks of the instructions of one function, while it is written."""

    def __init__(self) -> None:
        self._of: dict[Instruction, int] = {}

    def of(self, inst: Instruction) -> int:
        """Return the mark of an instruction; the first call decides it."""
        return self._of.setdefault(inst, len(self._of))


def conditions_json(inst: Instruction, marks: Marks, offset: Callable[[Affine], Any]) -> dict[str, Any]:
    """Return the keys of a record that say when its instruction runs; `offset` gives the JSON of an expression."""
    found: dict[str, Any] = {}
    if inst.is_predicated:
        found["predicates"] = [["==" if one.is_equality else ">=", offset(one.expr)] for one in inst.predicates]
    if inst.dependents:
        found["mark"] = marks.of(inst)
    if inst.dependencies:
        found["dependencies"] = [[edge.kind.value, marks.of(edge.src)] for edge in inst.dependencies]
    return found


class ConditionReader:
    """Gives the instructions of one function what their records say of `CONDITION_KEYS`."""

    def __init__(self, offset: Callable[[Any], Affine | int]) -> None:
        """Take what makes an affine expression of its JSON."""
        self._offset = offset
        self._marked: dict[int, Instruction | None] = {}  # None: the record has a mistake

    def add(self, inst: Instruction, record: dict[str, Any]) -> None:
        """Add predicates and edges to an instruction that was just made."""
        if "predicates" in record:
            inst.addPredicate(
                *decoded(lambda found: _items(found, self._predicate), record["predicates"], "predicates")
            )
        if "dependencies" in record:
            edges = decoded(lambda found: _items(found, self._edge), record["dependencies"], "dependencies")
            for index, (src, kind) in enumerate(edges):
                if inst.depends_on(src):
                    raise BirError("B024", "the instruction comes after this one already", "dependencies", index)
                inst.addDependency(src, kind)
        if "mark" in record:
            mark = take(record, "mark", int, "a mark: a whole number")
            if mark in self._marked:
                raise BirError("B024", f"two instructions have the mark {mark}", "mark")
            self._marked[mark] = inst

    def give_up(self, record: dict[str, Any]) -> None:
        """Remember the mark of a record that has a mistake, so that nobody is told that it is missing."""
        mark = record.get("mark")
        if type(mark) is int:
            self._marked.setdefault(mark, None)

    def _predicate(self, found: Any) -> AffinePredicate:
        if not isinstance(found, list) or len(found) != 2 or found[0] not in (*_SIGNS,):
            raise wrong_kind(found, 'a predicate such as [">=", [-128, ["%i", 1]]]')
        return AffinePredicate(Affine.of(decoded(self._offset, found[1], 1)), _SIGNS[found[0]])

    def _edge(self, found: Any) -> tuple[Instruction, EdgeKind]:
        if not isinstance(found, list) or len(found) != 2 or type(found[1]) is not int:
            raise wrong_kind(found, 'an edge such as ["ordered", 0]: why, and the mark of an instruction above')
        kind, mark = found
        if not isinstance(kind, str) or kind not in _KINDS:
            raise unknown("B013", "kind of edge", str(kind), _KINDS, 0)
        if mark not in self._marked:
            raise BirError("B021", f"no instruction above has the mark {mark}", 1)
        src = self._marked[mark]
        if src is None:
            raise Undecidable
        return src, _KINDS[kind]


def _items(found: Any, read: Callable[[Any], Any]) -> list[Any]:
    if not isinstance(found, list):
        raise wrong_kind(found, "a list")
    return [decoded(read, item, place) for place, item in enumerate(found)]
