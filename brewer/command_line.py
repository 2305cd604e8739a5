"""`python -m brewer`: the arguments, the sub-commands, and the exit codes.

0: generated/ is current, or was written. 1: it is stale (`--check`, `--diff`). 2: mistakes in definitions or usage.
130: interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

from brewer.brewing import brew, known_precedents, known_templates, remember, write
from brewer.commands import COMMANDS, WITHOUT_PROJECT, WRITING
from brewer.diagnostic_formats import FORMATS, formatted
from brewer.find_project import find_project
from brewer.fingerprints import Fingerprints
from brewer.memory import Memory
from brewer.project import Project
from brewer.report import SHOWN_BY_CHECK, NotSaid, check_lines, current_lines, diff_lines, say, written_lines
from brewer.writing import NotWritten
from runtime.diagnostics import Diagnostic, DiagnosticsError, shown_path

CLEAN, STALE, MISTAKES = 0, 1, 2
_COMMON_OPTIONS = ("--root", "--format")
Run = Callable[[Project, argparse.Namespace], int]
_CODES_SHOWN = 3  # of those that a run reports, the first ones
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

exit codes: 0 up to date or written, 1 not up to date (--check, --diff), 2 mistakes in definitions or usage,
130 interrupted
"""


def main(arguments: Sequence[str] | None = None, now: Fingerprints | None = None) -> int:
    """Runs the command line; argparse leaves with 2 for a mistake in usage.

    `now` are the fingerprints of a run without arguments, if somebody has taken them already.
    """
    given = _command_first(sys.argv[1:] if arguments is None else arguments)
    run: Run = _run_brewing
    needs_project = not (given and given[0] in WITHOUT_PROJECT)
    command = given.pop(0) if given and given[0] in COMMANDS else None
    if command:
        module = import_module(f"brewer.commands.{command}")
        parser, run = _command_parser(command, module), module.run
    else:
        parser = argument_parser()
    options = parser.parse_args(given)
    if run is _run_brewing and options.against and not options.check:
        parser.error("--against goes with --check; `brewer diff --against REF` shows what has changed")
    project = Project.of_this_tool()
    try:
        if needs_project:
            project = find_project(Path(os.path.abspath(options.root)) if options.root else None, Path(os.getcwd()))
        return _run_brewing(project, options, now) if run is _run_brewing else run(project, options)
    except DiagnosticsError as error:
        _say_mistakes(error.diagnostics, options.format, "; nothing was written" * _would_write(command, options))
    except NotWritten as error:
        say_not_written(error, options.format)
    except NotSaid as error:
        say([str(error)], sys.stderr)
    except OSError as error:
        _say_mistakes([unusable(error, project)], options.format, "")
    return MISTAKES


def _would_write(command: str | None, options: argparse.Namespace) -> bool:
    """Whether a run without mistakes would have written files: only there it helps to know that none was."""
    if command is None:
        return not (options.check or options.diff)
    return command in WRITING or (command == "schema" and options.output is not None)


def _command_first(arguments: Sequence[str]) -> list[str]:
    """The arguments with a sub-command before the options that all of them take: `--root X list` is `list --root X`."""
    at = 0
    while at < len(arguments):
        option, equals, _ = arguments[at].partition("=")
        if option not in _COMMON_OPTIONS:
            break
        at += 1 if equals else 2
    is_command = at < len(arguments) and arguments[at] in COMMANDS
    return [arguments[at], *arguments[:at], *arguments[at + 1 :]] if is_command else list(arguments)


def unusable(error: OSError, project: Project) -> Diagnostic:
    """What the operating system says of a file or folder, as a diagnostic."""
    file = error.filename or str(project.generated)
    return Diagnostic("D101", f"cannot use {shown_path(str(file))}: {error.strerror or error}")


def say_not_written(error: NotWritten, format: str = "text") -> None:
    _say_mistakes([Diagnostic("D101", error.complaint, help=error.progress)], format, "")


def _say_mistakes(diagnostics: Sequence[Diagnostic], format: str, outcome: str) -> None:
    """On standard error; in text form with a closing line for people."""
    lines = [formatted(diagnostics, format)]
    if format == "text":
        count = len(diagnostics)
        codes = list(dict.fromkeys(found.code for found in diagnostics))[:_CODES_SHOWN]
        more = f"`python -m brewer explain {' '.join(codes)}` says more"
        lines += ["", f"{count} mistake{'s' * (count > 1)}{outcome}; {more}"]
    say(lines, sys.stderr)


def argument_parser() -> argparse.ArgumentParser:
    """The parser of a run without a sub-command, which brews."""
    parser = argparse.ArgumentParser(
        prog="brewer",
        usage="brewer [--check [--against REF] | --diff | --force] [--root FOLDER] [--format FORM] [NAME ...]\n"
        "       brewer COMMAND --help",
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
    mode.add_argument("--force", action="store_true", help="overwrite generated files that were edited by hand, too")
    parser.add_argument(
        "--against",
        metavar="REF",
        help="with --check: fail, too, where BIR fields changed since this git reference but the version did not",
    )
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
    parser.add_argument("--root", metavar="FOLDER", help="the project to work on (default: the nearest one)")
    parser.add_argument(
        "--format", choices=FORMATS, default="text", help="the form of mistakes on standard error (default: text)"
    )


def _run_brewing(project: Project, options: argparse.Namespace, now: Fingerprints | None = None) -> int:
    """Writes, or says what would be written."""
    writes = not (options.check or options.diff)
    memory = Memory(project, now)
    if writes and not options.names:
        _ = memory.now  # before anything is read, so that what changes meanwhile is seen
    # A check trusts nothing that an earlier run has left.
    precedents, compiled = (known_precedents(memory), known_templates(memory)) if writes else (None, None)
    brewed = brew(project, options.names, memory, precedents, compiled)
    compared: list[str] = []
    if options.against:
        from brewer.meaning.versions import check_versions  # here, since most runs compare nothing

        compared = check_versions(project, brewed.instructions, options.against)
    plan, code = brewed.plan, CLEAN
    if plan.is_clean:
        lines = current_lines(plan, len(brewed.instructions.definitions), options.names, project.output)
    elif not writes:
        lines, code = (check_lines(plan) if options.check else diff_lines(plan)), STALE
    else:
        write(brewed, project, force=options.force)
        lines = written_lines(plan)
    if writes and not options.names:
        remember(brewed, project, memory)
    say([*lines, *compared], sys.stdout)
    return code
