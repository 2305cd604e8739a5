"""Explains the keys of what stands below defs/: each with its values, its default and an example.

brewer keys                 all keys
brewer keys rank default    the keys of these names
brewer keys --markdown      the page brewer/KEYS.md
"""

from __future__ import annotations

import argparse
import json
import sys

from brewer.keys_page import TABLES, as_json, page, text
from brewer.project import Project
from brewer.report import say
from runtime.diagnostics import Diagnostic, DiagnosticsError, did_you_mean


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="only keys of this name")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="print the page brewer/KEYS.md")
    form.add_argument("--json", action="store_true", help="print JSON")


def run(project: Project, options: argparse.Namespace) -> int:
    """Prints the keys. Raises: DiagnosticsError for a name that no key has."""
    if options.markdown:
        say([page().rstrip("\n")], sys.stdout)
        return 0
    known = {key.name for table in TABLES for key in table.keys}
    unknown = [
        Diagnostic(
            "D011", f'no key is called "{name}"', help=did_you_mean(name, known) or "`brewer keys` lists all keys"
        )
        for name in options.names
        if name not in known
    ]
    if unknown:
        raise DiagnosticsError(unknown)
    wanted = set(options.names) or known
    chosen = [(table, [key for key in table.keys if key.name in wanted]) for table in TABLES]
    say([json.dumps(as_json(chosen), indent=2)] if options.json else text(chosen), sys.stdout)
    return 0
