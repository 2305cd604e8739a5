"""The instructions that belong to the IR itself: block terminators, and the carrier of what has no definition.

They are written by hand because they have what definitions do not describe: any number of operands and open attributes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar, Self

from runtime.access import AccessMode, NeuronAP
from runtime.blocks import CloneMap
from runtime.info import InstructionInfo, OperandInfo, ResultInfo, Show
from runtime.instructions import Instruction
from runtime.quoting import quoted
from runtime.types import Type
from runtime.values import Operand

if TYPE_CHECKING:
    from runtime.bir.records import BirReader, BirWriter, Record
    from runtime.names import Names

_VALUES = OperandInfo("values", variadic=True)
_EVERY = AccessMode.LOAD_STORE  # whatever an instruction without a definition does, it may do to what it is given


class Terminator(Instruction):
    """The last instruction of a block; hands its operands to whatever holds the block."""

    __slots__ = ("_values",)
    is_terminator = True

    def __init__(
        self, values: Sequence[Operand] = (), *, result_type: Type | None = None, loc: str | None = None
    ) -> None:
        super().__init__(result_type or Type.none(), loc)
        try:
            self._values = tuple(values)
            for value in self._values:
                _read(value)
            self._link_operands()
        except Exception:
            self._give_up({"values": values})
            raise

    @property
    def values(self) -> tuple[Operand, ...]:
        """What is handed out."""
        return self._values

    def operands(self) -> tuple[Operand, ...]:
        return self._values

    def set_values(self, changes: Mapping[int, Operand]) -> None:
        """Hand out other values at some positions."""
        values = list(self._values)
        for index, value in changes.items():
            _read(value)
            value.addUser(self)
            values[index].removeUser(self)
            values[index] = value
        self._values = tuple(values)

    def replaceUseOfWith(self, old: Operand, new: Operand) -> None:
        self._values = tuple(self._replaced(value, old, new) for value in self._values)

    def rhs_str(self, names: Names | None = None) -> str:
        shown = ", ".join(value.use_str(names) for value in self._values)
        return f"{self.INFO.mnemonic} {shown}" if shown else str(self.INFO.mnemonic)

    def serialize(self, ctx: BirWriter, **fields: object) -> Record:
        ctx.variables(self._values)
        return super().serialize(ctx, **fields)


def _read(value: Operand) -> None:
    """Let an access that goes into a terminator read its tensor, whatever it did where it was before."""
    if isinstance(value, NeuronAP):
        value.set_access_mode(AccessMode.LOAD)


class Return(Terminator):
    """Ends a function: `return %a, %b`."""

    __slots__ = ()
    INFO: ClassVar = InstructionInfo(
        "Return", "builtin", "return", operands=(_VALUES,), results=(), rhs=(Show("values"),)
    )


class Yield(Terminator):
    """Ends a region: `yield %a, %b`."""

    __slots__ = ()
    INFO: ClassVar = InstructionInfo(
        "Yield", "builtin", "yield", operands=(_VALUES,), results=(), rhs=(Show("values"),)
    )


class Opaque(Instruction):
    """An instruction without a definition: its name, operands and attributes are carried, its meaning is not known.

    Text: `opaque "vendor.op" %a, %b {attributes}`.
    """

    __slots__ = ("_attributes", "_label", "_values")
    INFO: ClassVar = InstructionInfo(
        "Opaque",
        "builtin",
        "opaque",
        operands=(OperandInfo("values", access=_EVERY, variadic=True),),
        results=(ResultInfo(variadic=True),),
        rhs=(Show("label"), Show("values")),
        capabilities=frozenset({"side_effects"}),
    )

    def __init__(
        self,
        label: str,
        values: Sequence[Operand] = (),
        attributes: Mapping[str, Any] | None = None,
        *,
        result_types: Sequence[Type] = (),
        loc: str | None = None,
    ) -> None:
        super().__init__(result_types[0] if result_types else Type.none(), loc)
        self._label = label
        try:
            self._values = tuple(values)
            for value in self._values:
                value.set_access_mode(_EVERY)
        except Exception:
            self._give_up({"values": values})
            raise
        self._attributes = deepcopy(dict(attributes or {}))
        self._add_results(result_types[1:])
        self._link_operands()

    @property
    def label(self) -> str:
        """The name that the instruction has where it comes from."""
        return self._label

    @property
    def values(self) -> tuple[Operand, ...]:
        """The operands."""
        return self._values

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes: int, float, bool, str, or lists of them."""
        return self._attributes

    def operands(self) -> tuple[Operand, ...]:
        return self._values

    def replaceUseOfWith(self, old: Operand, new: Operand) -> None:
        self._values = tuple(self._replaced(value, old, new, _EVERY) for value in self._values)

    def rhs_str(self, names: Names | None = None) -> str:
        shown = ", ".join(value.use_str(names) for value in self._values)
        return f"opaque {quoted(self._label)} {shown}".rstrip()

    def serialize(self, ctx: BirWriter, **fields: object) -> Record:
        ctx.variables(self._values)
        return super().serialize(ctx, label=self._label, attributes=ctx.attributes(self._attributes), **fields)

    @classmethod
    def deserialize(cls, ctx: BirReader, record: Record) -> Self:
        arguments = ctx.arguments(cls.INFO, record)
        return cls(ctx.field(record, "label", str), attributes=ctx.field(record, "attributes", dict), **arguments)

    def _common_fields(self, mapping: CloneMap) -> dict[str, Any]:
        return {**super()._common_fields(mapping), "label": self._label, "attributes": self._attributes}
