"""Compares what the definitions mean with what they meant at a git reference, and says what that breaks.

For each definition: what has changed, and whether a text or a BIR record that was written before is still read to the
same meaning. Comments, order of keys and other ways to write the same are no difference. What a hand-written function
computes is not compared, only which one a definition names.

  brewer diff                            the work tree beside the last commit
  brewer diff --against main             beside a branch, a tag or any other commit
  brewer diff MatMulOp graph/Cast        only these definitions
  brewer diff --fail-if-breaking         for a gate: exit with 1 if text or BIR breaks

`python -m brewer --check --against REF` fails if the fields of a BIR record have changed without a new `version`.
To compare generated text with the disk, see `python -m brewer --diff`.
"""

from __future__ import annotations

import argparse
import json
import sys

from brewer.meaning.as_json import comparison_json
from brewer.meaning.comparison import Comparison, Difference, compare, named
from brewer.meaning.rules import Effect
from brewer.meaning.said import comparison_lines
from brewer.meaning.snapshot import load_both
from brewer.problems import Problems
from brewer.project import Project
from brewer.report import say
from runtime.diagnostics import did_you_mean

CLEAN, BREAKING = 0, 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these definitions, `MatMul` or `graph/MatMul`")
    parser.add_argument("--against", metavar="REF", default="HEAD", help="the git reference (default: HEAD)")
    parser.add_argument("--fail-if-breaking", action="store_true", help="exit with 1 if text or BIR breaks")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(project: Project, options: argparse.Namespace) -> int:
    """Prints the comparison."""
    before, now = load_both(project, options.against)
    comparison = compare(before, now)
    _check_names(options.names, comparison)
    differences = named(comparison.differences, options.names) if options.names else comparison.differences
    if options.json:
        say([json.dumps(comparison_json(comparison, differences), indent=2)], sys.stdout)
    else:
        say(comparison_lines(comparison, differences, options.names), sys.stdout)
    return BREAKING if options.fail_if_breaking and any(map(_breaks, differences)) else CLEAN


def _breaks(difference: Difference) -> bool:
    return difference.is_concrete and bool(difference.effect & (Effect.TEXT | Effect.BIR))


def _check_names(names: list[str], comparison: Comparison) -> None:
    keys = {*comparison.before.brewables, *comparison.now.brewables}
    known = {spelled for dialect, name in keys for spelled in (name, f"{dialect}/{name}")}
    known |= {spelled for name in comparison.before.unread for spelled in (name, name.split("/")[-1])}
    problems = Problems()
    for name in names:
        if name not in known:
            message = f'no definition is or was called "{name}"'
            help = did_you_mean(name, known) or f"a git reference is written --against {name}"
            problems.error("D083", None, message, help=help)
    problems.raise_if_any()
