"""The options of `python -m passes`, as `argparse` knows them.

Deliberately absent: what goes together; `passes/arguments.py` says that.
"""

from __future__ import annotations

import argparse
from typing import Any

from passes.model_arguments import add_model_options
from passes.precision.policy import POLICIES
from runtime.further_classes import add_classes_argument
from runtime.option_values import OptionParser, is_whole_number, number_of_elements
from runtime.targets import TARGETS

_EPILOG = """\
examples:
  python -m passes program.txt --passes eliminate-casts
  python -m passes program.txt --passes 'eliminate-casts{allow-excess-precision=true}' --stats -o out.json
  python -m passes program.txt --passes 'fixpoint{rounds=9}(eliminate-casts)' --print-ir-after=eliminate-casts
  python -m passes program.txt --passes eliminate-casts --verbose --stats=statistics.json
  python -m passes program.txt --passes eliminate-casts --verify-numerics inputs.npz --reproducer .
  python -m passes eliminate-casts-1.txt --run-reproducer --bisect > smaller.txt
  python -m passes program.txt --auto-cast matmult --auto-cast-type fp16 --passes 'dtype-mutator, eliminate-casts'
  python -m passes program.txt --passes 'numeric-chain{mode=all type=bf16}' --report
  python -m passes program.txt --passes 'auto-mixed-precision{policy=autocast-bf16}, clean-casts'
  python -m passes program.txt --passes numeric-chain --sweep --report table.json -i inputs.npz
  python -m passes program.txt --classes acme.instructions --passes eliminate-casts
  python -m passes model.onnx -o model16.onnx --policy autocast-f16 --report -
  python -m passes model.onnx -o model16.onnx --policy mine.yaml
  python -m passes model.onnx -o model16.onnx --policy autocast-f16 --keep 'Softmax*' --calibrate in.npz --verify in.npz
  python -m passes model.onnx --elide 16

Files whose names end in .bir or .json hold BIR, in .onnx a model, all others the text form. FILE may be - for standard
input, and OUT for standard output. Without --passes, --auto-cast and --policy the program is only read, checked and
printed.

A pipeline is names of passes and of pipelines, separated by commas, each with options in braces, separated by commas or
spaces: "auto-cast-fp32{mode=matmult type=bf16},dtype-mutator,eliminate-casts". fixpoint(a, b) repeats its steps until
nothing changes. In names, _ may stand for -.

exit status: 0 done; 1 a pass failed, which is a fault of the pass; 2 mistakes in the program, the pipeline or the
usage; 130 interrupted. Where it is not 0, no result is written.
"""


def argument_parser() -> argparse.ArgumentParser:
    """Return what reads the words of a command line."""
    parser = OptionParser(
        prog="python -m passes",
        usage="python -m passes FILE [--passes PIPELINE] [--policy POLICY] [-o OUT] [OPTION ...]\n"
        "       python -m passes FILE --run-reproducer [OPTION ...]\n       python -m passes --list",
        allow_abbrev=False,
        description="Runs passes on a program and prints the result.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_mutually_exclusive_group()  # one of the two is needed, which `passes/arguments.py` says
    what.add_argument(
        "file", nargs="?", type=_file_name, metavar="FILE", help="the program: text, or BIR or a model by its ending"
    )
    what.add_argument(
        "--list",
        action="store_true",
        help="list passes and pipelines with their options, and what the policies do, and exit",
    )
    _add_what_runs(parser)
    add_model_options(parser.add_argument_group("what is asked of --policy"), _Once, _file_name, _number)
    _add_what_is_told(parser.add_argument_group("what is told, on standard error"))
    _add_what_is_checked(parser.add_argument_group("where a pass goes wrong"))
    return parser


def _add_what_runs(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(target.name for target in TARGETS)

    def add(*names: str, **settings: Any) -> None:
        parser.add_argument(*names, action=_Once, **settings)

    add("--passes", default="", metavar="PIPELINE", help="the passes and pipelines to run, separated by commas")
    add("--auto-cast", metavar="MODE", help="before the passes, let f32 be narrower: none, matmult or all of it")
    add(
        "--auto-cast-type",
        metavar="TYPE",
        help="to which float: bf16 (the default), fp16, tf32 or fp8_e4m3; f16, f32r, f8e4m3 mean the same",
    )
    add(
        "--policy",
        metavar="POLICY",
        help=f"after the passes, apply one of {', '.join(POLICIES)}, or a YAML file; --list has what each does",
    )
    add(
        "-o",
        "--output",
        type=_file_name,
        metavar="OUT",
        help="where to write the result, FILE itself to replace it; without it, text is printed",
    )
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

    once(
        "--report",
        "[FILE]",
        "casts inserted, removed and left, and the error against the program in f64; with --policy what runs in which"
        " float, and why: text, or JSON by its ending",
    )
    once(
        "--sweep",
        "[=OPTION,...]",
        "run the pipeline with each value of options that it leaves open, mode and type, and print one report of all"
        " in place of a program",
        _option_names,
    )
    group.add_argument(
        "-i",
        "--input",
        action="append",
        default=[],
        type=_file_name,
        metavar="[NAME=]FILE",
        help="inputs that --report and --sweep run the program on, .npz or .npy; without it they are generated",
    )
    once("--stats", "[=FILE]", "say what each pass took, changed and counted; in a file text, or JSON by its ending")
    group.add_argument(
        "-v", "--verbose", action="store_true", help="--stats, and what each pass kept as it is, and why"
    )
    once(
        "--print-ir-before",
        "[=PASS,...]",
        "print the program before each pass, or before those, or those pipelines, that are named",
        _pass_names,
    )
    once(
        "--print-ir-after",
        "[=PASS,...]",
        "print the program after each pass, or after those, or those pipelines, that are named",
        _pass_names,
    )
    once("--print-ir-after-change", "[=PASS,...]", "print the functions that a pass has changed", _pass_names)
    group.add_argument("--traceback", action="store_true", help="show all of what was under way when a pass failed")


def _add_what_is_checked(group: Any) -> None:
    def add(*names: str, **settings: Any) -> None:
        group.add_argument(*names, **settings)

    add("--no-check", action="store_true", help="do not check the program before and after each pass")
    add("--no-verify", action="store_true", dest="no_check", help=argparse.SUPPRESS)  # its older name
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


def _option_names(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("names of options are needed behind the sign, and there are none")
    return text


def _number(text: str) -> int:
    if not is_whole_number(text):
        shown = text if len(text) <= 40 else f"{text[:40]}..."
        raise argparse.ArgumentTypeError(f'"{shown}" is no whole number from 0 on, or has too many digits')
    return int(text)
