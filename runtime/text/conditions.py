"""When an instruction runs, in text: `predicates = [-128 + 1*%i >= 0]`, and what it comes after.

An instruction that others come after has a number, `mark = 0`, unique in its function. Those others name it and say
why, `dependencies = [flow 0, ordered 2]`. Numbers say what is meant in one text, and are given out anew in print.
"""

from __future__ import annotations

import re
from typing import Any

from runtime.affine import Affine
from runtime.dependencies import EdgeKind
from runtime.diagnostics import did_you_mean, either
from runtime.instructions import Instruction
from runtime.names import Names
from runtime.predicates import AffinePredicate
from runtime.text.fields import read_list
from runtime.text.operands import read_offset
from runtime.text.scanner import Mistake, Scanner
from runtime.text.scope import Scope

_relation = re.compile(r">=|<=|==|>|<")
_RELATIONS = {
    ">=": AffinePredicate.pred_ge,
    ">": AffinePredicate.pred_gt,
    "<=": AffinePredicate.pred_le,
    "<": AffinePredicate.pred_lt,
    "==": AffinePredicate.pred_eq,
}
_KINDS = {kind.value: kind for kind in EdgeKind}
_mark = re.compile(r"\bmark[ \t]*+=[ \t]*+([0-9]{1,18})\b")


def condition_entries(inst: Instruction, names: Names) -> list[str]:
    """Return the entries of the trailing dictionary that say when an instruction runs."""
    entries = []
    if inst.is_predicated:
        entries.append(f"predicates = [{', '.join(predicate.use_str(names) for predicate in inst.predicates)}]")
    if inst.dependents:
        entries.append(f"mark = {names.mark_of(inst)}")
    if inst.dependencies:
        edges = ", ".join(f"{edge.kind.value} {names.mark_of(edge.src)}" for edge in inst.dependencies)
        entries.append(f"dependencies = [{edges}]")
    return entries


def read_condition(scanner: Scanner, scope: Scope, name: str) -> Any:
    """Return the value of the field `name`, one of `CONDITIONS`."""
    if name == "mark":
        return _read_mark(scanner)
    if name == "predicates":
        return read_list(scanner, lambda: _read_predicate(scanner, scope), '"predicates", a list such as [1*%i >= 0]')
    return read_list(scanner, lambda: _read_edge(scanner, scope), '"dependencies", a list such as [ordered 0]')


def add_conditions(inst: Instruction, found: dict[str, Any], scanner: Scanner, scope: Scope) -> None:
    """Give an instruction what was read of `CONDITIONS`."""
    inst.addPredicate(*found.get("predicates", ()))
    for src, kind, start, end in found.get("dependencies", ()):
        if inst.depends_on(src):
            scanner.fail("T041", "the instruction comes after this one already: one edge leads from it", start, end)
        inst.addDependency(src, kind)
    if "mark" in found:
        mark, start, end = found["mark"]
        if mark in scope.marks:
            scanner.fail("T012", f"two instructions have the mark {mark}", start, end)
        scope.marks[mark] = inst


def spoil_marks(scope: Scope, text: str) -> None:
    """Remember the marks in the text of a statement that has a mistake, so that nobody is told that one is missing."""
    for match in _mark.finditer(text):
        scope.marks.setdefault(int(match[1]), None)


def _read_mark(scanner: Scanner) -> tuple[int, int, int]:
    """Return a mark, and where it stands."""
    scanner.skip_space()
    start = scanner.pos
    mark = scanner.integer("a mark, a whole number")
    if mark < 0:
        scanner.fail("T032", "a mark is not negative", start, scanner.pos)
    return mark, start, scanner.pos


def _read_predicate(scanner: Scanner, scope: Scope) -> AffinePredicate:
    left = read_offset(scanner, scope)
    sign = scanner.take(_relation)
    if sign is None:
        scanner.fail_expecting(f"{either(_RELATIONS)}", help="a predicate is affine: 1*%i - 128 >= 0")
    right: Affine = read_offset(scanner, scope)
    return _RELATIONS[sign](left, right)


def _read_edge(scanner: Scanner, scope: Scope) -> tuple[Instruction, EdgeKind, int, int]:
    """Return where an edge comes from, and why, and where that is said."""
    scanner.skip_space()
    start = scanner.pos
    word = scanner.word("why, and the mark of an instruction: ordered 0")
    if word not in _KINDS:
        help = did_you_mean(word, _KINDS) or f"the words are {either(_KINDS, 'and')}"
        scanner.fail("T025", f'dependencies has no kind "{word}"', start, scanner.pos, help=help)
    mark, at, end = _read_mark(scanner)
    if mark not in scope.marks:
        help = "an instruction comes after those above it: {mark = 0} there, {dependencies = [ordered 0]} here"
        scanner.fail("T010", f"no instruction above has the mark {mark}", at, end, help=help)
    src = scope.marks[mark]
    if src is None:
        raise Mistake(None)
    return src, _KINDS[word], start, end
