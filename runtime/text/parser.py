"""From text to a module; grammar.md describes the text.

Deliberately absent: knowledge of instructions. They come from the table of classes that the caller gives, and each is
read as the `INFO` of its class says. Types are taken as they are stated; whether they are right is for the verifier.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from runtime.functions import Function, Module
from runtime.garbage import paused_gc
from runtime.instructions import Instruction
from runtime.quoting import WORD, WORD_ENDS
from runtime.targets import UnknownTargetError, parse_target
from runtime.text.hexadecimal import ELIDED, read_hex, refuse_elided
from runtime.text.instruction_reader import FormTable
from runtime.text.places import ParsedModule, Places
from runtime.text.recovery import end_of_function, lost_brace
from runtime.text.scanner import Mistake, Scanner
from runtime.text.scope import any_name
from runtime.text.source import SourceText
from runtime.text.statements import BLOCK_NOT_CLOSED, StatementReader, Unclosed

_word = re.compile(WORD)


def parse(text: str, classes: Mapping[str, type[Instruction]], file: str = "<text>") -> Module:
    """Return the program that `text` says; `classes` are the instructions that it may use, by mnemonic.

    Raises: DiagnosticsError with all mistakes of the text, in the order of the text.
    """
    return parse_with_places(text, classes, file).module


def parse_with_places(text: str, classes: Mapping[str, type[Instruction]], file: str = "<text>") -> ParsedModule:
    """Return the program that `text` says, and where in `text` each of its parts stands.

    Raises: DiagnosticsError with all mistakes of the text, in the order of the text.
    """
    scanner = Scanner(SourceText(text, file))
    reader = _ModuleReader(scanner, FormTable(classes))
    with paused_gc():
        reader.read()
    scanner.raise_mistakes()
    return ParsedModule(reader.module, reader.places)


class _ModuleReader:
    """Reads a whole text."""

    def __init__(self, scanner: Scanner, forms: FormTable) -> None:
        self.scanner = scanner
        self.forms = forms
        self.module = Module()
        self.places = Places(scanner.source)
        self._sites: dict[str, int] = {}  # of functions
        self._stumbled = False  # whether the last function has mistakes, perhaps in its braces

    def read(self) -> None:
        """Read the text to its end."""
        scanner = self.scanner
        if scanner.text.startswith("\ufeff"):
            scanner.pos = 1
        while True:
            scanner.skip_lines()
            start = scanner.pos
            if start == len(scanner.text):
                return
            n_mistakes = len(scanner.mistakes)
            try:
                self._read_part(start)
            except Unclosed as unclosed:
                self._report_unclosed(unclosed, start)
            except Mistake as mistake:
                scanner.report(mistake.diagnostic)
                scanner.pos = end_of_function(scanner.text, start + 1)
            self._stumbled = len(scanner.mistakes) > n_mistakes

    def _report_unclosed(self, unclosed: Unclosed, start: int) -> None:
        """Report a block of the function at `start` that is not closed: where the lines of the text show it, that one.

        What was found wrong behind the place that shows it is then a consequence.
        """
        scanner = self.scanner
        lost = lost_brace(scanner.text, start, scanner.pos)
        if unclosed.mistaken is not None and (lost is None or lost[1] > unclosed.mistaken):
            return  # a consequence of the mistake in that statement
        if lost is None:
            scanner.report(unclosed.diagnostic)
            return
        opened, noticed = lost
        place = scanner.source.place(noticed, noticed)
        scanner.mistakes[:] = [
            mistake
            for mistake in scanner.mistakes
            if mistake.place is None or (mistake.place.line, mistake.place.column) < (place.line, place.column)
        ]
        notes = (scanner.note("this stands outside of it, to judge by its indent", noticed),)
        scanner.report(scanner.diagnostic("T002", BLOCK_NOT_CLOSED, opened, opened + 1, notes=notes))

    def _read_part(self, start: int) -> None:
        word = self.scanner.take(_word)
        if word == "func":
            self._read_function(start)
        elif word == "target":
            self._read_target(start)
        elif word == "carried":
            self._read_carried(start)
        elif word == ELIDED:
            self.scanner.pos = start
            refuse_elided(self.scanner)
        elif self._stumbled:
            raise Mistake(None)
        else:
            self.scanner.pos = start
            self.scanner.fail_expecting('"func"')

    def _read_target(self, start: int) -> None:
        scanner = self.scanner
        name = scanner.word("the name of a target")
        end = scanner.pos
        if self.module.target is not None or self._sites:
            scanner.fail("T041", "the target is said once, before the first function", start, end)
        try:
            self.module.target = parse_target(name).name
        except UnknownTargetError as error:
            message, _, help = str(error).partition("; ")
            scanner.fail("T040", message, end - len(name), end, help=help)
        scanner.expect_end_of_line()

    def _read_carried(self, start: int) -> None:
        scanner = self.scanner
        if self.module.carried is not None:
            scanner.fail("T041", "what a program carries is said once", start, scanner.pos)
        self.module.carried = read_hex(scanner, "what the program carries")
        scanner.expect_end_of_line()

    def _read_function(self, start: int) -> None:
        scanner = self.scanner
        scanner.skip_space()
        at = scanner.pos
        spelled = scanner.name("@", "the name of the function, such as @main")
        function = Function(any_name(spelled))
        reader = StatementReader(scanner, self.forms, function, self.places)
        try:
            if function.name in self._sites:
                notes = (scanner.note("the first one is here", self._sites[function.name]),)
                scanner.report(scanner.diagnostic("T012", f"@{spelled} is defined twice", at, scanner.pos, notes=notes))
            else:
                self._sites[function.name] = at
                self.module.add_function(function)
                self.places.offsets[function] = start
            self._read_header(reader, function, start)
            reader.read_block(function.body, scanner.pos - 1)
            scanner.expect_end_of_line()
        finally:
            reader.scope.report_unknown()

    def _read_header(self, reader: StatementReader, function: Function, start: int) -> None:
        """Read the arguments and the opening brace; after a mistake in them, the body is read all the same."""
        scanner = self.scanner
        try:
            scanner.expect("(")
            reader.read_arguments(function.body)
            if scanner.take(_opset):
                self._read_operator_sets(function)
            scanner.expect("{")
        except Mistake as mistake:
            reader.recover_into_body(mistake, start)

    def _read_operator_sets(self, function: Function) -> None:
        scanner = self.scanner
        scanner.skip_space()
        opened = scanner.pos
        scanner.expect("{", help='versions of operators are said by domain: opset {"ai.onnx" = 17}')
        for _ in scanner.items("}", opened):
            start = scanner.pos
            domain = scanner.string("a domain of operators, a text in quotes")
            if domain in function.operator_sets:
                scanner.fail("T022", f'"{domain}" is given twice', start, scanner.pos)
            scanner.skip_lines()
            scanner.expect("=")
            scanner.skip_lines()
            function.operator_sets[domain] = scanner.integer("a version, a whole number")


_opset = re.compile(rf"opset{WORD_ENDS}")
