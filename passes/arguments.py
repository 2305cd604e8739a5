"""What `python -m passes` takes.

Some options have a value that may be left out: `--print-ir-after`, `--print-ir-after=eliminate-casts`. It is written
with the sign, so that the name of a file behind the option is not taken for it.

Deliberately absent: options that silently replace each other. One that is given twice is a mistake.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from passes.argument_parser import argument_parser
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.program_files import STREAM, output_of, write_out

ALL: Final = "*"  # the value that was left out
_OPTIONAL: Final = (
    "--print-ir-before",
    "--print-ir-after",
    "--print-ir-after-change",
    "--stats",
    "--sweep",
    "--verify",
    "--verify-numerics",
)
_ARRAYS: Final = (".npz", ".npy")


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return what is given on the command line, which goes together.

    Raises: SystemExit where it cannot be read; DiagnosticsError where it does not go together.
    """
    words = _with_values(sys.argv[1:] if arguments is None else arguments)
    try:
        parser = argument_parser()
        given = parser.parse_args(words)
        if given.file is None and not given.list:
            _check_report_took_no_program(given, words)
            parser.error("one of the arguments FILE --list is required")
    except SystemExit as exit:
        if exit.code == 0 and sys.stdout is not None:
            write_out("")  # the help; where it cannot be written, now is the time to say so
        raise
    given.output = output_of(given.output)
    given.words = words
    given.policies = None  # of a reproducer: the texts of the files with policies that it holds
    given.beside = None  # of a reproducer: what is given beside the command that stands in it
    _check_together(given)
    return given


def _with_values(words: Sequence[str]) -> list[str]:
    """Return the words with `=*` behind each option whose value is left out, which would else be the next word."""
    found: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        if word == "--":
            return [*found, word, *left]
        if word == "--report" and (not left or (left[0].startswith("-") and left[0] != STREAM)):
            word = f"{word}={STREAM}"
        elif word in ("--verify", "--verify-numerics") and left and left[0].lower().endswith(_ARRAYS):
            word = f"{word}={left.pop(0)}"
        elif word in _OPTIONAL:
            word = f"{word}={ALL}"
        found.append(word)
    return found


def _check_report_took_no_program(given: argparse.Namespace, words: Sequence[str]) -> None:
    """Refuse `--report program.txt` where no other word could be the program.

    Raises: DiagnosticsError.
    """
    if "--report" in words:
        message = f"no program is given: {given.report} behind --report is the file that the report goes to"
        help = f"name the program first, {given.report} --report, or say that it is no value, --report=FILE"
        raise DiagnosticsError([Diagnostic("P016", message, help=f"{help} or --report=-")])


def _check_together(given: argparse.Namespace) -> None:
    """Refuse options that do nothing without another one, or contradict each other.

    Raises: DiagnosticsError with all of them.
    """
    wrong = []
    measures = given.report is not None or given.sweep is not None
    if given.verify_numerics is None and given.numerics_if_possible:
        wrong.append("--numerics-if-possible is for --verify-numerics")
    if given.seed is not None and given.verify_numerics is None and given.verify is None and not measures:
        wrong.append("--seed is for --verify-numerics, --verify, --report and --sweep")
    inputs = (given.input or [None])[0] if given.verify_numerics in (None, ALL) else given.verify_numerics
    if given.seed is not None and inputs is not None:
        wrong.append(f"--seed is for inputs that are generated, and {inputs} is given")
    if given.input and not measures:
        wrong.append("--input is for --report and --sweep; --verify-numerics, --verify and --calibrate take their own")
    wrong += _beside_sweep(given) if given.sweep is not None else []
    if given.bisect and given.rewrite_limit is not None:
        wrong.append("--bisect looks for the rewrite limit by itself; leave out --rewrite-limit")
    if given.list and len(given.words) > 1:
        wrong.append("--list stands alone")
    problems = [*(Diagnostic("P016", message) for message in wrong), *_without_passes(given)]
    if problems:
        raise DiagnosticsError(problems)


def _without_passes(given: argparse.Namespace) -> list[Diagnostic]:
    """Return what is wrong with options about passes where none are to run."""
    if given.list or given.passes or given.policy or given.auto_cast or given.run_reproducer:
        return []
    named = {"--bisect": given.bisect, "--reproducer": given.reproducer, "--verify-numerics": given.verify_numerics}
    named |= {"--report": given.report, "--sweep": given.sweep}
    help = "ask for some with --passes, --policy or --auto-cast"
    return [
        Diagnostic("P016", f"{name} is for a run of passes, and none are given", help=help)
        for name, is_given in named.items()
        if is_given
    ]


def _beside_sweep(given: argparse.Namespace) -> list[str]:
    """Return what is wrong with options beside `--sweep`, which gives a table, and no program."""
    others = {
        "--output": given.output,
        "--auto-cast": given.auto_cast,
        "--auto-cast-type": given.auto_cast_type,
        "--policy": given.policy,
        "--stats": given.stats,
        "--verbose": given.verbose,
        "--verify-numerics": given.verify_numerics,
        "--reproducer": given.reproducer,
        "--bisect": given.bisect,
        "--rewrite-limit": given.rewrite_limit,
        "--elide": given.elide,
    }
    return [
        f"--sweep runs the pipeline of --passes many times and gives one table; leave out {name}"
        for name, value in others.items()
        if value not in (None, False)
    ]
