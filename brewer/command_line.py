"""`python -m brewer`: the arguments, the sub-commands, and the exit codes.

0: generated/ is current, or was written. 1: it is stale (`--check`, `--diff`). 2: mistakes in definitions or usage.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

from brewer.commands import COMMANDS
from brewer.load import Instructions, load
from brewer.model import Definition
from brewer.plan import Plan, make_plan
from brewer.problems import Problems
from brewer.project import Project
from brewer.rendering import Renderer
from brewer.report import SHOWN_BY_CHECK, check_lines, current_lines, diff_lines, say, written_lines
from brewer.writing import carry_out
from runtime.diagnostics import DiagnosticsError, did_you_mean

CLEAN, STALE, MISTAKES = 0, 1, 2
Run = Callable[[Project, argparse.Namespace], int]
_EXAMPLES = f"""\
commands:
{chr(10).join(f"  {name:8} {summary}" for name, summary in COMMANDS.items())}

examples:
  python -m brewer                       bring generated/ up to date
  python -m brewer --check               fail if generated/ is not up to date; writes nothing
  python -m brewer --diff                show every line that would change; writes nothing
  python -m brewer TensorCopyDynamicSrc  write only the module of this instruction, and its lines in shared files

To add an instruction, write defs/<dialect>/<Name>.yaml, run brewer, and review the diff of generated/.
--check lists what is not up to date, and shows at most {SHOWN_BY_CHECK} lines of difference.

exit codes: 0 up to date or written, 1 not up to date (--check, --diff), 2 mistakes in definitions or usage
"""


@dataclass(frozen=True, slots=True)
class Brewed:
    """A plan, and what it was made from."""

    instructions: Instructions
    plan: Plan


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; argparse leaves with 2 for a mistake in usage."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    run: Run = _run_brewing
    if given and given[0] in COMMANDS:
        command = import_module(f"brewer.commands.{given[0]}")
        parser, run = _command_parser(given.pop(0), command), command.run
    else:
        parser = argument_parser()
    options = parser.parse_args(given)
    project = Project(Path(options.root).resolve()) if options.root else Project.of_this_tool()
    try:
        return run(project, options)
    except DiagnosticsError as error:
        count = len(error.diagnostics)
        say([str(error), "", f"{count} mistake{'s' * (count > 1)}; nothing was written"], sys.stderr)
        return MISTAKES
    except OSError as error:
        say([f"cannot use {error.filename or project.generated}: {error.strerror}"], sys.stderr)
        return MISTAKES


def argument_parser() -> argparse.ArgumentParser:
    """The parser of a run without a sub-command, which brews."""
    parser = argparse.ArgumentParser(
        prog="brewer",
        usage="brewer [--check | --diff] [--root FOLDER] [NAME ...]\n       brewer COMMAND --help",
        description="Brews the instruction classes in generated/ from the definitions in defs/ and the templates.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="only these definitions, `MatMul` or `graph/MatMul`; all are read and checked in any case",
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="write nothing; exit with 1 if generated/ is not up to date")
    mode.add_argument("--diff", action="store_true", help="write nothing; show every line that would change")
    _add_common_arguments(parser)
    return parser


def _command_parser(name: str, command: ModuleType) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"brewer {name}",
        description=command.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    _add_common_arguments(parser)
    return parser


def _add_common_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", metavar="FOLDER", help="the project to work on (default: the one of this tool)")


def brew(project: Project, names: Sequence[str] = ()) -> Brewed:
    """Reads, checks, renders and compares; nothing is written.

    Raises: DiagnosticsError with every mistake in definitions, names and templates.
    """
    instructions = load(project)
    only = _files_of(names, instructions.definitions)
    problems = Problems()
    rendered = Renderer(project, instructions, problems).render_all()
    problems.raise_if_any()
    plan = make_plan(project, rendered, only, problems)
    problems.raise_if_any()
    return Brewed(instructions, plan)


def _run_brewing(project: Project, options: argparse.Namespace) -> int:
    """Writes, or says what would be written."""
    brewed = brew(project, options.names)
    plan, code = brewed.plan, CLEAN
    if plan.is_clean:
        lines = current_lines(plan, len(brewed.instructions.definitions), options.names)
    elif options.check or options.diff:
        lines, code = (check_lines(plan) if options.check else diff_lines(plan)), STALE
    else:
        carry_out(plan, project)
        lines = written_lines(plan)
    say(lines, sys.stdout)
    return code


def _files_of(names: Sequence[str], definitions: Sequence[Definition]) -> frozenset[str]:
    """The files of the definitions that are named, with or without their dialect."""
    table: dict[str, list[str]] = {}
    for definition in definitions:
        for name in (definition.name.value, f"{definition.dialect}/{definition.name}"):
            table.setdefault(name, []).append(definition.file)
    problems = Problems()
    for name in names:
        if name not in table:
            bare = name.removeprefix("defs/").removesuffix(".yaml")
            help = f"write the name only: {bare}" if bare in table else did_you_mean(name, table)
            problems.error("D083", None, f'no definition is called "{name}"', help=help)
    problems.raise_if_any()
    return frozenset(file for name in names for file in table[name])
