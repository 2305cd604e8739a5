"""Reading the statements of a block: instructions, loops, tensor declarations.

A statement stands on a line of its own; only dictionaries, lists and blocks go over several. A mistake ends the
statement and not the run: the reader goes on behind it, with the names that the statement defines spoiled.
"""

from __future__ import annotations

import re

from runtime.affine import Axis
from runtime.blocks import Block, Loop
from runtime.diagnostics import Diagnostic, did_you_mean, either
from runtime.dtypes import f32
from runtime.functions import Function
from runtime.tensors import TENSOR_CLASSES, DRAMTensor, Tensor
from runtime.text.conditions import spoil_marks
from runtime.text.constant_reader import read_contents, read_tensor
from runtime.text.hexadecimal import read_hex
from runtime.text.instruction_reader import ASSIGNMENT, MNEMONIC, FormTable, InstructionReader
from runtime.text.places import Places
from runtime.text.recovery import arguments_defined, end_of_statement, names_defined, start_of_body
from runtime.text.scanner import LINES, Mistake, Scanner
from runtime.text.scope import Scope, any_name, plain_name
from runtime.text.type_reader import known_extents, read_type

BLOCK_NOT_CLOSED = "the block that starts here is not closed"

_DEEPEST = 100  # blocks in blocks; each costs the reader, and whoever walks the program, a few stack frames

_function = re.compile(r"func\b")
_defines = re.compile(r"[=:,\[]")
_loc = re.compile(rf"\{{{LINES}loc{LINES}=")


class Unclosed(Exception):
    """The function ends before its blocks do."""

    def __init__(self, diagnostic: Diagnostic, mistaken: int | None) -> None:
        super().__init__(diagnostic)
        self.diagnostic = diagnostic
        self.mistaken = mistaken  # the mistaken statement that went on to the end, perhaps with the blocks around it


class StatementReader:
    """Reads the blocks of one function."""

    def __init__(self, scanner: Scanner, forms: FormTable, function: Function, places: Places) -> None:
        self.scanner = scanner
        self.scope = Scope(scanner)
        self.function = function
        self.offsets = places.offsets
        self._instructions = InstructionReader(scanner, self.scope, forms, places, self._read_region)
        self._depth = 0
        self._lost_from = self._lost_at = -1  # where the last mistaken statement started and ended

    def read_block(self, block: Block, opened: int) -> None:
        """Read statements into `block` up to its closing brace, and go behind it; its opening one stands at `opened`.

        Raises: Unclosed where there is no closing brace.
        """
        scanner, text = self.scanner, self.scanner.text
        read_assignment = self._instructions.read_assignment
        at_assignment = ASSIGNMENT.match
        self._enter(opened)
        while True:
            match = at_assignment(text, scanner.pos)
            if match is not None:
                start = match.start(1) - 1
                try:
                    read_assignment(block, match, start)
                except Mistake as mistake:
                    self._recover(mistake, start)
                continue
            scanner.skip_lines()
            start = scanner.pos
            if text.startswith("}", start):
                break
            if start == len(text) or _function.match(text, start):
                found = scanner.diagnostic("T002", BLOCK_NOT_CLOSED, opened, opened + 1)
                raise Unclosed(found, self._lost_from if self._lost_at == start else None)
            try:
                self._read_other(block, start)
            except Mistake as mistake:
                self._recover(mistake, start)
        scanner.pos = start + 1
        self._depth -= 1

    def read_arguments(self, block: Block) -> None:
        """Read `%a: type, ...)`, whose opening parenthesis was just read, as the values that `block` receives."""
        scanner = self.scanner
        for _ in scanner.items(")", scanner.pos - 1):
            start = scanner.pos
            name = scanner.name("%", "an argument such as %x: f32[2]")
            own = scanner.own_name()
            scanner.expect(":")
            argument = block.add_argument(read_type(scanner), plain_name(name) if own is None else own)
            if scanner.accept("="):
                scanner.stated_type = argument.type
                argument.default = read_tensor(scanner, f"what %{name} is where nothing is given")
            self.scope.define(name, argument, start)
            self.offsets[argument] = start

    def _enter(self, opened: int) -> None:
        if self._depth == _DEEPEST:
            message = f"blocks are nested more than {_DEEPEST} deep"
            self.scanner.fail("T003", message, opened, opened + 1)
        self._depth += 1

    def _recover(self, mistake: Mistake, start: int) -> None:
        """Report the mistake in the statement at `start` and go behind the statement."""
        text = self.scanner.text
        self.scanner.report(mistake.diagnostic)
        for name, at in names_defined(text, start):
            self.scope.spoil(name, at)
        self._lost_from = start
        self.scanner.pos = self._lost_at = end_of_statement(text, start)
        spoil_marks(self.scope, text[start : self._lost_at])

    def recover_into_body(self, mistake: Mistake, start: int) -> None:
        """Report the mistake in the header, at `start`, of a block, and go on in the block.

        Raises: the mistake, where no block seems to follow.
        """
        text = self.scanner.text
        body = start_of_body(text, start)
        if body is None:
            raise mistake
        self.scanner.report(mistake.diagnostic)
        for name, at in names_defined(text, start) or arguments_defined(text, start, body):
            self.scope.spoil(name, at)
        self.scanner.pos = body

    def _read_region(self, block: Block) -> None:
        """Read the arguments, if any, and the statements of a region."""
        scanner = self.scanner
        mark = len(self.scope.opened)
        start = scanner.pos
        try:
            try:
                if scanner.accept("("):
                    self.read_arguments(block)
                scanner.expect("{")
            except Mistake as mistake:
                self.recover_into_body(mistake, start)
            self.read_block(block, scanner.pos - 1)
        finally:
            self.scope.leave(mark)

    def _read_other(self, block: Block, start: int) -> None:
        """Read a statement that does not start like nearly all others."""
        scanner = self.scanner
        if scanner.text.startswith("%", start):
            self._instructions.read_definition(block, start)
            return
        word = scanner.take(MNEMONIC)
        if word == "for":
            self._read_loop(block, start)
        elif word == "tensor":
            self._read_tensor(start)
        elif word == "carried":
            self._read_carried(block, start)
        elif word is None:
            help = "%r: type = instruction, %t[...] = instruction, instruction, for, tensor, or the end of the block, }"
            scanner.fail_expecting("a statement", help=help)
        elif scanner.peek(_defines) and not self._instructions.is_mnemonic(word):
            message = f'expected "%{word}", found "{word}"'
            scanner.fail("T001", message, start, start + len(word), help="names start with %")
        else:
            self._instructions.read_plain(block, word, start)

    def _read_carried(self, block: Block, start: int) -> None:
        """Read what a front end keeps about the block, at `start`."""
        scanner = self.scanner
        if block.carried is not None:
            scanner.fail("T041", "what a block carries is said once", start, scanner.pos)
        block.carried = read_hex(scanner, "what the block carries")
        scanner.expect_end_of_line()

    # Loops.

    def _read_loop(self, block: Block, start: int) -> None:
        """Read a loop; after a mistake before its body, the body is read for mistakes all the same."""
        scanner, scope = self.scanner, self.scope
        mark = len(scope.opened)
        try:
            loop = self._read_loop_header(start)
        except Mistake as mistake:
            self.recover_into_body(mistake, start)
            loop = Loop(Axis("spoiled", 0))
        try:
            self.read_block(loop.body, scanner.pos - 1)
        finally:
            scope.leave(mark)
        scanner.expect_end_of_line()
        block.append(loop)
        self.offsets[loop] = start

    def _read_loop_header(self, start: int) -> Loop:
        scanner = self.scanner
        form = "a loop is written: for %i = 0 step 128 times 4 {"
        scanner.skip_space()
        at = scanner.pos
        spelled = scanner.name("%", "the axis of the loop, such as %i")
        own = scanner.own_name()
        scanner.expect("=", form)
        lower = scanner.integer("the first value of the axis")
        scanner.expect("step", form)
        step = scanner.integer("the step of the axis")
        scanner.expect("times", form)
        scanner.skip_space()
        at_count = scanner.pos
        count = scanner.integer("how often the loop runs")
        if count < 0:
            scanner.fail("T032", "a loop does not run a negative number of times", at_count, scanner.pos)
        axis = Axis(any_name(spelled) if own is None else own, count, lower, step)
        self.scope.define(spelled, axis, at)
        loc = self._read_loc() if scanner.peek(_loc) else None
        scanner.expect("{", form)
        return Loop(axis, loc)

    def _read_loc(self) -> str:
        scanner = self.scanner
        scanner.take(_loc)
        scanner.skip_lines()
        loc = scanner.string('"loc", a text in quotes', "T024")
        scanner.skip_lines()
        scanner.expect("}")
        return loc

    # Tensors.

    def _read_tensor(self, start: int) -> None:
        scanner = self.scanner
        scanner.skip_space()
        at = scanner.pos
        spelled = scanner.name("%", "the name of the tensor, such as %x")
        name = plain_name(spelled)
        if name is None:
            help = f'a tensor has a name; if it is a number, put it in quotes: %"{spelled}"'
            scanner.fail("T014", f"%{spelled} is a number", at, scanner.pos, help=help)
        try:
            tensor = self._read_declaration(name)
        except Mistake:
            self.scope.assume(spelled, DRAMTensor(name, f32, ()), at)  # types are not asked here, so any will do
            raise
        self.scope.define(spelled, tensor, at)
        self.function.add_tensor(tensor)
        self.offsets[tensor] = start

    def _read_declaration(self, name: str) -> Tensor:
        """Return the tensor whose declaration was read up to its name."""
        scanner = self.scanner
        scanner.expect(":")
        scanner.skip_space()
        at_type = scanner.pos
        type = read_type(scanner)
        dtype, shape = known_extents(scanner, type, "a tensor", at_type)
        memory = scanner.word(f"the memory of the tensor: {either(TENSOR_CLASSES)}")
        if memory not in TENSOR_CLASSES:
            help = did_you_mean(memory, TENSOR_CLASSES) or f"the memories are {either(TENSOR_CLASSES, 'and')}"
            message = f'no memory is called "{memory}"'
            scanner.fail("T025", message, scanner.pos - len(memory), scanner.pos, help=help)
        is_input, is_output = scanner.take(_input) is not None, scanner.take(_output) is not None
        init = None
        if scanner.take(_const):
            scanner.expect("=")
            init = read_contents(scanner, type, at_type)
        scanner.expect_end_of_line("a tensor is declared as in: tensor %x: f32[2] dram input output const = dense<0.0>")
        return TENSOR_CLASSES[memory](name, dtype, shape, isInput=is_input, isOutput=is_output, init=init)


_input = re.compile(r"input\b")
_output = re.compile(r"output\b")
_const = re.compile(r"const\b")
