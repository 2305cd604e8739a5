"""The command line of the passes: read a program, run a pipeline, print what came of it."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress

from passes.autocast.modes import UnknownCastModeError, mode_of
from passes.build import build_pipeline
from passes.foreign_files import FrontEnds, check_overwriting, fetching, hang_signatures, read_foreign, write_foreign
from passes.framework.dot_transform import DotTransform
from passes.framework.failure import PassFailure
from passes.framework.pass_manager import Check, PassManager, Step, Watcher
from passes.precision.policy import POLICIES, UnknownPolicyError, policy_named
from passes.precision.report_file import check_report, precision_passes, telling
from passes.registry import load_all
from passes.report import pass_table, run_report
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.functions import Module
from runtime.further_classes import add_classes_argument, instruction_classes
from runtime.option_values import number_of_elements
from runtime.program_files import (
    STREAM,
    Program,
    complain,
    discard_output,
    output_of,
    read_program,
    write_out,
    write_program,
)
from runtime.targets import TARGETS, Target, UnknownTargetError, parse_target
from runtime.text.printer import print_module, write_module
from runtime.verifier import verify

_EPILOG = """\
examples:
  python -m passes program.txt --passes eliminate-casts
  python -m passes program.txt --passes 'eliminate-casts{allow_excess_precision=true}' --stats -o out.json
  python -m passes program.txt --passes 'fixpoint(eliminate-casts)' --print-ir-after
  python -m passes program.txt --passes eliminate-casts --verbose
  python -m passes program.txt --auto-cast matmult --auto-cast-type fp16 --passes 'dtype-mutator, eliminate-casts'
  python -m passes program.txt --classes acme.instructions --passes eliminate-casts
  python -m passes model.onnx -o model16.onnx --policy autocast-f16 --report -
  python -m passes model.onnx --elide 16

Files whose names end in .bir or .json hold BIR, in .onnx a model, all others the text form. FILE may be - for standard
input, and OUT for standard output. Without --passes and --policy the program is only read, checked and printed.

exit status: 0 done; 1 a pass failed, which is a fault of the pass; 2 mistakes in the program, the pipeline or the
usage. Where it is not 0, nothing is written.
"""


def main(arguments: Sequence[str] | None = None, front_ends: FrontEnds | None = None) -> int:
    """Run the command line and return its exit status; `front_ends` read and write files of foreign forms."""
    try:
        given = _arguments(arguments)
        if given.list:
            write_out(f"{pass_table(load_all())}\n")
        else:
            _run(given, front_ends or {})
    except DiagnosticsError as error:
        complain(str(error))
        return 2
    except PassFailure as error:
        if given.traceback and error.cause is not None:
            complain("".join(traceback.format_exception(error.cause)).rstrip("\n"))
        complain(f"passes: error: {error}")
        if error.cause is not None and not given.traceback:
            complain("help: --traceback shows everything that was under way")
        return 1
    except BrokenPipeError:  # whoever read the output has seen enough
        discard_output()
        return 1
    return 0


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    try:
        given = _parser().parse_args(arguments)
    except SystemExit as exit:
        if exit.code == 0 and sys.stdout is not None:
            write_out("")  # the help; where it cannot be written, now is the time to say so
        raise
    given.output = output_of(given.output)
    return given


def _run(given: argparse.Namespace, front_ends: FrontEnds) -> None:
    target = _target_named(given.target)
    casts = _auto_cast_steps(given.auto_cast, given.auto_cast_type, target)
    steps = build_pipeline(given.passes, target, "--passes")  # mistakes in the usage come before those in the file
    precision = _precision_steps(given.policy)
    if given.report is not None:
        check_report(given.report, given.output, (*casts, *steps, *precision))
    classes = instruction_classes(given.classes)
    program = read_foreign(given.file, front_ends) or read_program(given.file, classes)
    module = program.module
    module.places = program.places
    if given.report is not None and given.report != STREAM:
        check_overwriting(module, given.file, given.report, front_ends, "P014", "report")
    if given.output is not None:
        check_overwriting(module, given.file, given.output, front_ends, "P011", "program")
    if any(precision_passes((*steps, *precision))):
        hang_signatures(module, front_ends)
    if target is not None:
        module.target = target.name
    elif module.target is not None:
        target = _target_named(module.target)
    manager = PassManager(
        (
            *_auto_cast_steps(given.auto_cast, given.auto_cast_type, target),
            *build_pipeline(given.passes, target, "--passes"),
            *precision,
        ),
        check=None if given.no_verify else _check_of(program, target),
        rollback=False,  # nothing is written after a failure
        explain=given.verbose,
        before=_printer("before", given.elide) if given.print_ir_before else None,
        after=_printer("after", given.elide) if given.print_ir_after else None,
    )
    with fetching(given.file, given.output, front_ends):
        runs = manager.run(module)
        with telling(manager.steps, given.report, given.output):
            if given.output is None:
                write_out(print_module(module, elide=given.elide))  # all of it, before any of it is shown
            elif not write_foreign(module, given.output, front_ends):
                write_program(module, given.output)
    if given.stats or given.verbose:
        complain(run_report(runs))


def _auto_cast_steps(mode: str | None, type: str | None, target: Target | None) -> tuple[Step, ...]:
    if mode is None and type is None:
        return ()
    try:
        mode_of(mode or "none", type or "bf16")
    except UnknownCastModeError as error:
        message, _, help = str(error).partition("; ")
        raise DiagnosticsError([Diagnostic("P020", message, help=help)]) from error
    if mode is None:
        message = f"--auto-cast-type {type} says to which float, and nothing says what is cast"
        raise DiagnosticsError([Diagnostic("P020", message, help="add --auto-cast matmult, or all")])
    return build_pipeline(f"auto-cast-fp32{{mode={mode}, type={type or 'bf16'}}}", target, "--auto-cast")


def _precision_steps(policy: str | None) -> tuple[Step, ...]:
    if policy is None:
        return ()
    try:
        return build_pipeline(f"auto-mixed-precision{{policy={policy_named(policy).name}}}", None, "--policy")
    except UnknownPolicyError as error:
        message, _, help = str(error).partition("; ")
        raise DiagnosticsError([Diagnostic("P007", message, help=help)]) from error


def _check_of(program: Program, target: Target | None) -> Check:
    places = [program.places]  # of the file; once a pass has run, the program is no longer what stands there

    def check(module: Module) -> Sequence[Diagnostic]:
        return verify(module, target, places.pop() if places else None)

    return check


def _printer(when: str, elide: int | None) -> Watcher:
    def show(transform: DotTransform, module: Module) -> None:
        complain(f"// {when} {transform.pass_name}")
        if sys.stderr is not None:
            with suppress(OSError):  # as `complain`
                write_module(module, sys.stderr, elide=elide)

    return show


def _target_named(name: str | None) -> Target | None:
    try:
        return None if name is None else parse_target(name)
    except UnknownTargetError as error:
        message, _, help = str(error).partition("; ")
        raise DiagnosticsError([Diagnostic("P006", message, help=help)]) from error


def _file_name(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("the name of a file is needed, and this is empty")
    return text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m passes",
        description="Runs passes on a program and prints the result.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = ", ".join(target.name for target in TARGETS)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "file", nargs="?", type=_file_name, metavar="FILE", help="the program: text, or BIR or a model by its ending"
    )
    what.add_argument("--list", action="store_true", help="list the passes with their options, and exit")
    parser.add_argument("--passes", default="", metavar="PIPELINE", help="the passes to run, separated by commas")
    parser.add_argument(
        "--auto-cast", metavar="MODE", help="before the passes, let f32 be narrower: none, matmult or all of it"
    )
    parser.add_argument(
        "--auto-cast-type", metavar="TYPE", help="to which float: bf16 (the default), fp16, tf32 or fp8_e4m3"
    )
    parser.add_argument("--policy", metavar="POLICY", help=f"after the passes, apply one of {', '.join(POLICIES)}")
    parser.add_argument(
        "-o", "--output", type=_file_name, metavar="OUT", help="where to write the result; without it, text is printed"
    )
    parser.add_argument(
        "--report",
        type=_file_name,
        metavar="FILE",
        help="write what runs in which float, and why: text, or JSON by its ending",
    )
    parser.add_argument(
        "--target", help=f"the target to compile for ({names}); without it the program's own, else every target"
    )
    add_classes_argument(parser)
    parser.add_argument("--no-verify", action="store_true", help="do not check the program before and after each pass")
    parser.add_argument("--stats", action="store_true", help="say what each pass took, changed and counted, on stderr")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="--stats, and what each pass kept as it is, and why"
    )
    parser.add_argument("--traceback", action="store_true", help="show all of what was under way when a pass failed")
    parser.add_argument("--print-ir-before", action="store_true", help="print the program before each pass, on stderr")
    parser.add_argument("--print-ir-after", action="store_true", help="print the program after each pass, on stderr")
    parser.add_argument(
        "--elide",
        type=number_of_elements,
        metavar="N",
        help="print constants of at most N elements; such text is not read back",
    )
    return parser
