"""Instructions of foreign dialects, which have no definition here: a name, operands, open attributes, regions.

Deliberately absent: knowledge of any operator, and the libraries of front ends. What is here is data, so a program that
came from an ONNX model prints, parses and is rewritten without onnx.

An operand may be absent in the middle (`None` in `values`). A result may be absent too, since results go by position:
it is listed in `absent`, has no name, an unknown type and no users.

Attributes are int, float, str (bytes where the text is no UTF-8), `DType`, `Type`, a constant or lazy tensor, `Region`,
`AttributeReference`, or tuples of one of these; `EmptyList` says of what an empty list is one. `Encoded` is what only
the front end can read. A list is replaced as a whole: the tuples are shared by clones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from runtime.blocks import Block, CloneMap
from runtime.constants import Constant
from runtime.info import AttributeInfo, InstructionInfo, OperandInfo, ResultInfo, Show
from runtime.instructions import Instruction, cloned
from runtime.lazy_tensors import LazyTensor
from runtime.quoting import quoted
from runtime.types import Type
from runtime.values import Operand, Value

if TYPE_CHECKING:
    from runtime.names import Names

_NONE = Type.none()
_TYPE: Final = attrgetter("type")
ONNX_DOMAIN = "ai.onnx"
"""The domain of the standard operators; files may also leave it empty."""


@dataclass(frozen=True, slots=True)
class Region:
    """The attribute is the region `blocks[index]` of its instruction."""

    index: int


@dataclass(frozen=True, slots=True)
class AttributeReference:
    """Inside a local function: the attribute is what the caller gave as `name`, a value of this `kind` (`int`, ...)."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class EmptyList:
    """A list without elements, which would be of this `kind`: `int`, `float`, `string`, `tensor`, `graph` ..."""

    kind: str


@dataclass(frozen=True, slots=True)
class Encoded:
    """An attribute that the IR carries without looking at it, as the bytes that the front end gave it."""

    data: bytes


class GenericInst(Instruction):
    """An instruction with any number of operands and results, open attributes and any number of regions."""

    __slots__ = ("_absent", "_regions", "_values", "attributes")

    attributes: dict[str, Any]  # in the order in which they are written
    _values: tuple[Operand | None, ...]
    _regions: tuple[Block, ...]
    _absent: tuple[int, ...]

    def __init__(
        self,
        values: Sequence[Operand | None] = (),
        attributes: Mapping[str, Any] | None = None,
        *,
        result_types: Sequence[Type] = (),
        absent: Sequence[int] = (),
        n_regions: int = 0,
        loc: str | None = None,
    ) -> None:
        # The fields of `Instruction`, whose constructor would take 9% longer; a test finds one that is missing here.
        self.type = result_types[0] if result_types else _NONE
        self.name = self._uses = self.parent = self.prev = self.next = self.extras = None
        self.order = 0
        self.loc = loc
        self.attributes = dict(attributes) if attributes else {}
        self._absent = tuple(absent)
        self._regions = tuple([Block(self) for _ in range(n_regions)]) if n_regions else ()
        if len(result_types) > 1:
            self._add_results(result_types[1:])
        try:
            self._values = tuple(values)
            for value in self._values:
                if value is not None:
                    value.addUser(self)
        except Exception:
            self._give_up({"values": values})
            raise

    @property
    def may_repeat_regions(self) -> bool:
        """Always: nothing is known of any operator, so it may be a loop."""
        return True

    @property
    def values(self) -> tuple[Operand | None, ...]:
        """The operands by position, None where one is absent."""
        return self._values

    @property
    def absent(self) -> tuple[int, ...]:
        """The positions of the results that are not there."""
        return self._absent

    @property
    def results(self) -> tuple[Value, ...]:
        if self.extras is None:  # nearly always; what is left is that of every instruction
            return () if self.type is _NONE else (self,)
        return super().results

    @property
    def blocks(self) -> tuple[Block, ...]:
        return self._regions

    @property
    def region_keys(self) -> tuple[tuple[str, int | None], ...]:
        """The attribute of each region, and its position where the attribute is a list of regions."""
        keys: list[tuple[str, int | None]] = [("", None)] * len(self._regions)
        for name, value in self.attributes.items():
            for at, one in enumerate(value) if isinstance(value, tuple) else ((None, value),):
                if isinstance(one, Region):
                    keys[one.index] = (name, at)
        return tuple(keys)

    @property
    def region_names(self) -> tuple[str, ...]:
        """What each region is called: its attribute, and its position where the attribute is a list of regions."""
        return tuple(name if at is None else f"{name}[{at}]" for name, at in self.region_keys)

    @property
    def carried(self) -> bytes | None:
        """What the front end keeps about this beyond the fields here; nobody else reads it."""
        return None if self.extras is None else self.extras.carried

    @carried.setter
    def carried(self, data: bytes | None) -> None:
        if data is not self.carried:
            self._extras_to_change().carried = data
            self._drop_empty_extras()

    def take_regions(self, blocks: Sequence[Block]) -> None:
        """Make `blocks`, which belong to nobody, the last regions of this; attributes must name them."""
        for block in blocks:
            block.owner = self
        self._regions = (*self._regions, *blocks)

    def region(self, name: str) -> Block:
        """Return the region that is the attribute `name`.

        Raises: KeyError where there is none.
        """
        held = self.attributes[name]
        if not isinstance(held, Region):
            raise KeyError(name)
        return self._regions[held.index]

    def operands(self) -> tuple[Operand, ...]:
        values = self._values
        if None in values:
            return tuple([value for value in values if value is not None])
        return values  # type: ignore[return-value]  # of which none is None

    def set_value(self, index: int, value: Operand | None) -> None:
        """Put `value` into one operand slot, whatever other slots hold."""
        old = self._values[index]
        if value is not None:
            value.addUser(self)
        if old is not None:
            old.removeUser(self)
        self._values = (*self._values[:index], value, *self._values[index + 1 :])

    def set_values(self, changes: Mapping[int, Operand]) -> None:
        """Put values into several operand slots at once, which takes one look at the others."""
        values = list(self._values)
        for index, value in changes.items():
            old, values[index] = values[index], value
            value.addUser(self)
            if old is not None:
                old.removeUser(self)
        self._values = tuple(values)

    def replaceUseOfWith(self, old: Operand, new: Operand) -> None:
        self._values = tuple([None if held is None else self._replaced(held, old, new) for held in self._values])

    def _values_str(self, names: Names | None) -> str:
        return ", ".join("none" if value is None else value.use_str(names) for value in self._values)


class OnnxNode(GenericInst):
    """A node of an ONNX graph.

    Text: `%v: f32[2], %i: i64[2] = onnx.node "ai.onnx::TopK" %x, %k {axis = -1}`.
    """

    __slots__ = ("domain", "node_name", "op_type", "overload")
    INFO: ClassVar = InstructionInfo(
        "OnnxNode",
        "onnx",
        "onnx.node",
        operands=(OperandInfo("values", optional=True, variadic=True),),
        attributes=(
            AttributeInfo("op_type", "str", min=1),
            AttributeInfo("domain", "str", default=ONNX_DOMAIN, min=1),
            AttributeInfo("overload", "str", default=""),
            AttributeInfo("node_name", "str", optional=True, default=""),
            AttributeInfo("absent", "list[int]", default=()),
        ),
        results=(ResultInfo(variadic=True),),
        open_attributes=True,
        rhs=(Show("domain"), "::", Show("op_type"), Show("values")),
    )

    op_type: str
    domain: str  # `ai.onnx` for the standard operators, never empty
    overload: str
    node_name: str | None  # None: a new node, which gets a name when it is written to a file; in text "" goes unsaid

    def __init__(
        self,
        op_type: str,
        values: Sequence[Operand | None] = (),
        attributes: Mapping[str, Any] | None = None,
        *,
        result_types: Sequence[Type] = (),
        domain: str = ONNX_DOMAIN,
        overload: str = "",
        node_name: str | None = None,
        absent: Sequence[int] = (),
        n_regions: int = 0,
        loc: str | None = None,
    ) -> None:
        GenericInst.__init__(
            self, values, attributes, result_types=result_types, absent=absent, n_regions=n_regions, loc=loc
        )
        self.op_type = op_type
        self.domain = domain
        self.overload = overload
        self.node_name = node_name

    @classmethod
    def of_one(cls, op_type: str, value: Value, attributes: dict[str, Any], result_type: Type) -> Self:
        """Return a node of the standard operators with one operand and one result, in half the time that it takes else.

        It keeps the dictionary of attributes that it is given.
        """
        new = cls.__new__(cls)
        new.type = result_type
        new.name = new._uses = new.parent = new.prev = new.next = new.extras = new.loc = new.node_name = None
        new.order = 0
        new.attributes = attributes
        new._absent = new._regions = ()
        new._values = (value,)
        new.op_type, new.domain, new.overload = op_type, ONNX_DOMAIN, ""
        value.addUser(new)
        return new

    @property
    def label(self) -> str:
        """The operator with its domain: `ai.onnx::Conv`."""
        return f"{self.domain}::{self.op_type}"

    @property
    def callee(self) -> str:
        """The name that the local function has in its module which this calls, where there is one."""
        return function_name(self.domain, self.op_type, self.overload)

    @property
    def likeness(self) -> tuple[object, ...]:
        """What nodes of one operator share that read and give values of the same types; it can be a key."""
        values, given = self._values, self.type if self.extras is None else tuple(map(_TYPE, self.results))
        try:
            types = tuple(map(_TYPE, values))  # in half the time of a comprehension
        except AttributeError:  # an operand is absent
            types = tuple([None if value is None else value.type for value in values])
        return (self.op_type, self.domain, self.overload, self._absent, not self._regions, given, types)

    def clone(self, mapping: CloneMap) -> Self:
        known: dict[Any, Any] = mapping
        new = type(self)(
            self.op_type,
            [None if each is None else known.get(each) or cloned(each, mapping) for each in self._values],
            self.attributes,
            result_types=self.result_types if self.extras is not None else (self.type,),
            domain=self.domain,
            overload=self.overload,
            node_name=self.node_name,
            absent=self._absent,
            n_regions=len(self._regions),
            loc=self.loc,
        )
        new.name = self.name
        mapping[self] = new
        if self.extras is not None:
            new._clone_extras(self, mapping)
            for old_result, new_result in zip(self.results, new.results, strict=True):
                mapping[old_result] = new_result
                new_result.name = old_result.name
        for old_block, new_block in zip(self._regions, new._regions, strict=True):
            old_block.clone_into(new_block, mapping)
        return new

    def rhs_str(self, names: Names | None = None) -> str:
        return f"onnx.node {_quoted_label(self.domain, self.op_type)} {self._values_str(names)}".rstrip()


class Initializer(Instruction):
    """A tensor that is part of the program: a weight, or another constant.

    Text: `%w: f32[64,3,7,7] = onnx.initializer {value = ...}`.
    """

    __slots__ = ("_value",)
    INFO: ClassVar = InstructionInfo(
        "Initializer",
        "onnx",
        "onnx.initializer",
        attributes=(AttributeInfo("value", "tensor"),),
        op_kind="boundary",
        semantics="graph.constant",
    )

    _value: LazyTensor | Constant

    def __init__(
        self, value: LazyTensor | Constant, *, result_type: Type | None = None, loc: str | None = None
    ) -> None:
        super().__init__(value.type if result_type is None else result_type, loc)
        self._value = value

    @property
    def value(self) -> LazyTensor | Constant:
        """The contents."""
        return self._value

    @value.setter
    def value(self, value: LazyTensor | Constant) -> None:
        self._value = value
        self.type = value.type

    def rhs_str(self, names: Names | None = None) -> str:
        return "onnx.initializer"


def _quoted_label(domain: str, op_type: str) -> str:
    """Return `"domain::op_type"`; in two pairs of quotes where one would not say which part is which."""
    label = f"{domain}::{op_type}"
    return quoted(label) if label.find("::") == len(domain) else f"{quoted(domain)}::{quoted(op_type)}"


def function_name(domain: str, name: str, overload: str = "") -> str:
    """Return what a local function of a model is called in its module; never `main`, which is the graph."""
    return f"{domain}::{name}::{overload}" if overload else f"{domain}::{name}"
