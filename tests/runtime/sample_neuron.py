"""A few instruction classes of the neuron dialect, in the shape of brewed ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, ClassVar

from runtime.access import AccessMode, APIndex, NeuronAP
from runtime.dtypes import DType
from runtime.engines import NeuronEngine
from runtime.infer.copies import gathered_type
from runtime.info import AttributeInfo, DstInfo, InstructionInfo, OperandInfo, ResultInfo
from runtime.instructions import NeuronUnaryInst, Problem
from runtime.types import Type
from runtime.values import Operand

if TYPE_CHECKING:
    from runtime.bir.records import BirWriter, Record
    from runtime.names import Names


class SampleActivation(NeuronUnaryInst):
    """An enum, a float with a default, an optional operand; the dtype of the result is free."""

    __slots__ = ("_bias", "_kind", "_scale", "_src")
    INFO: ClassVar = InstructionInfo(
        "SampleActivation",
        "neuron",
        "activation",
        operands=(
            OperandInfo("src", memory=("sbuf", "psum"), rank=(1, 2)),
            OperandInfo("bias", optional=True, dtypes=("f32", "bf16")),
        ),
        attributes=(
            AttributeInfo("kind", "enum", one_of=("copy", "gelu", "tanh")),
            AttributeInfo("scale", "float", default=1.0, min=-100.0, max=100.0),
        ),
        results=(ResultInfo(free_dtype=True),),
        engines=("scalar", "gpsimd"),
    )

    def __init__(
        self,
        src: Operand,
        kind: str,
        bias: Operand | None = None,
        scale: float = 1.0,
        *,
        dtype: DType | None = None,
        dst: NeuronAP | None = None,
        result_type: Type | None = None,
        engine: NeuronEngine | None = None,
        loc: str | None = None,
    ) -> None:
        self._src = src
        self._src.set_access_mode(AccessMode.LOAD)
        self._bias = bias
        if self._bias is not None:
            self._bias.set_access_mode(AccessMode.LOAD)
        self._kind = kind
        self._scale = scale
        if result_type is None:
            result_type = self.infer_result_type() if dst is None else dst.type
            if dtype is not None:
                result_type = result_type.with_dtype(dtype)
        super().__init__(result_type, dst, engine, loc)
        self._link_operands()

    @property
    def src(self) -> Operand:
        return self._src

    @property
    def bias(self) -> Operand | None:
        return self._bias

    @property
    def kind(self) -> str:
        return self._kind

    @property
    def scale(self) -> float:
        return self._scale

    @scale.setter
    def scale(self, value: float) -> None:
        self._scale = value

    def operands(self) -> tuple[Operand, ...]:
        return (self._src,) if self._bias is None else (self._src, self._bias)

    def replaceUseOfWith(self, old: Operand, new: Operand) -> None:
        self._src = self._replaced(self._src, old, new)
        if self._bias is not None:
            self._bias = self._replaced(self._bias, old, new)

    def infer_result_type(self) -> Type:
        return self._src.type

    def rhs_str(self, names: Names | None = None) -> str:
        bias = "" if self._bias is None else f" bias {self._bias.use_str(names)}"
        return f"activation {self._kind} {self._src.use_str(names)}{bias}"

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        if self._kind == "copy" and self._bias is not None:
            yield Problem("[no bias] a copy adds no bias", "bias")

    def serialize(self, ctx: BirWriter, **fields: object) -> Record:
        ctx.var(self._src)
        if self._bias is not None:
            ctx.var(self._bias)
        else:
            ctx.none()
        return super().serialize(ctx, kind=ctx.word(self._kind), scale=ctx.number(self._scale), **fields)


class SampleGather(NeuronUnaryInst):
    """A list of indices, an operand with legal dtypes, and derived fields in BIR."""

    __slots__ = ("_addr_free_indices", "_generic_addrs", "_generic_dim", "_src")
    INFO: ClassVar = InstructionInfo(
        "SampleGather",
        "neuron",
        "gather",
        version=2,
        operands=(OperandInfo("src"), OperandInfo("generic_addrs", optional=True, dtypes=("i32", "u32"))),
        attributes=(AttributeInfo("generic_dim", "int", min=0),),
        ap_indices=("addr_free_indices",),
        renames=((2, "dim", "generic_dim"),),
    )

    def __init__(
        self,
        src: Operand,
        generic_dim: int,
        generic_addrs: Operand | None = None,
        addr_free_indices: Iterable[APIndex] = (),
        *,
        dst: NeuronAP | None = None,
        result_type: Type | None = None,
        engine: NeuronEngine | None = None,
        loc: str | None = None,
    ) -> None:
        self._src = src
        self._src.set_access_mode(AccessMode.LOAD)
        self._generic_addrs = generic_addrs
        if self._generic_addrs is not None:
            self._generic_addrs.set_access_mode(AccessMode.LOAD)
        self._generic_dim = generic_dim
        self._addr_free_indices = tuple(addr_free_indices)
        if result_type is None:
            result_type = self.infer_result_type() if dst is None else dst.type
        super().__init__(result_type, dst, engine, loc)
        self._link_operands()

    @property
    def src(self) -> Operand:
        return self._src

    @property
    def generic_addrs(self) -> Operand | None:
        return self._generic_addrs

    @property
    def generic_dim(self) -> int:
        return self._generic_dim

    @generic_dim.setter
    def generic_dim(self, value: int) -> None:
        self._generic_dim = value

    @property
    def addr_free_indices(self) -> tuple[APIndex, ...]:
        return self._addr_free_indices

    def operands(self) -> tuple[Operand, ...]:
        return (self._src,) if self._generic_addrs is None else (self._src, self._generic_addrs)

    def replaceUseOfWith(self, old: Operand, new: Operand) -> None:
        self._src = self._replaced(self._src, old, new)
        if self._generic_addrs is not None:
            self._generic_addrs = self._replaced(self._generic_addrs, old, new)

    def infer_result_type(self) -> Type:
        addrs = None if self._generic_addrs is None else self._generic_addrs.type
        return gathered_type(self._src.type, self._generic_dim, addrs)

    def rhs_str(self, names: Names | None = None) -> str:
        addrs = "none" if self._generic_addrs is None else self._generic_addrs.use_str(names)
        return f"gather {self._src.use_str(names)} generic_dim:[{self._generic_dim}] generic_addrs: {addrs}"

    def serialize(self, ctx: BirWriter, **fields: object) -> Record:
        ctx.var(self._src)
        if self._generic_addrs is not None:
            ctx.var(self._generic_addrs)
        else:
            ctx.none()
        ctx.indices("addr_free_indices", self._addr_free_indices)
        return super().serialize(
            ctx,
            generic_dim=ctx.number(self._generic_dim),
            shape=ctx.shape(self.shape),
            dtype=ctx.dtype(self._src.dtype),
            **fields,
        )


class SampleStore(NeuronUnaryInst):
    """Must write through `dst`; the dtype is free."""

    __slots__ = ("_src",)
    INFO: ClassVar = InstructionInfo(
        "SampleStore",
        "neuron",
        "store",
        operands=(OperandInfo("src"),),
        results=(ResultInfo(free_dtype=True),),
        dst=DstInfo("required"),
    )

    def __init__(
        self,
        src: Operand,
        *,
        dtype: DType | None = None,
        dst: NeuronAP | None = None,
        result_type: Type | None = None,
        engine: NeuronEngine | None = None,
        loc: str | None = None,
    ) -> None:
        self._src = src
        self._src.set_access_mode(AccessMode.LOAD)
        if result_type is None:
            result_type = self.infer_result_type() if dst is None else dst.type
            if dtype is not None:
                result_type = result_type.with_dtype(dtype)
        super().__init__(result_type, dst, engine, loc)
        self._link_operands()

    @property
    def src(self) -> Operand:
        return self._src

    def operands(self) -> tuple[Operand, ...]:
        return (self._src,)

    def replaceUseOfWith(self, old: Operand, new: Operand) -> None:
        self._src = self._replaced(self._src, old, new)

    def infer_result_type(self) -> Type:
        return self._src.type

    def rhs_str(self, names: Names | None = None) -> str:
        return f"store {self._src.use_str(names)}"

    def serialize(self, ctx: BirWriter, **fields: object) -> Record:
        ctx.var(self._src)
        return super().serialize(ctx, **fields)
