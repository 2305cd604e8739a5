"""What `python -m passes` takes.

Some options have a value that may be left out: `--print-ir-after`, `--print-ir-after=eliminate-casts`. It is written
with the sign, so that the name of a file behind the option is not taken for it.

Deliberately absent: options that silently replace each other. One that is given twice is a mistake.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, Final

from passes.precision.policy import POLICIES
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.further_classes import add_classes_argument
from runtime.option_values import is_whole_number, number_of_elements
from runtime.program_files import output_of, write_out
from runtime.targets import TARGETS

ALL: Final = "*"  # the value that was left out
_OPTIONAL: Final = ("--print-ir-before", "--print-ir-after", "--print-ir-after-change", "--stats", "--verify-numerics")
_ARRAYS: Final = (".npz", ".npy")

_EPILOG = """\
examples:
  python -m passes program.txt --passes eliminate-casts
  python -m passes program.txt --passes 'eliminate-casts{allow-excess-precision=true}' --stats -o out.json
  python -m passes program.txt --passes 'fixpoint{rounds=9}(eliminate-casts)' --print-ir-after=eliminate-casts
  python -m passes program.txt --passes eliminate-casts --verbose --stats=statistics.json
  python -m passes program.txt --passes eliminate-casts --verify-numerics inputs.npz --reproducer .
  python -m passes eliminate-casts-1.txt --run-reproducer --bisect > smaller.txt
  python -m passes program.txt --auto-cast matmult --auto-cast-type fp16 --passes 'dtype-mutator, eliminate-casts'
  python -m passes program.txt --classes acme.instructions --passes eliminate-casts
  python -m passes model.onnx -o model16.onnx --policy autocast-f16 --report -
  python -m passes model.onnx -o model16.onnx --policy mine.yaml
  python -m passes model.onnx --elide 16

Files whose names end in .bir or .json hold BIR, in .onnx a model, all others the text form. FILE may be - for standard
input, and OUT for standard output. Without --passes, --auto-cast and --policy the program is only read, checked and
printed.

A pipeline is names of passes and of pipelines, separated by commas, each with options in braces, separated by commas or
spaces: "auto-cast-fp32{mode=matmult type=bf16},dtype-mutator,eliminate-casts". fixpoint(a, b) repeats its steps until
nothing changes.

exit status: 0 done; 1 a pass failed, which is a fault of the pass; 2 mistakes in the program, the pipeline or the
usage; 130 interrupted. Where it is not 0, no result is written.
"""


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return what is given on the command line, which goes together.

    Raises: SystemExit where it cannot be read; DiagnosticsError where it does not go together.
    """
    words = _with_values(sys.argv[1:] if arguments is None else arguments)
    try:
        given = _parser().parse_args(words)
    except SystemExit as exit:
        if exit.code == 0 and sys.stdout is not None:
            write_out("")  # the help; where it cannot be written, now is the time to say so
        raise
    given.output = output_of(given.output)
    given.words = words
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
        if word == "--verify-numerics" and left and left[0].lower().endswith(_ARRAYS):
            word = f"{word}={left.pop(0)}"
        elif word in _OPTIONAL:
            word = f"{word}={ALL}"
        found.append(word)
    return found


def _check_together(given: argparse.Namespace) -> None:
    """Refuse options that do nothing without another one, or contradict each other.

    Raises: DiagnosticsError with all of them.
    """
    wrong = []
    if given.verify_numerics is None:
        named = {"--seed": given.seed is not None, "--numerics-if-possible": given.numerics_if_possible}
        wrong += [f"{name} is for --verify-numerics" for name, is_given in named.items() if is_given]
    elif given.verify_numerics != ALL and given.seed is not None:
        wrong.append(f"--seed is for inputs that are generated, and {given.verify_numerics} is given")
    if given.bisect and given.rewrite_limit is not None:
        wrong.append("--bisect looks for the rewrite limit by itself; leave out --rewrite-limit")
    if given.list and len(given.words) > 1:
        wrong.append("--list stands alone")
    if not given.list and not (given.passes or given.policy or given.auto_cast or given.run_reproducer):
        named = {"--bisect": given.bisect, "--reproducer": given.reproducer, "--verify-numerics": given.verify_numerics}
        wrong += [f"{name} is for a run of passes, and none are given" for name, is_given in named.items() if is_given]
    if wrong:
        raise DiagnosticsError([Diagnostic("P016", message) for message in wrong])


class _Once(argparse.Action):
    """Stores the value of an option that may be given once."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        seen = vars(namespace).setdefault("seen", set())
        if self.dest in seen:
            parser.error(f"argument {'/'.join(self.option_strings)}: given twice")
        seen.add(self.dest)
        setattr(namespace, self.dest, values)


def _file_name(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("the name of a file is needed, and this is empty")
    return text


def _pass_names(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("names of passes are needed behind the sign, and there are none")
    return text


def _number(text: str) -> int:
    if not is_whole_number(text):
        shown = text if len(text) <= 40 else f"{text[:40]}..."
        raise argparse.ArgumentTypeError(f'"{shown}" is no whole number from 0 on, or has too many digits')
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m passes",
        usage="python -m passes FILE [--passes PIPELINE] [--policy POLICY] [-o OUT] [OPTION ...]\n"
        "       python -m passes FILE --run-reproducer [OPTION ...]\n       python -m passes --list",
        allow_abbrev=False,
        description="Runs passes on a program and prints the result.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "file", nargs="?", type=_file_name, metavar="FILE", help="the program: text, or BIR or a model by its ending"
    )
    what.add_argument("--list", action="store_true", help="list passes and pipelines with their options, and exit")
    _add_what_runs(parser)
    _add_what_is_told(parser.add_argument_group("what is told, on standard error"))
    _add_what_is_checked(parser.add_argument_group("where a pass goes wrong"))
    return parser


def _add_what_runs(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(target.name for target in TARGETS)

    def add(*names: str, **settings: Any) -> None:
        parser.add_argument(*names, action=_Once, **settings)

    add("--passes", default="", metavar="PIPELINE", help="the passes and pipelines to run, separated by commas")
    add("--auto-cast", metavar="MODE", help="before the passes, let f32 be narrower: none, matmult or all of it")
    add("--auto-cast-type", metavar="TYPE", help="to which float: bf16 (the default), fp16, tf32 or fp8_e4m3")
    add(
        "--policy",
        metavar="POLICY",
        help=f"after the passes, apply one of {', '.join(POLICIES)}, or a policy in a YAML file",
    )
    add("-o", "--output", type=_file_name, metavar="OUT", help="where to write the result; without it, text is printed")
    add("--target", help=f"the target to compile for ({names}); without it the program's own, else every target")
    add_classes_argument(parser)
    add(
        "--rewrite-limit",
        type=_number,
        metavar="N",
        help="do no more than N rewrites, of all passes together; what comes after is left as it is",
    )
    add(
        "--elide",
        type=number_of_elements,
        metavar="N",
        help="print constants of at most N elements; such text is not read back",
    )


def _add_what_is_told(group: Any) -> None:
    def once(name: str, metavar: str, help: str, type: Any = _file_name) -> None:
        group.add_argument(name, action=_Once, type=type, metavar=metavar, help=help)

    once("--report", "FILE", "write what runs in which float, and why: text, or JSON by its ending")
    once("--stats", "[=FILE]", "say what each pass took, changed and counted; in a file text, or JSON by its ending")
    group.add_argument(
        "-v", "--verbose", action="store_true", help="--stats, and what each pass kept as it is, and why"
    )
    once(
        "--print-ir-before",
        "[=PASS,...]",
        "print the program before each pass, or before those that are named",
        _pass_names,
    )
    once(
        "--print-ir-after",
        "[=PASS,...]",
        "print the program after each pass, or after those that are named",
        _pass_names,
    )
    once("--print-ir-after-change", "[=PASS,...]", "print the functions that a pass has changed", _pass_names)
    group.add_argument("--traceback", action="store_true", help="show all of what was under way when a pass failed")


def _add_what_is_checked(group: Any) -> None:
    def add(*names: str, **settings: Any) -> None:
        group.add_argument(*names, **settings)

    add("--no-verify", action="store_true", help="do not check the program before and after each pass")
    add(
        "--verify-numerics",
        action=_Once,
        type=_file_name,
        metavar="[INPUTS.npz]",
        help="run the program before and after each pass, on these inputs or on generated ones, and fail where results"
        " differ in any way that the pass does not state",
    )
    add("--seed", action=_Once, type=_number, metavar="N", help="of the inputs that are generated; 0 without it")
    add(
        "--numerics-if-possible",
        action="store_true",
        help="with --verify-numerics: where the program cannot be run, say so and go on without",
    )
    add(
        "--reproducer",
        action=_Once,
        type=_file_name,
        metavar="DIR|FILE",
        help="where a pass fails, write the program before it, with the command that fails",
    )
    add("--run-reproducer", action="store_true", help="FILE is a reproducer: run the command that stands in it")
    add(
        "--bisect",
        action="store_true",
        help="where a pass fails, look for its first bad rewrite, and reduce the program to what is needed; this is"
        " written to --reproducer, else printed",
    )
