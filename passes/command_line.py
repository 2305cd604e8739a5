"""The command line of the passes: read a program, run a pipeline, print what came of it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from passes.build import build_pipeline
from passes.framework.dot_transform import DotTransform
from passes.framework.pass_manager import Check, PassFailure, PassManager, Watcher
from passes.program_files import Program, program_text, read_program, write_file
from passes.registry import load_all
from passes.report import pass_table, run_report
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.functions import Module
from runtime.targets import TARGETS, Target, UnknownTargetError, parse_target
from runtime.text.printer import write_module
from runtime.verifier import verify

_EPILOG = """\
examples:
  python -m passes program.txt --passes eliminate-casts
  python -m passes program.txt --passes 'eliminate-casts{allow_excess_precision=true}' --stats -o out.json
  python -m passes program.txt --passes 'fixpoint(eliminate-casts)' --print-ir-after

Files whose names end in .bir or .json hold BIR, all others the text form. FILE may be - for standard input.
Without --passes the program is only read, checked and printed.

exit status: 0 done; 1 a pass failed, which is a fault of the pass; 2 mistakes in the program, the pipeline or the
usage. Where it is not 0, nothing is written.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    given = _parser().parse_args(arguments)
    try:
        if given.list:
            print(pass_table(load_all()))
        else:
            _run(given)
        sys.stdout.flush()
    except DiagnosticsError as error:
        print(error, file=sys.stderr)
        return 2
    except PassFailure as error:
        print(f"passes: error: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def _run(given: argparse.Namespace) -> None:
    target = _target_named(given.target)
    build_pipeline(given.passes, target, "--passes")  # mistakes in the usage come before those in the file
    program = read_program(given.file)
    module = program.module
    if target is not None:
        module.target = target.name
    elif module.target is not None:
        target = _target_named(module.target)
    manager = PassManager(
        build_pipeline(given.passes, target, "--passes"),
        check=None if given.no_verify else _check_of(program, target),
        rollback=False,  # nothing is written after a failure
        before=_printer("before") if given.print_ir_before else None,
        after=_printer("after") if given.print_ir_after else None,
    )
    runs = manager.run(module)
    text = program_text(module, given.output)
    if given.output is None:
        sys.stdout.write(text)
    else:
        write_file(given.output, text)
    if given.stats:
        print(run_report(runs), file=sys.stderr)


def _check_of(program: Program, target: Target | None) -> Check:
    places = [program.places]  # of the file; once a pass has run, the program is no longer what stands there

    def check(module: Module) -> Sequence[Diagnostic]:
        return verify(module, target, places.pop() if places else None)

    return check


def _printer(when: str) -> Watcher:
    def show(transform: DotTransform, module: Module) -> None:
        print(f"// {when} {transform.pass_name}", file=sys.stderr)
        write_module(module, sys.stderr)

    return show


def _target_named(name: str | None) -> Target | None:
    try:
        return None if name is None else parse_target(name)
    except UnknownTargetError as error:
        message, _, help = str(error).partition("; ")
        raise DiagnosticsError([Diagnostic("P006", message, help=help)]) from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m passes",
        description="Runs passes on a program and prints the result.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = ", ".join(target.name for target in TARGETS)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("file", nargs="?", metavar="FILE", help="the program: text, or BIR by its ending")
    what.add_argument("--list", action="store_true", help="list the passes with their options, and exit")
    parser.add_argument("--passes", default="", metavar="PIPELINE", help="the passes to run, separated by commas")
    parser.add_argument("-o", "--output", metavar="OUT", help="where to write the result; without it, text is printed")
    parser.add_argument(
        "--target", help=f"the target to compile for ({names}); without it the program's own, else every target"
    )
    parser.add_argument("--no-verify", action="store_true", help="do not check the program before and after each pass")
    parser.add_argument("--stats", action="store_true", help="say what each pass took, changed and counted, on stderr")
    parser.add_argument("--print-ir-before", action="store_true", help="print the program before each pass, on stderr")
    parser.add_argument("--print-ir-after", action="store_true", help="print the program after each pass, on stderr")
    return parser
