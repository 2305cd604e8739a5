"""Tensors: named buffers in a memory space, and who reads and writes them.

Deliberately absent: addresses. A tensor says where it lives (its class), not at which byte.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from runtime.access import AccessMode, NeuronAP
from runtime.dtypes import DType
from runtime.quoting import described
from runtime.types import Type
from runtime.values import Operand, Value

if TYPE_CHECKING:
    from runtime.constants import Constant
    from runtime.functions import Function
    from runtime.instructions import Instruction


class Tensor(Value):
    """A buffer; its uses are accesses, each in one operand slot of one instruction.

    Shapes: all extents known; the first is the partition extent for on-chip memory.
    """

    __slots__ = ("_loads", "_stores", "function", "init", "isInput", "isOutput")

    memory: ClassVar[str] = "abstract"

    function: Function | None
    isInput: bool
    isOutput: bool
    init: Constant | None  # the contents of a constant tensor

    def __init__(
        self,
        name: str,
        dtype: DType,
        shape: tuple[int, ...],
        *,
        isInput: bool = False,
        isOutput: bool = False,
        init: Constant | None = None,
    ) -> None:
        try:
            self.type = Type.tensor(dtype, tuple(shape))
        except TypeError:
            Type.tensor(dtype, shape)  # which says what is wrong with a number in place of a shape
            raise
        if self.type.size_in_bytes is None or name.__class__ is not str:
            raise _wrong_tensor(name, self.type)
        self.name = name
        self._uses = None
        self.function = None
        self.isInput = isInput
        self.isOutput = isOutput
        self.init = init
        self._loads: dict[NeuronAP, None] = {}  # ordered sets: removing one access is O(1)
        self._stores: dict[NeuronAP, None] = {}

    @property
    def known_shape(self) -> tuple[int, ...]:
        """Extents in elements, all known."""
        return self.shape  # type: ignore[return-value]  # the constructor takes only known extents

    @property
    def parent_function(self) -> Function | None:
        return self.function

    @property
    def is_const(self) -> bool:
        """Whether the contents are fixed when the program is written."""
        return self.init is not None

    @property
    def isInputOrOutput(self) -> bool:
        """Whether the tensor is part of the program's interface."""
        return self.isInput or self.isOutput

    @property
    def is_reinterpreted(self) -> bool:
        """Whether any access reads or writes the bits under another dtype; O(accesses)."""
        return any(access.reinterpret is not None for access in self.accesses)

    @property
    def loads(self) -> tuple[NeuronAP, ...]:
        """The accesses that read this, oldest first."""
        return tuple(self._loads)

    @property
    def stores(self) -> tuple[NeuronAP, ...]:
        """The accesses that write this, oldest first."""
        return tuple(self._stores)

    @property
    def accesses(self) -> Iterator[NeuronAP]:
        """All accesses, reads first, each once."""
        yield from self._loads
        yield from (access for access in self._stores if not access.mode.is_load)

    @property
    def n_loads(self) -> int:
        """Number of accesses that read this; O(1)."""
        return len(self._loads)

    @property
    def n_stores(self) -> int:
        """Number of accesses that write this; O(1)."""
        return len(self._stores)

    @property
    def single_def_single_use(self) -> bool:
        """Whether exactly one access writes this and exactly one reads it."""
        return self.n_stores == 1 and self.n_loads == 1

    @property
    def users(self) -> tuple[Instruction, ...]:
        """The instructions that access this, each once."""
        return tuple(dict.fromkeys(access.owner for access in self.accesses if access.owner is not None))

    @property
    def n_uses(self) -> int:
        return sum(1 for _ in self.accesses)

    @property
    def uses(self) -> dict[Instruction, int]:
        return dict(Counter(access.owner for access in self.accesses if access.owner is not None))

    @property
    def has_users(self) -> bool:
        return bool(self._loads or self._stores)

    @property
    def has_single_user(self) -> bool:
        return len(self.users) == 1

    def set_access_mode(self, mode: AccessMode) -> None:
        raise TypeError(
            f"a slot takes an access to a tensor, not the tensor %{self.name} itself; "
            f"an access to all of it is NeuronAP({self.name})"
        )

    def addUser(self, user: Instruction) -> None:
        raise TypeError(f"{user.INFO.name} takes a value, not the tensor %{self.name}; load or copy it first")

    removeUser = addUser

    def add_access(self, access: NeuronAP) -> None:
        """Record an access that has just entered a slot; called by the access itself."""
        if access.mode.is_load:
            self._loads[access] = None
        if access.mode.is_store:
            self._stores[access] = None

    def remove_access(self, access: NeuronAP) -> None:
        """Forget an access that leaves its slot; called by the access itself."""
        if access.mode.is_load:
            del self._loads[access]
        if access.mode.is_store:
            del self._stores[access]

    def replaceAllUsesWith(self, new: Operand) -> None:
        """Make every instruction read and write the tensor `new` in place of this; each access keeps its pattern."""
        if not isinstance(new, Tensor):
            raise TypeError(f"only a tensor can stand in for {self!r}, not {new!r}")
        if new is not self:
            for user in self.users:
                user.replaceTensor(self, new)

    def replaceAllUsesWithExcept(self, new: Operand, spared: Instruction) -> None:
        """Do the same for every user but `spared`."""
        if not isinstance(new, Tensor):
            raise TypeError(f"only a tensor can stand in for {self!r}, not {new!r}")
        if new is not self:
            for user in self.users:
                if user is not spared:
                    user.replaceTensor(self, new)

    def for_slot(self) -> Operand:
        """A slot cannot hold a bare tensor: return the access to the whole of it."""
        return NeuronAP(self)

    def mutateTensorTy(self, dtype: DType) -> None:
        """Give the elements another dtype. Accesses follow; the caller keeps the types of the writers in step."""
        self.type = self.type.with_dtype(dtype)

    def clone(self) -> Tensor:
        """Return an equal tensor without accesses, in no function; its constant contents are shared."""
        assert self.name is not None
        return type(self)(
            self.name, self.dtype, self.known_shape, isInput=self.isInput, isOutput=self.isOutput, init=self.init
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} %{self.name}: {self.type} {self.memory}>"


def _wrong_tensor(name: object, type: Type) -> Exception:
    if not isinstance(name, str):
        return TypeError(f"a tensor has a name, a str, not {described(name)}")
    return ValueError(f"a tensor has elements of a known dtype and known extents: %{name} cannot be {type}")


class DRAMTensor(Tensor):
    """A tensor in device memory off the chip (HBM)."""

    __slots__ = ()
    memory = "dram"


class NeuronSBTensor(Tensor):
    """A tensor in the state buffer (SBUF)."""

    __slots__ = ()
    memory = "sbuf"


class NeuronPSUMTensor(Tensor):
    """A tensor in the partial-sum buffer, where the tensor engine accumulates."""

    __slots__ = ()
    memory = "psum"


TENSOR_CLASSES: dict[str, type[Tensor]] = {cls.memory: cls for cls in (DRAMTensor, NeuronSBTensor, NeuronPSUMTensor)}


class TensorUtils:
    """Questions about the instructions around a tensor; both answers are fresh tuples, safe to rewrite under."""

    @staticmethod
    def load_insts(tensor: Tensor) -> tuple[Instruction, ...]:
        """Return the instructions that read the tensor, each once."""
        return tuple(dict.fromkeys(access.owner for access in tensor.loads if access.owner is not None))

    @staticmethod
    def store_insts(tensor: Tensor) -> tuple[Instruction, ...]:
        """Return the instructions that write the tensor, each once."""
        return tuple(dict.fromkeys(access.owner for access in tensor.stores if access.owner is not None))
