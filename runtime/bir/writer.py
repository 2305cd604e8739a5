"""From instructions to BIR records.

`BirWriter` is the `ctx` of `Instruction.serialize(ctx)`: the calls of a `serialize` collect the operands and give the
fields their JSON form, and `record` makes one record of them. A class without a `serialize` of its own is written as
its `INFO` says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from runtime.access import AccessMode, APIndex, NeuronAP
from runtime.affine import Affine
from runtime.bir.attributes import number_json, open_json
from runtime.bir.base64_text import LongBytes, base64_text
from runtime.bir.conditions import Marks, conditions_json
from runtime.bir.contents import contents_json
from runtime.bir.naming import NONE, References
from runtime.bir.open_attributes import attributes_json
from runtime.blocks import Block, Loop, Statement
from runtime.constants import Constant
from runtime.dtypes import DType
from runtime.info import InstructionInfo
from runtime.instructions import Instruction, NeuronInst
from runtime.lazy_tensors import LazyTensor
from runtime.types import Shape, Type
from runtime.values import Operand, Value

Record = dict[str, Any]
"""One instruction as JSON: `op`, `version`, then what it has of `results`, `dst`, `type`, `args`, `fields`,
`attributes`, `carried`, `engine`, `predicates`, `mark`, `dependencies`, `rounding`, `keep_alu_dtype`, `loc` and
`regions`."""

_NONE = Type.none()


class BirWriter:
    """Makes the records of one function; it remembers how each value is referred to."""

    def __init__(self, *, nested: bool = True) -> None:
        """Take whether records hold all of an instruction as JSON.

        The writer of a file writes regions itself, record by record, and long contents piece by piece.
        """
        self._nested = nested
        self.has_pieces = False  # whether a record since somebody reset this holds `LongBytes`
        self._values = References()
        self._axes = References()
        self._marks = Marks()
        self._arguments: list[Any] = []
        self._fields: dict[str, Any] = {}
        self._types: dict[Type, str] = {}
        self._defaults: dict[type[Instruction], Mapping[str, Any]] = {}

    # Operands, in the order of the definition.

    def var(self, operand: Operand) -> None:
        """Append an operand: a reference to a value, or an access."""
        self._arguments.append(self._operand(operand))

    def none(self) -> None:
        """Append the placeholder of an optional operand that is absent."""
        self._arguments.append(NONE)

    def variables(self, operands: Iterable[Operand | None]) -> None:
        """Append a variadic operand, with the placeholder where one of them is absent."""
        self._arguments.append([NONE if operand is None else self._operand(operand) for operand in operands])

    # Fields. An attribute that is None stays None.

    def number(self, value: float | None) -> Any:
        """Return the JSON of an int or a float."""
        return None if value is None else number_json(value)

    def word(self, value: str | None) -> str | None:
        """Return the JSON of text or of a word of an enumeration."""
        return value

    def flag(self, value: bool | None) -> bool | None:
        """Return the JSON of a bool."""
        return value

    def shape(self, value: Shape | None) -> list[Any] | None:
        """Return the JSON of a list of extents."""
        return None if value is None else list(value)

    def dtype(self, value: DType | None) -> str | None:
        """Return the JSON of a data type."""
        return None if value is None else value.name

    def type(self, value: Type | None) -> str | None:
        """Return the JSON of a type."""
        if value is None:
            return None
        text = self._types.get(value)
        if text is None:
            text = self._types[value] = str(value)
        return text

    def constant(self, value: Constant | LazyTensor | None) -> dict[str, Any] | None:
        """Return the JSON of the contents of a constant, or of a tensor of a front end, which is fetched now."""
        return None if value is None else self._contents(value)

    def indices(self, name: str, indices: Iterable[APIndex]) -> None:
        """Add the field `name`, a list of access-pattern indices; an empty one is left out."""
        listed = [index.name for index in indices]
        if listed:
            self._fields[name] = listed

    def attributes(self, values: Mapping[str, object]) -> dict[str, Any]:
        """Return the JSON of attributes without a definition: int, float, bool, str, or lists of them.

        Raises: TypeError for any other.
        """
        return {name: open_json(value) for name, value in values.items()}

    # The record.

    def record(self, inst: Instruction, fields: Mapping[str, Any]) -> Record:
        """Return the record of `inst`, with the operands collected since the last one."""
        arguments, self._arguments = self._arguments, []
        info = inst.INFO
        if type(inst).serialize is Instruction.serialize:
            fields = self._fields_by_info(inst)
            arguments, self._arguments = self._arguments, []
        kept, self._fields = self._fields, {}
        record: Record = {"op": info.mnemonic, "version": info.version}
        self._add_results(record, inst)
        if arguments:
            record["args"] = arguments
        defaults = self._defaults_of(inst)
        for name, value in fields.items():
            if name not in defaults or not _same(value, defaults[name]):
                kept[name] = value
        if kept:
            record["fields"] = kept
        if info.open_attributes:
            self._add_open_fields(record, inst)
        engine = inst.assigned_engine if isinstance(inst, NeuronInst) else None
        if engine is not None:
            record["engine"] = engine.value
        if inst.extras is not None:
            record.update(conditions_json(inst, self._marks, self._offset))
        rounding = inst.rounding
        if rounding is not None:
            record["rounding"] = rounding
        if inst.keep_alu_dtype:
            record["keep_alu_dtype"] = True
        if inst.loc is not None:
            record["loc"] = inst.loc
        if self._nested and inst.blocks:
            record["regions"] = [self.region(block) for block in inst.blocks]
        return record

    def _fields_by_info(self, inst: Instruction) -> dict[str, Any]:
        """Collect the operands, and return the fields, of an instruction that does not serialize itself."""
        info = inst.INFO
        for operand in info.operands:
            held = getattr(inst, operand.name)
            if operand.variadic:
                self.variables(held)
            elif held is None:
                self.none()
            else:
                self.var(held)
        for name in info.ap_indices:
            self.indices(name, getattr(inst, name))
        return {attribute.name: self._field(getattr(inst, attribute.name)) for attribute in info.attributes}

    def _field(self, value: Any) -> Any:
        if isinstance(value, (Constant, LazyTensor)):
            return self._contents(value)
        if isinstance(value, (list, tuple)):
            return [self._field(item) for item in value]
        return self.type(value) if isinstance(value, Type) else _json(value)

    def _add_open_fields(self, record: Record, inst: Instruction) -> None:
        attributes = getattr(inst, "attributes", None)
        if attributes:
            record["attributes"] = attributes_json(attributes, self._contents)
        carried = getattr(inst, "carried", None)
        if carried is not None:
            record["carried"] = base64_text(carried)

    def _add_results(self, record: Record, inst: Instruction) -> None:
        dst = inst.dst
        if dst is not None:
            record["dst"] = self.access(dst)
            if inst.type is not dst.type:
                record["type"] = self.type(inst.type)
        elif inst.type is not _NONE:
            record["results"] = [NONE if result is None else self.definition(result) for result in inst.all_results]

    def _defaults_of(self, inst: Instruction) -> Mapping[str, Any]:
        defaults = self._defaults.get(type(inst))
        if defaults is None:
            defaults = self._defaults[type(inst)] = _default_fields(inst.INFO)
        return defaults

    # The parts of records, and what stands around them.

    def definition(self, value: Value) -> list[Any]:
        """Return `[reference, type]` of a value that is defined here, with its own name where the reference differs."""
        return [self._values.of(value), self.type(value.type), *self._values.own_name(value)]

    def access(self, access: NeuronAP) -> dict[str, Any]:
        """Return the JSON of an access; that to a whole tensor names the tensor only."""
        found: dict[str, Any] = {"tensor": f"%{access.tensor.name}"}
        if not access.is_whole:
            found["offset"] = self._offset(access.offset)
            found["pairs"] = [list(pair) for pair in access.pairs]
            if access.indices:
                found["indices"] = [index and index.name for index in access.indices]
            if access.reinterpret is not None:
                found["as"] = access.reinterpret.name
        if access.mode is not AccessMode.LOAD and not self._is_dst(access):
            found["mode"] = access.mode.value
        return found

    def loop(self, loop: Loop) -> dict[str, Any]:
        """Return the JSON of a loop but for its body."""
        axis = loop.axis
        found: dict[str, Any] = {"loop": self._axes.of(axis)}
        for name in self._axes.own_name(axis):
            found["name"] = name
        found.update(lower=axis.lower, step=axis.step, times=axis.trip_count)
        if loop.loc is not None:
            found["loc"] = loop.loc
        return found

    def head(self, block: Block) -> dict[str, Any]:
        """Return the JSON of the arguments of a block, and of what is carried with it."""
        found: dict[str, Any] = {} if block.carried is None else {"carried": base64_text(block.carried)}
        return {**found, "args": [self.definition(argument) for argument in block.arguments]}

    def defaults(self, block: Block) -> Iterator[list[Any]]:
        """Yield reference and contents of each argument that holds something where the caller gives nothing."""
        for argument in block.arguments:
            if argument.default is not None:
                yield [self._values.of(argument), self._contents(argument.default)]

    def region(self, block: Block) -> dict[str, Any]:
        """Return the JSON of a block with its arguments."""
        found = self.head(block)
        defaults = list(self.defaults(block))
        if defaults:
            found["defaults"] = defaults
        return {**found, "body": [self.statement(statement) for statement in block]}

    def statement(self, statement: Statement) -> dict[str, Any]:
        """Return the JSON of an instruction, or of a loop with its body."""
        if isinstance(statement, Loop):
            return {**self.loop(statement), "body": [self.statement(inner) for inner in statement.body]}
        assert isinstance(statement, Instruction)
        return statement.serialize(self)

    def _contents(self, held: Constant | LazyTensor) -> dict[str, Any]:
        if self._nested:
            return contents_json(held)
        found = contents_json(held, in_pieces=True)
        self.has_pieces |= any(isinstance(value, LongBytes) for value in found.values())
        return found

    def _operand(self, operand: Operand) -> Any:
        if isinstance(operand, NeuronAP):
            return self.access(operand)
        assert isinstance(operand, Value), f"{operand!r} is neither a value nor an access"
        return self._values.of(operand)

    def _offset(self, offset: Affine) -> Any:
        if not offset.terms:
            return offset.constant
        return [offset.constant, *([self._axes.of(axis), coefficient] for axis, coefficient in offset.terms)]

    @staticmethod
    def _is_dst(access: NeuronAP) -> bool:
        return access.owner is not None and access.owner.dst is access


def _default_fields(info: InstructionInfo) -> dict[str, Any]:
    """Return the JSON of the defaults, by field."""
    return {attribute.name: _json(attribute.default) for attribute in info.attributes if not attribute.required}


def _json(value: object) -> Any:
    match value:
        case DType():
            return value.name
        case float():
            return number_json(value)
        case list() | tuple():
            return [_json(item) for item in value]
    return value


def _same(value: Any, default: Any) -> bool:
    """Whether a field equals its default to the bit: neither 1 and 1.0 nor 0.0 and -0.0 do."""
    if value.__class__ is not default.__class__ or value != default:
        return False
    return not isinstance(value, (float, list)) or repr(value) == repr(default)
