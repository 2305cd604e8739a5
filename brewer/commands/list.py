"""Lists the definitions, with what each one is: its mnemonic, kind, engines, and whether it can be run.

  brewer list            all definitions, then counts for each dialect
  brewer list neuron     those of one dialect
  brewer list onnx       of a dialect of facts: its operators, with the versions since which something is said

Columns: the kind is `op_kind`, the engines are where it may run, `semantics` is the function that runs it, and a
wrapper is a class written by hand on top of the generated one. A column in which nothing stands is left out.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from brewer.load import Brewable, Instructions, load
from brewer.problems import Problems
from brewer.project import Project
from brewer.read_facts import FactsDocument, OperatorFacts
from brewer.report import say
from runtime.diagnostics import did_you_mean, either

_NONE = "-"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dialect", nargs="?", metavar="DIALECT", help="only this dialect")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(project: Project, options: argparse.Namespace) -> int:
    """Prints tables and counts."""
    instructions = load(project)
    dialects = sorted(_dialects(instructions))
    if options.dialect is not None:
        _check_dialect(options.dialect, dialects)
        dialects = [options.dialect]
    listed = [_listed(dialect, instructions) for dialect in dialects]
    if options.json:
        say([json.dumps({"dialects": [dialect.json() for dialect in listed]}, indent=2)], sys.stdout)
    else:
        say([line for dialect in listed for line in dialect.lines(options.dialect is not None)][1:], sys.stdout)
    return 0


@dataclass(frozen=True)
class _Dialect:
    """What stands in one folder of `defs/`."""

    name: str
    definitions: tuple[Brewable, ...]
    facts: tuple[FactsDocument, ...]

    def lines(self, in_full: bool) -> list[str]:
        """An empty line, a table, and counts; operators one by one only where they are asked for."""
        operators = [(document, operator) for document in self.facts for operator in document.operators]
        lines = [""]
        if self.definitions:
            heads = ("definition", "mnemonic", "kind", "engines", "semantics", "wrapper", "summary")
            lines += _table([heads, *map(_cells, self.definitions)])
        if operators and in_full:
            lines += _table([("operator", "kind", "since"), *(_operator_cells(self.name, o) for _, o in operators)])
        return [*lines, *self._counts()]

    def _counts(self) -> Iterator[str]:
        concrete = [found for found in self.definitions if not found.definition.abstract]
        abstract = len(self.definitions) - len(concrete)
        if self.definitions:
            more = f" and {_counted(abstract, 'abstract base')}" if abstract else ""
            running = sum(found.definition.semantics is not None for found in concrete)
            wrapped = sum(found.definition.wrapper is not None for found in self.definitions)
            said = f"{_counted(len(concrete), 'instruction')}{more}"
            yield f"{self.name}: {said}; {running} with semantics, {wrapped} with a wrapper"
            known = [found.definition.op_kind for found in concrete if found.definition.op_kind]
            without = f"{len(concrete) - len(known)} without" * (len(concrete) > len(known))
            if known:
                yield f"  kinds: {_tally(known)}{f', {without}' if without else ''}"
            engines = [engine for found in concrete for engine in found.definition.engines.legal]
            if engines:
                yield f"  engines: {_tally(engines)}"
        for document in self.facts:
            kinds = _tally(operator.versions[-1].op_kind for operator in document.operators)
            yield f"{self.name}: facts about {_counted(len(document.operators), 'operator')} of {document.domain}"
            yield f"  kinds: {kinds}"

    def json(self) -> dict[str, Any]:
        concrete = [found for found in self.definitions if not found.definition.abstract]
        return {
            "name": self.name,
            "definitions": [_definition_json(found) for found in self.definitions],
            "operators": [_operator_json(document, o) for document in self.facts for o in document.operators],
            "counts": {
                "instructions": len(concrete),
                "abstract": len(self.definitions) - len(concrete),
                "with_semantics": sum(found.definition.semantics is not None for found in concrete),
                "with_wrapper": sum(found.definition.wrapper is not None for found in self.definitions),
                "kinds": dict(Counter(found.definition.op_kind or "none" for found in concrete)),
                "engines": dict(Counter(e for found in concrete for e in found.definition.engines.legal)),
                "operators": sum(len(document.operators) for document in self.facts),
            },
        }


def _dialects(instructions: Instructions) -> set[str]:
    documents = (document.dialect for document in instructions.facts)
    return {*(definition.dialect for definition in instructions.definitions), *documents}


def _listed(dialect: str, instructions: Instructions) -> _Dialect:
    definitions = (found for found in instructions.brewables if found.definition.dialect == dialect)
    facts = (document for document in instructions.facts if document.dialect == dialect)
    return _Dialect(dialect, tuple(definitions), tuple(facts))


def _check_dialect(asked: str, known: Sequence[str]) -> None:
    if asked in known:
        return
    problems = Problems()
    help = did_you_mean(asked, known) or f"there are {either(known, 'and')}"
    problems.error("D086", None, f'no dialect is called "{asked}"', help=help)
    problems.raise_if_any()


def _cells(found: Brewable) -> tuple[str, ...]:
    definition = found.definition
    return (
        f"{definition.dialect}/{definition.name}",
        found.rhs.mnemonic.value if found.rhs else "(abstract)",
        definition.op_kind or _NONE,
        ", ".join(definition.engines.legal) or _NONE,
        str(definition.semantics or _NONE),
        str(definition.wrapper or _NONE),
        definition.summary,
    )


def _operator_cells(dialect: str, operator: OperatorFacts) -> tuple[str, ...]:
    versions = ", ".join(str(version.since) for version in operator.versions)
    return f"{dialect}/{operator.name}", operator.versions[-1].op_kind, versions


def _definition_json(found: Brewable) -> dict[str, Any]:
    definition = found.definition
    return {
        "name": f"{definition.dialect}/{definition.name}",
        "mnemonic": found.rhs.mnemonic.value if found.rhs else None,
        "abstract": definition.abstract,
        "op_kind": definition.op_kind,
        "engine": definition.engines.hint,
        "engines": list(definition.engines.legal),
        "engines_by_target": {target: list(engines) for target, engines in definition.engines.by_target},
        "semantics": definition.semantics.value if definition.semantics else None,
        "wrapper": definition.wrapper.value if definition.wrapper else None,
        "summary": definition.summary,
        "deprecated": definition.deprecated or None,
        "file": definition.file,
        "bases": list(found.bases),
    }


def _operator_json(document: FactsDocument, operator: OperatorFacts) -> dict[str, Any]:
    versions = {version.since: version.op_kind for version in operator.versions}
    return {"name": f"{document.dialect}/{operator.name}", "domain": document.domain, "op_kind_since": versions}


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Columns side by side, but for empty ones; on a terminal, no line goes over its edge."""
    empty = {column for column in range(len(rows[0])) if all(row[column] == _NONE for row in rows[1:])}
    rows = [tuple(cell for column, cell in enumerate(row) if column not in empty) for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = ["  ".join([*(c.ljust(w) for c, w in zip(row, widths, strict=False)), row[-1]]).rstrip() for row in rows]
    edge = shutil.get_terminal_size().columns if sys.stdout.isatty() else max(map(len, lines))
    return [line if len(line) <= edge else f"{line[: edge - 3]}..." for line in lines]


def _tally(words: Iterable[str]) -> str:
    """How often each word stands there, the most frequent first."""
    counts = Counter(words)
    return ", ".join(f"{count} {word}" for word, count in sorted(counts.items(), key=lambda e: (-e[1], e[0]))) or "none"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
