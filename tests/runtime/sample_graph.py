"""A few instruction classes of the graph dialect, in the shape of brewed ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from runtime.blocks import Block
from runtime.constants import Constant
from runtime.dtypes import DType
from runtime.infer.matmuls import matmul_type
from runtime.info import AttributeInfo, InstructionInfo, OperandInfo, RegionInfo, ResultInfo
from runtime.instructions import GraphInst
from runtime.types import Type
from runtime.values import Operand

if TYPE_CHECKING:
    from runtime.bir.records import BirWriter, Record
    from runtime.names import Names


class SampleMatMul(GraphInst):
    """Two operands of the graph dialect."""

    __slots__ = ("_lhs", "_rhs")
    INFO: ClassVar = InstructionInfo(
        "SampleMatMul", "graph", "graph.matmul", operands=(OperandInfo("lhs"), OperandInfo("rhs"))
    )

    def __init__(self, lhs: Operand, rhs: Operand, *, result_type: Type | None = None, loc: str | None = None) -> None:
        self._lhs = lhs
        self._rhs = rhs
        super().__init__(result_type or self.infer_result_type(), loc)
        self._link_operands()

    @property
    def lhs(self) -> Operand:
        return self._lhs

    @property
    def rhs(self) -> Operand:
        return self._rhs

    def operands(self) -> tuple[Operand, ...]:
        return (self._lhs, self._rhs)

    def replaceUseOfWith(self, old: Operand, new: Operand) -> None:
        self._lhs = self._replaced(self._lhs, old, new)
        self._rhs = self._replaced(self._rhs, old, new)

    def infer_result_type(self) -> Type:
        return matmul_type(self._lhs.type, self._rhs.type)

    def rhs_str(self, names: Names | None = None) -> str:
        return f"graph.matmul {self._lhs.use_str(names)}, {self._rhs.use_str(names)}"

    def serialize(self, ctx: BirWriter, **fields: object) -> Record:
        ctx.var(self._lhs)
        ctx.var(self._rhs)
        return super().serialize(ctx, **fields)


class SampleConstant(GraphInst):
    """Attributes of every kind."""

    __slots__ = ("_dims", "_label", "_shape", "_to", "_value", "_wanted")
    INFO: ClassVar = InstructionInfo(
        "SampleConstant",
        "graph",
        "graph.constant",
        attributes=(
            AttributeInfo("value", "tensor"),
            AttributeInfo("to", "dtype", optional=True),
            AttributeInfo("wanted", "type", optional=True),
            AttributeInfo("shape_", "shape", optional=True),
            AttributeInfo("dims", "list[int]", default=()),
            AttributeInfo("label", "str", default=""),
        ),
    )

    def __init__(
        self,
        value: Constant,
        to: DType | None = None,
        wanted: Type | None = None,
        shape_: tuple[int | str | None, ...] | None = None,
        dims: Sequence[int] = (),
        label: str = "",
        *,
        result_type: Type | None = None,
        loc: str | None = None,
    ) -> None:
        self._value = value
        self._to = to
        self._wanted = wanted
        self._shape = shape_
        self._dims = tuple(dims)
        self._label = label
        super().__init__(result_type or self.infer_result_type(), loc)
        self._link_operands()

    @property
    def value(self) -> Constant:
        return self._value

    @property
    def to(self) -> DType | None:
        return self._to

    @property
    def wanted(self) -> Type | None:
        return self._wanted

    @property
    def shape_(self) -> tuple[int | str | None, ...] | None:
        return self._shape

    @property
    def dims(self) -> tuple[int, ...]:
        return self._dims

    @property
    def label(self) -> str:
        return self._label

    def infer_result_type(self) -> Type:
        return self._value.type

    def rhs_str(self, names: Names | None = None) -> str:
        return f"graph.constant {self._value!r} {self._to} {self._wanted} {self._shape} {self._dims} {self._label!r}"

    def serialize(self, ctx: BirWriter, **fields: object) -> Record:
        return super().serialize(
            ctx,
            value=ctx.constant(self._value),
            to=ctx.dtype(self._to),
            wanted=ctx.type(self._wanted),
            shape_=ctx.shape(self._shape),
            dims=[ctx.number(item) for item in self._dims],
            label=ctx.word(self._label),
            **fields,
        )


class SampleIf(GraphInst):
    """Two regions and any number of results."""

    __slots__ = ("_condition", "_else", "_then")
    INFO: ClassVar = InstructionInfo(
        "SampleIf",
        "graph",
        "graph.if",
        operands=(OperandInfo("condition", dtypes=("bool",)),),
        results=(ResultInfo(variadic=True),),
        regions=(RegionInfo("then"), RegionInfo("else")),
    )

    def __init__(self, condition: Operand, *, result_types: Sequence[Type] = (), loc: str | None = None) -> None:
        self._condition = condition
        self._then = Block(self)
        self._else = Block(self)
        super().__init__(result_types[0] if result_types else Type.none(), loc)
        self._add_results(result_types[1:])
        self._link_operands()

    @property
    def condition(self) -> Operand:
        return self._condition

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (self._then, self._else)

    def operands(self) -> tuple[Operand, ...]:
        return (self._condition,)

    def replaceUseOfWith(self, old: Operand, new: Operand) -> None:
        self._condition = self._replaced(self._condition, old, new)

    def rhs_str(self, names: Names | None = None) -> str:
        return f"graph.if {self._condition.use_str(names)}"

    def serialize(self, ctx: BirWriter, **fields: object) -> Record:
        ctx.var(self._condition)
        return super().serialize(ctx, **fields)
