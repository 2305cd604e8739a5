"""The command line of programs: print, convert, verify, run, trace and compare them.

Deliberately absent: passes, and writing models; `python -m passes` has both. Front ends read models and compute their
nodes; which there are, the driver says (`runtime/__main__.py`).
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, get_args

from runtime.array_files import as_declared, read_arrays, split_argument, write_arrays
from runtime.comparison import compare
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.front_ends import WHAT_THEY_COMPUTE, FrontEnds, fetching_from, front_end_of, hang_signatures, read_foreign
from runtime.functions import Module
from runtime.further_classes import add_classes_argument, instruction_classes
from runtime.instruction_set import InstructionSet
from runtime.interpreter.errors import InputError, InterpreterError, shown
from runtime.interpreter.failing_function import notes_of
from runtime.interpreter.inputs import inputs_of
from runtime.interpreter.run import function_named, run
from runtime.names import Names
from runtime.option_values import OptionParser, is_whole_number, number_of_elements
from runtime.program_files import (
    STREAM,
    check_place,
    complain,
    discard_output,
    is_bir,
    output_of,
    read_program,
    write_file,
    write_out,
    write_program,
)
from runtime.rounding import Rounding
from runtime.run_report import output_table, write_report
from runtime.semantics import OutOfBounds
from runtime.targets import TARGETS, UnknownTargetError, parse_target
from runtime.text.printer import print_module, write_module
from runtime.tracing import trace
from runtime.verifier import verify

MODEL_ENDING: Final = ".onnx"  # of files that front ends read and write
_EPILOG = """\
examples:
  python -m runtime program.txt                         print it in canonical text
  python -m runtime program.txt -o program.bir          convert it, and back
  python -m runtime program.txt --verify
  python -m runtime program.txt --run -i x.npy -i bias=b.npy -o outputs.npz
  python -m runtime program.txt --trace -i inputs.npz
  python -m runtime program.txt --compare lower.txt -i inputs.npz -o report.json
  python -m runtime program.txt --classes acme.instructions --run -i x.npy
  python -m runtime model.onnx --compare converted.onnx -i inputs.npz

Files whose names end in .bir or .json hold BIR, in .onnx a model, which is read and not written, all others the text
form; FILE may be - for standard input, which is
text. An input is a .npy, by the name of its file or as NAME=FILE, or a .npz, by the names in it. Elements that numpy
has no data type for (bf16, 8-bit floats, 4-bit types) are unsigned integers of the same width, which hold their bits,
or what numpy.save makes of an array of ml_dtypes; so are they written.

Printing and converting check the form only; what has it may still be wrong, which --verify, --run, --trace and
--compare say. Nodes of models are computed as the reference of ONNX does, each result rounded once to its own type;
that needs the extra onnx. The outputs of a model go by their positions.

exit status: 0 done; 2 mistakes in the program, the inputs or the usage. Where it is not 0, nothing is written.
"""


def main(arguments: Sequence[str] | None = None, front_ends: FrontEnds = MappingProxyType({})) -> int:
    """Run the command line and return its exit status; `front_ends` read files of foreign forms."""
    try:
        given = _arguments(arguments)
        _check_usage(given)
        _run(given, front_ends)
    except DiagnosticsError as error:
        complain(str(error))
        return 2
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


def _check_usage(given: argparse.Namespace) -> None:
    """Refuse options that do not go together, and an output that would overwrite what is read.

    Raises: DiagnosticsError with all that is wrong.
    """
    runs = given.run or given.trace or given.compare is not None
    wrong = []
    if not runs:
        named = [name for name in ("input", "function", "out_of_bounds") if getattr(given, name)]
        wrong += [f"--{name.replace('_', '-')} is for --run, --trace and --compare" for name in named]
    if not (given.run or given.trace):
        chosen = {"--saturate": given.saturate, "--stochastic": given.stochastic is not None}
        wrong += [f"{name} is for --run and --trace" for name, is_chosen in chosen.items() if is_chosen]
    if given.per_iteration and not given.trace:
        wrong.append("--per-iteration is for --trace")
    if given.elide is not None and (runs or given.verify):
        wrong.append("--elide is for printing the program")
    if given.elide is not None and given.output is not None and is_bir(given.output):
        wrong.append(f"{given.output}: --elide is for text, and a file of this name holds BIR")
    if given.run and given.output is not None and not given.output.lower().endswith(".npz"):
        wrong.append(f"{given.output}: what --run gives is written to a file that ends in .npz")
    problems = [Diagnostic("R006", message) for message in wrong]
    if not runs and given.output is not None and given.output.lower().endswith(MODEL_ENDING):
        help_text = f"python -m passes {given.file} -o {given.output}"
        problems.append(Diagnostic("R006", f"{given.output}: a file of this name holds a model", help=help_text))
    for read in (given.file, given.compare, *(split_argument(one)[1] for one in given.input)):
        if read is not None and given.output is not None and read != STREAM and _is_same(read, given.output):
            problems.append(Diagnostic("R004", f"the output would overwrite {read}, which is read"))
    if problems:
        raise DiagnosticsError(problems)
    if given.output is not None:
        check_place(given.output)


def _is_same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return os.path.realpath(one) == os.path.realpath(other)


def _run(given: argparse.Namespace, front_ends: FrontEnds) -> None:
    reader = _Reader(instruction_classes(given.classes), front_ends, given.target, given.output)
    with fetching_from([one for one in (given.file, given.compare) if one is not None], front_ends):
        _run_on(given, reader)


def _run_on(given: argparse.Namespace, reader: _Reader) -> None:
    module = reader.read(given.file)
    runs = given.run or given.trace or given.compare is not None
    if given.verify or runs:
        _verify(module)
    if runs:
        _run_program(given, module, reader)
    elif given.verify and given.output is None:
        write_out(f"{given.file}: {sum(1 for _ in module.insts)} instructions, nothing wrong\n")
    elif given.output is None:
        write_out(print_module(module, elide=given.elide))
    elif given.elide is None:
        write_program(module, given.output)
    else:
        write_file(given.output, lambda file: write_module(module, file, elide=given.elide))


@dataclass(frozen=True)
class _Reader:
    """Reads programs of each form, for one run."""

    classes: InstructionSet
    front_ends: FrontEnds
    target: str | None
    output: str | None

    def read(self, name: str) -> Module:
        program = read_foreign(name, self.front_ends)
        if program is not None:
            self._prepare(name, program.module)
        else:
            program = read_program(name, self.classes)
        program.module.places = program.places
        if self.target is not None:
            try:
                program.module.target = parse_target(self.target).name
            except UnknownTargetError as error:
                message, _, help_text = str(error).partition("; ")
                raise DiagnosticsError([Diagnostic("P006", message, help=help_text)]) from error
        return program.module

    def _prepare(self, name: str, module: Module) -> None:
        """Refuse to overwrite data of a model, and call its values what its file calls them."""
        end = front_end_of(name, self.front_ends)
        assert end is not None
        for file in end.data_files(module) if self.output is not None else ():
            if self.output is not None and _is_same(str(file), self.output):
                raise DiagnosticsError([Diagnostic("R004", f"the output would overwrite {file}, data of {name}")])
        if end.name_values is not None:
            with suppress(end.error):
                end.name_values(module)


def _verify(module: Module) -> None:
    problems = verify(module)
    if problems:
        raise DiagnosticsError(problems)


def _run_program(given: argparse.Namespace, module: Module, reader: _Reader) -> None:
    second = None if given.compare is None else reader.read(given.compare)
    if second is not None:
        _verify(second)
    modules = [module] if second is None else [module, second]
    for each in modules:
        hang_signatures(each, reader.front_ends, WHAT_THEY_COMPUTE)
    arrays = read_arrays(given.input)
    options: dict[str, Any] = {"function": given.function, "out_of_bounds": given.out_of_bounds or "error"}
    rounding = Rounding(saturate=given.saturate, stochastic_seed=given.stochastic)
    try:
        function = function_named(module, given.function)
        inputs = as_declared(arrays, inputs_of(function, Names(function)))
        if second is not None:
            write_report(compare(module, second, inputs, **options), given.output)
        elif given.trace:
            options |= {"per_iteration": given.per_iteration, "rounding": rounding}
            write_report(trace(module, inputs, **options), given.output)
        else:
            outputs = run(module, inputs, rounding=rounding, **options)
            if given.output is None:
                write_out(f"{output_table(outputs)}\n")
            else:
                write_arrays(given.output, outputs)
    except InterpreterError as error:
        if error.trace is not None:
            write_out(f"{error.trace}\n")
        if given.traceback:
            complain("".join(traceback.format_exception(error.__cause__ or error)).rstrip("\n"))
        files = {} if second is None else {"the first version": given.file, "the second version": given.compare}
        raise DiagnosticsError(_diagnostics(error, modules, files)) from error
    except MemoryError as error:
        raise DiagnosticsError([Diagnostic("R003", "the program needs more memory than there is")]) from error


def _diagnostics(
    error: InterpreterError, modules: Sequence[Module], files: Mapping[str, str] = MappingProxyType({})
) -> list[Diagnostic]:
    """Return what stopped a run, each problem by itself, at its place in the text of the program where it has one.

    `files` are the names of the versions that are compared, by what the comparison calls them.
    """
    if isinstance(error, InputError):
        message = error.message
        for version, file in files.items():
            message = message.replace(f"{version}: ", f"{file}: ")
        parts = [line.partition("; ") for line in message.splitlines()]
        return [Diagnostic("R002", message, help=help_text or _how_given(message)) for message, _, help_text in parts]
    if error.inst is None:
        return [Diagnostic("R003", error.message)]
    notes = notes_of(error)
    help = "--traceback shows everything that was under way" if notes else ""
    for module in modules:
        place = None if module.places is None else module.places.of(error.inst)
        if place is not None and module.places is not None:
            line = module.places.source_line(place)
            return [Diagnostic("R003", error.message, place, line, help=help, notes=notes)]
    return [Diagnostic("R003", f"{error.message}, in {shown(error.inst)}", help=help, notes=notes)]


def _how_given(message: str) -> str:
    """Return how the input is given that a message says is missing; nothing for other messages."""
    found = re.search(r' "(\S+)": \S+ is missing$', message)
    return f"-i {found[1]}=FILE.npy gives it" if found else ""


def _seed(text: str) -> int:
    if not is_whole_number(text):
        raise argparse.ArgumentTypeError("a seed is a whole number from 0 on")
    return int(text)


def _file_name(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("the name of a file is needed, and this is empty")
    return text


def _parser() -> argparse.ArgumentParser:
    parser = OptionParser(
        prog="python -m runtime",
        description="Prints, converts, verifies, runs and compares programs.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=_file_name, metavar="FILE", help="the program: text, or BIR by its ending")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--run", action="store_true", help="run it on the inputs, exactly")
    what.add_argument("--trace", action="store_true", help="run it, and show the range of every value")
    what.add_argument(
        "--compare", type=_file_name, metavar="FILE2", help="run another version too: what introduces the error?"
    )
    parser.add_argument("--verify", action="store_true", help="say all that is wrong with it")
    add = parser.add_argument
    add("-i", "--input", action="append", default=[], type=_file_name, metavar="[NAME=]FILE", help="may be repeated")
    add("-o", "--output", type=_file_name, metavar="OUT", help="where to write to: a program, an .npz, a report")
    add("--function", metavar="NAME", help="which function to run; without it @main, or the only one")
    add(
        "--out-of-bounds", choices=get_args(OutOfBounds), help="what a run-time index does that leads out of its tensor"
    )
    add("--per-iteration", action="store_true", help="trace each iteration of a loop by itself")
    add("--saturate", action="store_true", help="8-bit floats take their largest value in place of infinity or NaN")
    add("--stochastic", type=_seed, metavar="SEED", help="round stochastically, by random numbers from this seed")
    add("--traceback", action="store_true", help="show all of what was under way when an instruction failed")
    add("--target", help=f"check it for another target than its own ({', '.join(each.name for each in TARGETS)})")
    add_classes_argument(parser)
    add(
        "--elide",
        type=number_of_elements,
        metavar="N",
        help="print constants of at most N elements; such text is not read back",
    )
    return parser
