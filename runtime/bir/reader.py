"""From BIR records to instructions.

`BirReader` is the `ctx` of `Instruction.deserialize(ctx, record)`: `arguments` turns a record into the keyword
arguments of the constructor, by the class's `INFO`. Nothing that a file says is trusted; what is wrong is a `BirError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from runtime.bir.accesses import NEAR, AccessReader, index_list
from runtime.bir.attributes import open_value
from runtime.bir.base64_text import bytes_of
from runtime.bir.conditions import CONDITION_KEYS, ConditionReader
from runtime.bir.contents import contents_of
from runtime.bir.json_stream import StreamedList
from runtime.bir.naming import NONE, name_of
from runtime.bir.open_attributes import attributes_of, n_regions_named
from runtime.bir.plans import RecordPlan
from runtime.bir.problems import (
    BirError,
    KeyItself,
    Undecidable,
    check_keys,
    counted,
    decoded,
    take,
    take_or,
    unknown,
    word_of,
    wrong_kind,
)
from runtime.bir.type_names import type_of_text
from runtime.bir.writer import BirWriter, Record
from runtime.blocks import Block
from runtime.diagnostics import near_names
from runtime.engines import NeuronEngine
from runtime.info import InstructionInfo, OperandInfo
from runtime.instructions import Instruction
from runtime.tensors import Tensor
from runtime.types import Type
from runtime.values import BlockArgument, Operand, Value

_RECORD_KEYS = frozenset(
    {
        *("op", "version", "results", "dst", "type", "args", "fields", "attributes", "carried"),
        *("engine", "rounding", "keep_alu_dtype", "loc", "regions"),
        *CONDITION_KEYS,
    }
)
_ENGINES = {engine.value: engine for engine in NeuronEngine}
_ROUNDINGS = frozenset({"user"})


class BirReader:
    """Makes the instructions of one function; it remembers the values, tensors and axes that references mean."""

    def __init__(self, classes: Mapping[str, type[Instruction]], tensors: dict[str, Tensor]) -> None:
        self.accesses = AccessReader(tensors)
        self.conditions = ConditionReader(self.accesses.offset)
        self._classes = classes
        self._values: dict[str, Value] = {}
        self._broken: set[str] = set()  # references to values whose own definition is wrong
        self._types: dict[str, Type] = {}
        self._plans: dict[type[Instruction], RecordPlan] = {}
        self._plan: RecordPlan | None = None  # of the class whose record is being read
        self._left_out: Mapping[str, object] = {}  # what that record means by fields that it leaves out
        self._unread: set[str] = set()  # fields of that record which no attribute has
        self._again = BirWriter(nested=False)

    # Instructions.

    def instruction(self, record: Record) -> Instruction:
        """Return the instruction of a record, without its regions; `name_results` makes its results known later."""
        check_keys(record, _RECORD_KEYS, "an instruction")
        mnemonic = take(record, "op", str, "a mnemonic")
        if mnemonic not in self._classes:
            raise unknown("B020", "instruction", mnemonic, self._classes, "op")
        cls = self._classes[mnemonic]
        plan = self._plans.get(cls)
        if plan is None:
            plan = self._plans[cls] = RecordPlan.of(cls)
        version = take(record, "version", int, "a version number")
        if version != plan.info.version:
            record = plan.renamed(record, version)
            self._left_out = plan.left_out(version)
        elif self._left_out:
            self._left_out = {}
        self._plan = plan
        inst = cls.deserialize(self, record)
        if "rounding" in record:
            inst.rounding = word_of(record, "rounding", _ROUNDINGS)
        if "keep_alu_dtype" in record:
            if record["keep_alu_dtype"] is not True:
                raise wrong_kind(record["keep_alu_dtype"], "true", "keep_alu_dtype")
            inst.keep_alu_dtype = True
        if not CONDITION_KEYS.isdisjoint(record):
            self.conditions.add(inst, record)
        if "carried" in record:
            if not plan.carries:
                raise BirError("B011", f"`{mnemonic}` carries nothing", KeyItself("carried"))
            inst.carried = decoded(bytes_of, record["carried"], "carried")  # type: ignore[attr-defined]  # as its plan says
        if self._unread:
            self._check_derived(inst, record)
        return inst

    def arguments(self, info: InstructionInfo, record: Record) -> dict[str, Any]:
        """Return the keyword arguments of the constructor that a record gives.

        Fields that `info` does not have, save those that `deserialize` asks for with `field`, are derived ones: the
        reader compares them with what the instruction built serializes.
        """
        plan = self._plan
        assert plan is not None and plan.info is info, f"the record of a {info.name} is read as something else"
        arguments = self._operands(plan, record)
        self._add_fields(arguments, plan, record)
        self._add_results(arguments, plan, record)
        n_regions = _n_regions(record)
        if plan.takes_regions:
            arguments["n_regions"] = n_regions
        if info.open_attributes:
            arguments["attributes"] = decoded(
                lambda found: attributes_of(found, n_regions), record.get("attributes", {}), "attributes"
            )
        elif "attributes" in record:
            raise BirError("B011", f"`{info.mnemonic}` has no attributes but its fields", KeyItself("attributes"))
        if "engine" in record:
            if not plan.takes_engine:
                raise BirError("B035", f"`{info.mnemonic}` runs on no engine", "engine")
            arguments["engine"] = _ENGINES[word_of(record, "engine", _ENGINES)]
        if "loc" in record:
            arguments["loc"] = take(record, "loc", str, "text")
        return arguments

    def field(self, record: Record, name: str, kind: type) -> Any:
        """Return a field that is no attribute, for a `deserialize` written by hand; `kind` is a JSON kind."""
        self._unread.discard(name)
        fields = take_or(record, "fields", dict, "an object", {})
        try:
            value: Any = take(fields, name, kind, f"a value of kind {kind.__name__}")
            if not isinstance(value, dict):
                return open_value(value)
            return {key: decoded(open_value, item, name, key) for key, item in value.items()}
        except BirError as error:
            raise error.inside("fields") from None

    def _operands(self, plan: RecordPlan, record: Record) -> dict[str, Any]:
        found = take_or(record, "args", list, "a list of operands", [])
        if not plan.n_needed <= len(found) <= len(plan.operands):
            names = ", ".join(operand.name for operand in plan.operands)
            expected = counted(len(plan.operands), "operand") + (f" ({names})" if names else "")
            raise BirError("B032", f"`{plan.info.mnemonic}` has {expected}; found {len(found)}", "args")
        absent = plan.operands[len(found) :]
        arguments: dict[str, Any] = {operand.name: () if operand.variadic else None for operand in absent}
        for index, operand in enumerate(plan.operands[: len(found)]):
            item = found[index]
            if item.__class__ is str and item in self._values and not operand.variadic:  # nearly always
                arguments[operand.name] = self._values[item]
                continue
            try:
                arguments[operand.name] = self._slot(operand, item)
            except BirError as error:
                raise error.inside("args", index) from None
        return arguments

    def _slot(self, info: OperandInfo, found: Any) -> Operand | tuple[Operand | None, ...] | None:
        if not info.variadic:
            return self._operand_or_none(info, found)
        if not isinstance(found, list):
            raise wrong_kind(found, f'the list of operands of "{info.name}"')
        operands = []
        for index, item in enumerate(found):
            try:
                operands.append(self._operand_or_none(info, item))
            except BirError as error:
                raise error.inside(index) from None
        return tuple(operands)

    def _operand_or_none(self, info: OperandInfo, found: Any) -> Operand | None:
        if found != NONE:
            return self.operand(found)
        if not info.optional:
            raise BirError("B033", f'the operand "{info.name}" cannot be absent')
        return None

    def _add_fields(self, arguments: dict[str, Any], plan: RecordPlan, record: Record) -> None:
        self._unread.clear()
        fields = take_or(record, "fields", dict, "an object", {})
        try:
            for name, value in fields.items():
                field = plan.fields.get(name)
                if field is not None:
                    arguments[name] = None if value is None and field.optional else decoded(field.decode, value, name)
                elif name in plan.indices:
                    arguments[name] = decoded(index_list, value, name)
                else:
                    self._unread.add(name)
            for name in plan.required:
                if name not in fields and name not in self._left_out:
                    raise self._missing_field(plan, name)
            for name, value in self._left_out.items():
                arguments.setdefault(name, value)
            for name, default in plan.unsaid.items():
                arguments.setdefault(name, default)
        except BirError as error:
            raise error.inside("fields") from None

    def _missing_field(self, plan: RecordPlan, name: str) -> BirError:
        """Return what to say of a field that is not there: of a misspelled one, that it has no meaning."""
        for misspelled in near_names(name, self._unread):
            return unknown("B031", f"field of `{plan.info.mnemonic}`", misspelled, plan.fields, KeyItself(misspelled))
        return BirError("B010", f'`{plan.info.mnemonic}` needs the field "{name}"')

    def _add_results(self, arguments: dict[str, Any], plan: RecordPlan, record: Record) -> None:
        if "dst" in record:
            if not plan.takes_dst:
                raise BirError("B035", f"`{plan.info.mnemonic}` writes no tensor: it has no destination", "dst")
            arguments["dst"] = decoded(self.accesses.access, record["dst"], "dst")
        results = take_or(record, "results", list, "a list of results", [])
        if "dst" in record and results:
            raise BirError("B032", "an instruction with a destination has no results", "results")
        may_lack = len(plan.info.results) > 1 and not plan.info.has_any_number_of_results
        decode = self._result_type_or_none if may_lack else self._result_type
        types = [decoded(decode, result, "results", index) for index, result in enumerate(results)]
        if "type" in record:
            types = [decoded(self.type, record["type"], "type")]
        if plan.info.many_results:
            arguments["result_types"] = types
        elif len(types) > 1:
            raise BirError("B032", f"`{plan.info.mnemonic}` has one result; found {len(types)}", "results")
        elif types:
            arguments["result_type"] = types[0]
        elif "dst" not in record:
            arguments["result_type"] = Type.none()

    def _result_type_or_none(self, found: Any) -> Type:
        return Type.none() if found == NONE else self._result_type(found)

    def _result_type(self, found: Any) -> Type:
        if not isinstance(found, list) or len(found) not in (2, 3):
            raise wrong_kind(found, "a result: a list of a reference, a type and, where it differs, the name")
        return decoded(self.type, found[1], 1)

    def name_results(self, inst: Instruction, record: Mapping[str, Any]) -> None:
        """Give the results the references and names of the record, once what stands before them is read."""
        listed = record.get("results", ())
        results = inst.all_results
        if len(results) < len(listed) or any(result is not None for result in results[len(listed) :]):
            message = f"`{inst.INFO.mnemonic}` has {counted(len(results), 'result')}; found {len(listed)}"
            raise BirError("B032", message, "results")
        for index, result in enumerate(results):
            if result is None:
                continue
            found = listed[index]
            try:
                self.define(result, found)
            except BirError as error:
                raise error.inside("results", index) from None

    def _check_derived(self, inst: Instruction, record: Mapping[str, Any]) -> None:
        """Compare the fields that `serialize` adds to the attributes with those of the record."""
        try:
            fresh = inst.serialize(self._again).get("fields", {})
        except AssertionError:  # `shape` and `dtype` assert that they are known; here it is a file that says otherwise
            fresh = {}
        for name in sorted(self._unread):
            found = record["fields"][name]
            if name not in fresh:
                known = (*(attribute.name for attribute in inst.INFO.attributes), *inst.INFO.ap_indices, *fresh)
                raise unknown("B031", f"field of `{inst.INFO.mnemonic}`", name, known, "fields", KeyItself(name))
            if found != fresh[name]:
                message = f'"{name}" is {found}, but follows from the operands as {fresh[name]}'
                raise BirError("B034", message, "fields", name)

    # Values, tensors, types.

    def define(self, value: Value, found: Any) -> None:
        """Give `value` the reference, and its own name, that the file states in its definition."""
        if not isinstance(found, list) or len(found) not in (2, 3):
            raise wrong_kind(found, "a list of a reference, a type and, where it differs, the name")
        reference = found[0]
        if not isinstance(reference, str) or not reference.startswith("%") or len(reference) < 2:
            raise wrong_kind(reference, 'a reference such as "%h"', 0)
        if reference in self._values:
            raise BirError("B024", f'"{reference}" is defined twice in this function', 0)
        if len(found) == 3 and not isinstance(found[2], str):
            raise wrong_kind(found[2], "the name of the value", 2)
        value.name = found[2] if len(found) == 3 else name_of(reference)
        self._values[reference] = value

    def argument(self, block: Block, found: Any) -> None:
        """Add an argument to a block: a list of a reference, a type and, where it differs, the name."""
        self.define(block.add_argument(self._result_type(found)), found)

    def default(self, block: Block, found: Any) -> None:
        """Give an argument of a block, which is there already, what it holds where the caller gives nothing."""
        if not isinstance(found, list) or len(found) != 2 or not isinstance(found[0], str):
            raise wrong_kind(found, "a default: a list of the reference of an argument and its contents")
        argument = self._values.get(found[0])
        if not isinstance(argument, BlockArgument) or argument.block is not block:
            if found[0] in self._broken:
                raise Undecidable
            known = (reference for reference, value in self._values.items() if value in block.arguments)
            raise unknown("B021", "argument of this", found[0], known, 0)
        if argument.default is not None:
            raise BirError("B024", f'"{found[0]}" has two defaults', 0)
        argument.default = decoded(contents_of, found[1], 1)

    def give_up(self, definitions: Iterable[Any]) -> None:
        """Remember what could not be defined, so that its users are not complained of."""
        for found in definitions:
            reference = found[0] if isinstance(found, list) and found else None
            if isinstance(reference, str) and reference not in self._values:
                self._broken.add(reference)

    def type(self, found: Any) -> Type:
        """Return the type that a text says."""
        type = self._types.get(found) if isinstance(found, str) else None
        if type is None:
            type = self._types[found] = type_of_text(found)
        return type

    def operand(self, found: Any) -> Operand:
        """Return the value or the access that stands in an operand slot."""
        if isinstance(found, str):
            value = self._values.get(found)
            if value is not None:
                return value
            if found in self._broken:
                raise Undecidable
            raise unknown("B021", "value defined before this", found, islice(reversed(self._values), NEAR))
        if isinstance(found, dict):
            return self.accesses.access(found)
        raise wrong_kind(found, 'a reference such as "%h", or an access')


def _n_regions(record: Record) -> int:
    """Return how many regions a record has, or must have where they are still to be read."""
    regions = take_or(record, "regions", list, "a list of regions", [])
    return n_regions_named(record.get("attributes")) if isinstance(regions, StreamedList) else len(regions)
