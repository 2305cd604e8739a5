"""Reading instructions: what they define or write, their text form, their regions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from runtime.blocks import Block
from runtime.diagnostics import did_you_mean
from runtime.generic import GenericInst
from runtime.instructions import Instruction, NeuronInst
from runtime.quoting import WORD_ENDS
from runtime.tensors import Tensor
from runtime.text.common_fields import SET_BEHIND
from runtime.text.conditions import add_conditions
from runtime.text.forms import Fields, Form
from runtime.text.open_regions import OpenRegions
from runtime.text.operands import read_access
from runtime.text.places import Places
from runtime.text.recovery import BLOCK
from runtime.text.scanner import LINES, NAME, SPACE, Mistake, Scanner
from runtime.text.scope import Scope, plain_name
from runtime.text.type_reader import SIMPLE_TYPE, read_type
from runtime.types import Type

ASSIGNMENT = re.compile(rf"{LINES}%({NAME}){SPACE}:{SPACE}({SIMPLE_TYPE}){SPACE}={SPACE}([A-Za-z_][A-Za-z0-9_.]*+)")
"""What nearly every statement starts with: `%name: type = mnemonic`. Read in one match, since programs are long."""

MNEMONIC = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*+")

_NONE = Type.none()

# The name as it is spelled, the type, where the name stands, the value's own name where that is another one.
Result = tuple[str, Type, int, str | None]
RegionReader = Callable[[Block], None]


class FormTable:
    """The text forms of instruction classes, each made when the first instruction of its class is met."""

    def __init__(self, classes: Mapping[str, type[Instruction]]) -> None:
        self.classes = classes
        self.forms: dict[str, Form] = {}

    def of(self, scanner: Scanner, mnemonic: str, at: int) -> Form:
        """Return the form of the class with this mnemonic, which stands at `at`."""
        form = self.forms.get(mnemonic)
        if form is not None:
            return form
        if mnemonic not in self.classes:
            near = did_you_mean(mnemonic, self.classes)
            help = f"{near} " * bool(near) + f'opaque "{mnemonic}" ... carries an instruction without a definition'
            dialect, dot, _ = mnemonic.partition(".")
            if dot and not any(known.startswith(f"{dialect}.") for known in self.classes):
                help += f"; where another package defines it, --classes PACKAGE reads those of {dialect}"
            scanner.fail("T020", f'no instruction is called "{mnemonic}"', at, at + len(mnemonic), help=help)
        form = self.forms[mnemonic] = Form(self.classes[mnemonic])
        return form


class InstructionReader:
    """Reads the instructions of one function; `read_region` reads what stands in their regions."""

    def __init__(
        self, scanner: Scanner, scope: Scope, forms: FormTable, places: Places, read_region: RegionReader
    ) -> None:
        self.scanner = scanner
        self.scope = scope
        self.forms = forms
        self.offsets = places.offsets
        self.read_region = read_region

    def read_assignment(self, block: Block, match: re.Match[str], start: int) -> None:
        """Read the statement at `start` whose beginning is `match`, a match of `ASSIGNMENT`."""
        scanner = self.scanner
        name, type_text, mnemonic = match.groups()
        if name[0] == '"' or name in self.scope.others:  # perhaps a tensor, which is written
            scanner.pos = start
            self.read_definition(block, start)
            return
        type = scanner.types.get(type_text)
        if type is None:
            scanner.pos = match.start(2)
            type = read_type(scanner)
        at = match.start(3)
        form = self.forms.forms.get(mnemonic) or self.forms.of(scanner, mnemonic, at)
        scanner.pos = match.end()
        self._read(block, form, at, start, [(name, type, start, None)])

    def read_definition(self, block: Block, start: int) -> None:
        """Read the statement at `start` that begins with `%`: `%a: type, %b: type = ...` or `%tensor[access] = ...`."""
        scanner, scope = self.scanner, self.scope
        name = scanner.name("%", "a name such as %r")
        target = scope.others.get(name)
        if isinstance(target, Tensor):
            dst = read_access(scanner, scope, target)
            type = read_type(scanner) if scanner.accept(":") else None
            scanner.expect("=", help="an instruction writes a tensor as in %t[0 | 1:8] = instruction")
            form, at = self._next_form()
            if not form.has_dst:
                self._fail_results(form, at, "writes no tensor", "it gives a value: %r: f32[2] = ...")
            self._read(block, form, at, start, [], {"dst": dst, "result_type": type})
            return
        if scanner.peek(_writes):
            self._fail_target(name, start)
        results = self._read_results(name, start)
        form, at = self._next_form()
        self._read(block, form, at, start, results)

    def is_mnemonic(self, word: str) -> bool:
        """Whether an instruction is called `word`."""
        return word in self.forms.classes

    def read_plain(self, block: Block, mnemonic: str, start: int) -> None:
        """Read the statement at `start`, which defines no name; its mnemonic was just read."""
        self._read(block, self.forms.of(self.scanner, mnemonic, start), start, start, [])

    def _read_results(self, name: str, start: int) -> list[Result]:
        scanner = self.scanner
        results: list[Result] = []
        while True:
            own = scanner.own_name()
            scanner.expect(":", help=f"a result has a type: %{name}: f32[2] = ...")
            results.append((name, read_type(scanner), start, own))
            if not scanner.accept(","):
                break
            while scanner.take(_absent) is not None:
                results.append((_ABSENT, _NONE, scanner.pos, None))
                if not scanner.accept(","):
                    scanner.expect("=")
                    return results
            scanner.skip_space()
            start = scanner.pos
            name = scanner.name("%", "a further result such as %r")
        scanner.expect("=")
        return results

    def _next_form(self) -> tuple[Form, int]:
        mnemonic = self.scanner.take(MNEMONIC)
        if mnemonic is None:
            self.scanner.fail_expecting("an instruction")
        at = self.scanner.pos - len(mnemonic)
        return self.forms.of(self.scanner, mnemonic, at), at

    def _read(
        self, block: Block, form: Form, at: int, start: int, results: list[Result], writes: Fields | None = None
    ) -> None:
        """Read an instruction whose mnemonic, at `at`, was just read; `writes`: it has a `dst` and no results."""
        scanner = self.scanner
        scanner.stated_type = results[0][1] if results else None
        fields = form.read(scanner, self.scope)
        has_regions = bool(form.info.region_names)
        has_ended = not has_regions and scanner.accept_end_of_line()
        if not has_ended and not ((has_regions or form.is_generic) and scanner.peek(_block)):
            form.read_dictionary(scanner, self.scope, fields)
        form.complete(scanner, fields, at)
        common = None if has_ended else {name: fields.pop(name) for name in SET_BEHIND if name in fields}
        carried = fields.pop("carried", None) if form.is_generic else None
        fields.update(writes or self._results(form, at, results))
        inst = form.cls(**fields)
        if common:
            inst.rounding = common.get("rounding")
            inst.keep_alu_dtype = common.get("keep_alu_dtype", False)
            add_conditions(inst, common, scanner, self.scope)
        if has_regions:
            self._read_regions(form, inst)
        elif isinstance(inst, GenericInst):
            inst.carried = carried
            has_ended = self._read_open_regions(form, inst, at, has_ended)
        if not has_ended and not scanner.accept_end_of_line():
            scanner.fail_expecting("the end of the line", help=self.scope.did_you_mean_a_name() or form.usage)
        present = [result for result in results if result[0] != _ABSENT] if len(results) > 1 else results
        for value, (name, _, site, own) in zip(inst.results, present, strict=True):
            value.name = plain_name(name) if own is None else own
            self.scope.define(name, value, site)
        block.append(inst)
        self.offsets[inst] = start

    def _read_open_regions(self, form: Form, inst: GenericInst, at: int, has_ended: bool) -> bool:
        """Read the regions of a generic instruction, if there are any; whether its last line has ended."""
        regions = OpenRegions(self.scanner, inst.attributes, self.read_region)
        has_ended = regions.read(has_ended, self.is_mnemonic)
        regions.finish(at, at + len(str(form.info.mnemonic)))
        inst.take_regions(regions.blocks)
        return has_ended

    def _read_regions(self, form: Form, inst: Instruction) -> None:
        for name, block in zip(form.info.region_names, inst.blocks, strict=True):
            self._expect_region(form, name)
            self.read_region(block)

    def _expect_region(self, form: Form, name: str) -> None:
        """Go behind the name of a region; where only that is missing, or a line too low, the region is still read."""
        scanner = self.scanner
        word = scanner.peek(MNEMONIC)
        if word is not None and word.group() == name:
            scanner.pos = word.end()
            return
        try:
            scanner.fail_expecting(f'the region "{name}"', help=_region_usage(form))
        except Mistake as mistake:
            below = re.compile(rf"{LINES}{name}{WORD_ENDS}").match(scanner.text, scanner.pos)
            if below is None and scanner.peek(_block) is None:
                raise
            scanner.report(mistake.diagnostic)
            scanner.pos = scanner.pos if below is None else below.end()

    def _results(self, form: Form, at: int, results: list[Result]) -> Fields:
        """Return the argument of the constructor that says what the instruction gives."""
        for name, type, _, _ in results:
            if type is _NONE and name != _ABSENT:
                self._fail_results(form, at, "gives a result of type none", "leave out name and type")
        if form.info.has_any_number_of_results and any(name == _ABSENT for name, *_ in results):
            self._fail_results(form, at, "has any number of results, none of which can be absent", "leave out `none`")
        if form.info.many_results:
            return {"result_types": [type for _, type, _, _ in results]}
        expected = len(form.info.results)
        if len(results) != expected:
            said = {0: "no result", 1: "one result"}.get(expected, f"{expected} results")
            help = "it is written %r: f32[2] = ..." if expected else ""
            if form.has_dst and expected:
                help += ", or %t[0 | 1:2] = ... where it writes a tensor"
            self._fail_results(form, at, f"gives {said}, not {len(results) or 'none'}", help)
        return {"result_type": results[0][1] if results else _NONE}

    def _fail_results(self, form: Form, at: int, message: str, help: str) -> None:
        mnemonic = str(form.info.mnemonic)
        self.scanner.fail("T026", f"{mnemonic} {message}", at, at + len(mnemonic), help=help)

    def _fail_target(self, name: str, start: int) -> None:
        """Say that what is written, `%name[...] =` or `%name =`, is no tensor."""
        scanner = self.scanner
        end = start + 1 + len(name)
        is_known = name in self.scope.values or name in self.scope.others
        a_result = f"a result has a type: %{name}: f32[2] = ..."
        if not is_known and (name.isdecimal() or self._writes_no_tensor()):
            self.scope.spoil(name, start)
            scanner.fail_expecting('":" and a type', help=a_result)
        help = f"a tensor is declared: tensor %{name}: f32[128,512] sbuf; {a_result}"
        self.scope.find(name, start, end, f"no tensor %{name} is declared", help)
        message = f"%{name} is not a tensor: only tensors are written"
        scanner.fail("T013", message, start, end, help="a result has a new name and a type: %r: f32[2] = ...")

    def _writes_no_tensor(self) -> bool:
        """Whether `= mnemonic` stands next, of an instruction that gives values only."""
        match = self.scanner.peek(_equals_mnemonic)
        cls = self.forms.classes.get(match[1]) if match is not None else None
        return cls is not None and not issubclass(cls, NeuronInst)


def _region_usage(form: Form) -> str:
    return f"{form.usage} {' '.join(f'{name} {{ ... }}' for name in form.info.region_names)}"


_ABSENT = ""  # in place of the name of a result that is absent
_absent = re.compile(rf"{SPACE}none{WORD_ENDS}")
_block = re.compile(BLOCK)
_equals_mnemonic = re.compile(rf"={SPACE}({MNEMONIC.pattern})")
_writes = re.compile(r"[=\[]")
