"""`python -m brewer list`: the definitions of a project, a line each."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter

from brewer.load import Brewable, load
from brewer.project import Project
from brewer.report import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dialect", nargs="?", metavar="DIALECT", help="only the definitions of this dialect")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(project: Project, options: argparse.Namespace) -> int:
    """Prints a table, or a JSON list."""
    found = load(project).brewables
    rows = [_row(brewable) for brewable in found if options.dialect in (None, brewable.definition.dialect)]
    if options.json:
        say([json.dumps(rows, indent=2)], sys.stdout)
        return 0
    width = max((len(str(row["name"])) for row in rows), default=0)
    lines = [f"{row['name']:{width}}  {row['mnemonic'] or '(abstract)'}: {row['summary']}" for row in rows]
    counts = Counter(str(row["dialect"]) for row in rows)
    said = ", ".join(f"{dialect} {count}" for dialect, count in sorted(counts.items()))
    say([*lines, f"{len(rows)} definitions: {said}"], sys.stdout)
    return 0


def _row(brewable: Brewable) -> dict[str, str | None]:
    definition = brewable.definition
    return {
        "name": f"{definition.dialect}/{definition.name}",
        "dialect": definition.dialect,
        "mnemonic": brewable.rhs.mnemonic.value if brewable.rhs else None,
        "summary": definition.summary,
        "file": definition.file,
    }
