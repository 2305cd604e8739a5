"""`DTypeMutator`: lets the producer of an operand write another dtype.

    mutator = DTypeMutator(target=target)
    if mutator.tryMutateDstTy(operand, bf16): ...   # the operand is bf16: it was, or its producer writes it now

It answers with a `MutateState`: `Match`, it has that dtype; `Mutated`, it has it now; `Mismatch`, nothing was changed,
and `why_not` says which gate was in the way. Users of the operand are the caller's: they read another dtype from then
on.

Constants that are loaded are converted when compiling, once for a tensor and a dtype: further loads share the
converted one.

Units: `casted_weights` counts bytes before the conversion.
Source: penguin, DTypeMutator.
"""

from __future__ import annotations

from enum import Enum
from typing import ClassVar

from generated.neuron.SBAtomLoadGen import SBAtomLoadGen
from passes.mutator.gates import producer_or_refusal, why_not_load
from runtime.access import NeuronAP
from runtime.constants import Constant
from runtime.dtypes import DType
from runtime.functions import Function
from runtime.instructions import NeuronInst
from runtime.rounding import cast_array
from runtime.statistics import Unit, register_stats
from runtime.targets import Target
from runtime.tensors import Tensor
from runtime.values import Operand


class MutateState(Enum):
    """What became of an operand."""

    Mismatch = 0
    Mutated = 1
    Match = 2

    @property
    def mismatch(self) -> bool:
        """Whether the operand has another dtype, as before."""
        return self is MutateState.Mismatch

    @property
    def mutated(self) -> bool:
        """Whether the operand has the dtype since now."""
        return self is MutateState.Mutated

    @property
    def match_or_mutated(self) -> bool:
        """Whether the operand has the dtype."""
        return self is not MutateState.Mismatch


class MutationCounters:
    """The counters of `DTypeMutator`; a pass that uses one has them as a base."""

    operator_type_mutated: ClassVar[int] = 0
    n_loads: ClassVar[int] = 0
    casted_weights: ClassVar[int] = 0
    folded_cast_load: ClassVar[int] = 0
    register_stats(
        operator_type_mutated=("Number of operator whose dst type is mutated for legalization", Unit.Count),
        n_loads=("Number of load whose tensor type mutated", Unit.Count),
        casted_weights=("Number of bytes statically casted in weight tensor", Unit.Bytes),
        folded_cast_load=("Number of casts folded into loads of constants", Unit.Count),
    )


class DTypeMutator(MutationCounters):
    """Mutates producers of one function; `mutate_multi_users` also those whose value has several users."""

    def __init__(
        self, mutate_multi_users: bool = False, f: Function | None = None, target: Target | None = None
    ) -> None:
        self.tensor_map: dict[tuple[Tensor, DType], Tensor] = {}
        self.mutate_multi_users = mutate_multi_users
        self.f = f
        self.target = target

    def set_function(self, f: Function) -> None:
        """Go on with another function."""
        self.f = f

    def reset(self) -> None:
        """Forget the constants that were converted."""
        self.tensor_map.clear()

    def tryMutateDstTy(self, operand: Operand, dtype: DType) -> bool:
        """Let `operand` be of `dtype` where that is possible; return whether it is."""
        return not self.matchOrMutateDstTy(operand=operand, dtype=dtype).mismatch

    def matchOrMutateDstTy(self, operand: Operand, dtype: DType) -> MutateState:
        """Let the producer of `operand` write `dtype` where every gate lets it, and say what became of it."""
        if operand.type.dtype is dtype:
            return MutateState.Match
        if self.why_not(operand, dtype) is not None:
            return MutateState.Mismatch
        producer = producer_or_refusal(operand, dtype, multi_users=self.mutate_multi_users)
        assert isinstance(producer, NeuronInst)
        if isinstance(producer, SBAtomLoadGen):
            return self.mutateLoad(producer, dtype)
        producer.mutateDstTy(dtype)
        MutationCounters.operator_type_mutated += 1
        return MutateState.Mutated

    def why_not(self, operand: Operand, dtype: DType) -> str | None:
        """Return why `operand` cannot be of `dtype`, by the first gate that says so, or None."""
        if operand.type.dtype is dtype:
            return None
        producer = producer_or_refusal(operand, dtype, multi_users=self.mutate_multi_users)
        if not isinstance(producer, NeuronInst):
            return producer.why
        if isinstance(producer, SBAtomLoadGen):
            refused = why_not_load(producer, dtype, self.target)
            return None if refused is None else refused.why
        return None if producer.canMutateDstTy else f"the result of {producer.INFO.mnemonic} may not change its dtype"

    def mutateLoad(self, load: SBAtomLoadGen, dtype: DType) -> MutateState:
        """Let a load give `dtype`: by converting its constant when compiling, else by DMA."""
        if why_not_load(load, dtype, self.target) is not None:
            return MutateState.Mismatch
        if not load.load_const:
            load.mutateDstTy(dtype)
            MutationCounters.n_loads += 1
            return MutateState.Mutated
        source = load.src
        assert isinstance(source, NeuronAP)
        if source.tensor.dtype is dtype:
            load.mutateDstTy(dtype)
            return MutateState.Match
        self.staticCastLoadTensor(load, dtype)
        return MutateState.Mutated

    def staticCastLoadTensor(self, load: SBAtomLoadGen, dtype: DType) -> None:
        """Let a load read a constant of `dtype`, of the same contents, rounded once, which loads share."""
        source = load.src
        assert isinstance(source, NeuronAP)
        tensor = source.tensor
        assert tensor.is_const, "Can only cast weight"
        load.mutateDstTy(dtype)
        casted = self.tensor_map.get((tensor, dtype))
        if casted is None:
            casted = self.tensor_map[tensor, dtype] = self._converted(tensor, dtype)
            size = tensor.type.size_in_bytes
            assert size is not None and tensor.init is not None
            if not tensor.init.is_splat:  # one element stands for all
                MutationCounters.casted_weights += size
        load.replaceTensor(tensor, casted)
        MutationCounters.folded_cast_load += 1

    def _converted(self, tensor: Tensor, dtype: DType) -> Tensor:
        """Return a new constant tensor of the function: `tensor` in another dtype."""
        assert self.f is not None and tensor.init is not None and tensor.name is not None
        casted = tensor.clone()
        casted.name = self._unused_name(f"{tensor.name}_{dtype}")
        casted.mutateTensorTy(dtype)
        casted.init = Constant(cast_array(tensor.init.array, tensor.dtype, dtype), dtype)
        return self.f.add_tensor(casted)

    def _unused_name(self, wanted: str) -> str:
        assert self.f is not None
        name, number = wanted, 1
        while name in self.f.tensors:
            name, number = f"{wanted}_{number}", number + 1
        return name
