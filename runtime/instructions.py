"""Instructions: what brewed classes stand on.

Deliberately absent: an opcode (the class is the opcode), a list of operands (each brewed class has a slot for each),
and attributes by string, save for `Opaque`, which carries what has no definition.

The first result of an instruction *is* the instruction, so `cast.src` is the producer. An instruction with a `dst`
writes a tensor through an access pattern and has no SSA result; its `type` is then the type of what it writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from runtime.access import AccessMode, NeuronAP
from runtime.ap_indices import HasAPIndices
from runtime.arguments import checked_engine, give_up, who_uses, wrong_dst
from runtime.blocks import CloneMap, Statement
from runtime.dependencies import HasDependencies
from runtime.dtypes import DType
from runtime.engines import NeuronEngine
from runtime.info import InstructionInfo
from runtime.instruction_results import HasResults
from runtime.iterations import Undecided, count
from runtime.predicates import HasPredicates
from runtime.tensors import Tensor
from runtime.types import Type
from runtime.values import Operand, Result, Value

if TYPE_CHECKING:
    from runtime.bir.records import BirReader, BirWriter, Record
    from runtime.names import Names


@dataclass(frozen=True)
class Problem:
    """Something wrong with one instruction, found by its `verify`; the verifier adds the place."""

    message: str
    field: str | None = None  # the operand, attribute or result it is about


class Instruction(HasResults, HasPredicates, HasDependencies, Statement):
    """One instruction. Subclasses are brewed; a hand-written subclass stands on a brewed one.

    `loc` is where the program came from, as text (`model.py:12:3`).
    """

    __slots__ = ("loc", "next", "order", "parent", "prev")

    INFO: ClassVar[InstructionInfo]
    is_terminator: ClassVar[bool] = False

    loc: str | None

    def __init__(self, result_type: Type, loc: str | None = None) -> None:
        self.type = result_type
        self.name = None
        self._uses = None
        self.parent = None
        self.prev = None
        self.next = None
        self.order = 0
        self.loc = loc
        self.extras = None

    # What brewed classes override.

    def operands(self) -> tuple[Operand, ...]:
        """Return the operands that are present, in the order of the definition."""
        return ()

    def replaceUseOfWith(self, old: Operand, new: Operand) -> None:
        """Put `new` into every operand slot that holds `old`, or an access to it where `old` is a tensor."""

    def replaceTensor(self, old: Tensor, new: Tensor) -> None:
        """Read and write `new` wherever this reads or writes `old`; each access keeps its pattern."""
        self.replaceUseOfWith(old, new)

    def rhs_str(self, names: Names | None = None) -> str:
        """Return the text of the instruction without result, destination and trailing dictionary."""
        raise NotImplementedError

    def serialize(self, ctx: BirWriter, **fields: object) -> Record:
        """Return the BIR record of this instruction; `ctx` has collected its variables."""
        return ctx.record(self, fields)

    @classmethod
    def deserialize(cls, ctx: BirReader, record: Record) -> Self:
        """Return the instruction that `serialize` made `record` from."""
        return cls(**ctx.arguments(cls.INFO, record))

    def infer_result_type(self) -> Type:
        """Return the type of the first result that the definition gives for these operands."""
        return self.type

    def verify(self) -> Iterator[Problem]:
        """Yield what is wrong with this instruction by itself, whatever stands around it."""
        return iter(())

    def loadTensor(self, tensor: Tensor) -> bool:
        """Whether an operand reads `tensor`, or `dst`, which what this writes may be added to."""
        dst = self.dst
        return (dst is not None and dst.tensor is tensor and dst.mode.is_load) or any(
            isinstance(o, NeuronAP) and o.tensor is tensor and o.mode.is_load for o in self.operands()
        )

    def storeTensor(self, tensor: Tensor) -> bool:
        """Whether this writes `tensor`: through `dst`, or through an operand."""
        dst = self.dst
        return (dst is not None and dst.tensor is tensor) or any(
            isinstance(o, NeuronAP) and o.tensor is tensor and o.mode.is_store for o in self.operands()
        )

    parent_function = Statement.parent_function

    # For brewed classes: the constructor, and linking.

    _give_up = give_up  # called by a constructor that has failed

    def _result_type(self, given: Type | None, dst: NeuronAP | None = None, dtype: DType | None = None) -> Type:
        """Return the type of the result where the caller does not simply give it: that of `dst`, or what follows from
        the operands, with elements of `dtype`.

        Raises: TypeError for a type and a dtype at once.
        """
        if given is not None:
            raise TypeError(f"{self.INFO.name} takes a result_type or a dtype, not both: {given} and {dtype}")
        found = self.infer_result_type() if dst is None else dst.type
        return found if dtype is None else found.with_dtype(dtype)

    def _link_operands(self) -> None:
        """Register this with every operand, at the end of the constructor."""
        for operand in self.operands():
            operand.addUser(self)

    def _replaced(self, held: Operand, old: Operand, new: Operand, mode: AccessMode = AccessMode.LOAD) -> Operand:
        """Return what the slot that holds `held` holds after `old` became `new`, use-lists brought in step.

        `mode` is the slot's own, for a slot that held an SSA value until now.
        """
        if held is old:
            fresh = new.for_slot()
        elif held.__class__ is NeuronAP and held.tensor is old:
            fresh = held.copy(new) if isinstance(new, Tensor) else new.for_slot()
        else:
            return held
        if fresh.__class__ is NeuronAP:
            fresh.set_access_mode(held.mode if isinstance(held, NeuronAP) else mode)
        held.removeUser(self)
        fresh.addUser(self)
        return fresh

    @property
    def dst(self) -> NeuronAP | None:
        """The access through which this writes a tensor; None where the result is an SSA value."""
        return None

    @property
    def may_repeat_regions(self) -> bool:
        return self.INFO.may_repeat_regions

    @property
    def num_dynamic_instances(self) -> int | None:
        """As of any statement, and only where the predicates hold; None also where counting would take too long."""
        times = self._count_runs()
        if times is None or self.extras is None or not self.is_predicated:
            return times
        try:
            return count(self.predicates, self.loop_axes)
        except Undecided:
            return None

    # Editing.

    @property
    def canMutateDstTy(self) -> bool:
        """Whether the result may be given another dtype; the definition's default, which a wrapper may narrow."""
        return "can_mutate_dst_ty" in self.INFO.capabilities

    def mutateDstTy(self, dtype: DType) -> None:
        """Give the result elements of `dtype`."""
        self.type = self.type.with_dtype(dtype)

    def eraseFromParent(self) -> None:
        if self._uses is not None or self.extras is not None:  # nearly never; `results` costs more than the rest
            for result in self.results:
                if result.has_users:
                    raise ValueError(f"cannot erase {self!r}: {who_uses(result)} it")
            self._drop_dependencies()
        for block in self.blocks:
            block.clear()
        self._unlink_operands()
        if self.parent is not None:
            self.parent.remove(self)

    def replaceWith(self, *values: Operand) -> None:
        """Let each value stand in for one result of this everywhere, take over its name, and erase this.

        The dependency edges go to the instruction that gives the first value, if one does.

        Raises: ValueError, with nothing changed, where a value has no result, or a used result no value.
        """
        results = self.results
        if len(values) > len(results) or any(result.has_users for result in results[len(values) :]):
            raise ValueError(f"cannot replace {self!r}: {len(values)} values for {len(results)} results")
        if any(value is result for value in values for result in results):
            raise ValueError(f"cannot replace {self!r} with a result of its own")
        for result, value in zip(results, values, strict=False):
            if isinstance(value, Value) and value.name is None:
                value.name = result.name
            result.replaceAllUsesWith(value)
        first = values[0] if values else None
        heir = first.owner if isinstance(first, Result) else first
        if self.extras is not None and isinstance(heir, Instruction):
            heir.takeDependencies(self)
        self.eraseFromParent()

    def _unlink_operands(self) -> None:
        for operand in self.operands():
            operand.removeUser(self)

    def clone(self, mapping: CloneMap) -> Self:
        """Return an equal instruction that stands in no block.

        Values, tensors and axes that `mapping` names are replaced; the results of the clone are added to it.
        """
        fields = {name: cloned(getattr(self, name), mapping) for name in self.INFO.fields}
        new = type(self)(**fields, **self._common_fields(mapping))
        new.name = self.name
        if self.extras is not None:
            new._clone_extras(self, mapping)
        for old_result, new_result in zip(self.results, new.results, strict=True):
            mapping[old_result] = new_result
            new_result.name = old_result.name
        for old_block, new_block in zip(self.blocks, new.blocks, strict=True):
            old_block.clone_into(new_block, mapping)
        return new

    def _common_fields(self, mapping: CloneMap) -> dict[str, Any]:
        """Return the constructor arguments that do not come from the definition."""
        result = {"result_types": self.result_types} if self.INFO.many_results else {"result_type": self.type}
        return {**result, "loc": self.loc}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} %{self.name or '?'}: {self.type}>"


def cloned(field: Any, mapping: CloneMap) -> Any:
    """Return what the clone holds in place of the value of a field."""
    if isinstance(field, NeuronAP):
        tensor = mapping.get(field.tensor, field.tensor)
        return field.copy(tensor, mapping)  # type: ignore[arg-type]  # a tensor maps to a tensor, an axis to an axis
    if isinstance(field, Value):
        return mapping.get(field, field)
    if isinstance(field, tuple):
        return tuple(cloned(item, mapping) for item in field)
    return field


class NeuronInst(Instruction, HasAPIndices):
    """An instruction of the `neuron` dialect: it may read and write tensors through access patterns.

    With a `dst` it writes a tensor and has no SSA result. `engine` is None where only the definition's hint is known.
    """

    __slots__ = ("_dst", "_engine")

    engine_hint: ClassVar[NeuronEngine] = NeuronEngine.UNKNOWN

    _dst: NeuronAP | None
    _engine: NeuronEngine | None

    def __init__(
        self,
        result_type: Type,
        dst: NeuronAP | None = None,
        engine: NeuronEngine | None = None,
        loc: str | None = None,
    ) -> None:
        super().__init__(result_type, loc)
        self._engine = engine
        self._dst = dst
        if dst is not None:
            if dst.__class__ is not NeuronAP:
                raise wrong_dst(self, dst)
            dst.set_access_mode(self.dst_mode)
            dst.addUser(self)

    @property
    def dst(self) -> NeuronAP | None:
        return self._dst

    def set_dst(self, access: NeuronAP | None) -> None:
        """Write through `access`, or yield an SSA value where it is None; the type stays as it is.

        Raises: ValueError where the result has users, which would lose it, or this gives values only.
        """
        info = self.INFO.dst
        if access is not None and info is not None and not info.is_allowed:
            raise ValueError(f"cannot give {self!r} a dst: it gives values only")
        if access is not None and self.has_users:
            raise ValueError(f"cannot give {self!r} a dst: {who_uses(self)} its result")
        if self._dst is not None:
            self._dst.removeUser(self)
        self._dst = access
        if access is not None:
            access.set_access_mode(self.dst_mode)
            access.addUser(self)

    @property
    def dst_mode(self) -> AccessMode:
        """How this accesses the tensor that it writes: `LOAD_STORE` where what it writes is added to what is there."""
        return AccessMode.STORE

    def _settle_dst(self) -> None:
        """Access what this writes as `dst_mode` says, after an attribute changed that decides it."""
        dst = self._dst
        if dst is not None and dst.mode is not self.dst_mode:
            self.set_dst(dst.copy())

    def replaceTensor(self, old: Tensor, new: Tensor) -> None:
        super().replaceTensor(old, new)
        if self._dst is not None and self._dst.tensor is old:
            self.set_dst(self._dst.copy(new))

    @property
    def engine(self) -> NeuronEngine:
        """The engine assigned, or the hint of the definition."""
        return self._engine or self.engine_hint

    @engine.setter
    def engine(self, engine: NeuronEngine | None) -> None:
        self._engine = checked_engine(engine)

    @property
    def assigned_engine(self) -> NeuronEngine | None:
        """The engine that this was given; None where only the hint of the definition is known."""
        return self._engine

    @property
    def canWriteToPsum(self) -> bool:
        """Whether the result may lie in PSUM: the definition lets it, and the assigned engine, else any, writes it."""
        info, assigned = self.INFO, self._engine
        if info.dst is not None and (not info.dst.is_allowed or "psum" not in (info.dst.memory or ("psum",))):
            return False
        if assigned is not None and assigned is not NeuronEngine.UNKNOWN:
            return "psum" in assigned.writes
        return not info.engines or any("psum" in NeuronEngine(name).writes for name in info.engines)

    @property
    def canMutateDstTy(self) -> bool:
        """Also False where this writes bits under another dtype, or a program's output, whose dtype is declared."""
        dst = self._dst
        if dst is not None and (dst.reinterpret is not None or dst.tensor.isOutput):
            return False
        return "can_mutate_dst_ty" in self.INFO.capabilities

    def mutateDstTy(self, dtype: DType) -> None:
        """Give the result, and the tensor that `dst` writes, elements of `dtype`.

        Other instructions that write the same tensor keep their type: the caller mutates each of them.
        """
        self.type = self.type.with_dtype(dtype)
        if self._dst is not None and self._dst.tensor.dtype is not dtype:
            self._dst.tensor.mutateTensorTy(dtype)

    def _unlink_operands(self) -> None:
        for operand in self.operands():
            operand.removeUser(self)
        if self._dst is not None:
            self._dst.removeUser(self)

    def _common_fields(self, mapping: CloneMap) -> dict[str, Any]:
        dst = {} if self._dst is None else {"dst": cloned(self._dst, mapping)}
        return {**super()._common_fields(mapping), "engine": self._engine, **dst}


class NeuronUnaryInst(NeuronInst):
    """A neuron instruction with one data operand, `src`; further operands steer it."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def src(self) -> Operand: ...


class NeuronNaryInst(NeuronInst):
    """A neuron instruction with several data operands."""

    __slots__ = ()


class GraphInst(Instruction):
    """An operation of the `graph` dialect: SSA values in, SSA values out, no memory."""

    __slots__ = ()
