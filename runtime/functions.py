"""Functions and modules.

Deliberately absent: basic blocks with branches. Control flow is loops and regions, so a function has one body.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from runtime.blocks import Block, CloneMap, Loop
from runtime.garbage import paused_gc
from runtime.instructions import Instruction
from runtime.tensors import Tensor
from runtime.values import BlockArgument

if TYPE_CHECKING:
    from runtime.signatures import Signatures
    from runtime.text.places import Places


class Function:
    """A named body with its arguments and tensors.

    What goes in: the arguments, and the tensors marked input. What comes out: the operands of the final `return`, then
    the tensors marked output.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.body = Block(self)
        self.tensors: dict[str, Tensor] = {}
        self.operator_sets: dict[str, int] = {}  # versions of foreign operators, by domain: {"ai.onnx": 17}
        self.module: Module | None = None

    @property
    def args(self) -> list[BlockArgument]:
        """The SSA values that the function receives."""
        return self.body.arguments

    @property
    def insts(self) -> Iterator[Instruction]:
        """Every instruction in program order, those in loops and regions included; stable under edits."""
        return self.body.walk()

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The tensors that the caller fills."""
        return tuple(tensor for tensor in self.tensors.values() if tensor.isInput)

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """The tensors that the caller reads."""
        return tuple(tensor for tensor in self.tensors.values() if tensor.isOutput)

    def add_tensor(self, tensor: Tensor) -> Tensor:
        """Add a tensor and return it.

        Raises: ValueError where the function has a tensor of that name.
        """
        assert tensor.name is not None and tensor.function is None
        if tensor.name in self.tensors:
            raise ValueError(f"function {self.name} has a tensor %{tensor.name} already")
        self.tensors[tensor.name] = tensor
        tensor.function = self
        return tensor

    def dropDeadTensors(self) -> list[Tensor]:
        """Remove and return the tensors that nobody accesses; inputs, outputs and constants stay."""
        dead = [t for t in self.tensors.values() if not (t.has_users or t.isInputOrOutput or t.is_const)]
        for tensor in dead:
            assert tensor.name is not None
            del self.tensors[tensor.name]
            tensor.function = None
        return dead

    def clone(self) -> Function:
        """Return an equal function that belongs to no module."""
        new = Function(self.name)
        new.operator_sets = dict(self.operator_sets)
        mapping: CloneMap = {}
        for tensor in self.tensors.values():
            mapping[tensor] = new.add_tensor(tensor.clone())
        self.body.clone_into(new.body, mapping)
        return new

    def __repr__(self) -> str:
        return f"<Function @{self.name}>"


class Module:
    """A program: functions by name, for one target where the program says which.

    `places` says where its parts stand in the text that `runtime.parse` made it from, which the verifier shows. It is
    about the program as it was parsed: set it to None where the statements have changed. A clone has none.
    """

    def __init__(self, target: str | None = None) -> None:
        self.target = target
        self.places: Places | None = None
        self.carried: bytes | None = None  # what a front end keeps about this beyond the IR; nobody else reads it
        self.signatures: Signatures | None = None  # of foreign operators; a front end's, no part of the program
        self.functions: dict[str, Function] = {}

    def add_function(self, function: Function) -> Function:
        """Add a function and return it.

        Raises: ValueError where the module has a function of that name.
        """
        if function.name in self.functions:
            raise ValueError(f"the module has a function @{function.name} already")
        self.functions[function.name] = function
        function.module = self
        return function

    def replace_function(self, function: Function) -> None:
        """Put `function` in the place of the one of the same name."""
        self.functions[function.name].module = None
        self.functions[function.name] = function
        function.module = self

    @property
    def root_function(self) -> Function:
        """The function that a caller runs: `main`, or the only one.

        Raises: ValueError where neither exists.
        """
        if "main" in self.functions:
            return self.functions["main"]
        if len(self.functions) != 1:
            raise ValueError(f"no function @main among the {len(self.functions)} functions of the module")
        return next(iter(self.functions.values()))

    @property
    def insts(self) -> Iterator[Instruction]:
        """Every instruction of every function, in program order."""
        for function in self.functions.values():
            yield from function.insts

    def clone(self) -> Module:
        """Return an equal module."""
        new = Module(self.target)
        new.carried = self.carried
        new.signatures = self.signatures
        with paused_gc():
            for function in self.functions.values():
                new.add_function(function.clone())
        return new


def loops_of(block: Block) -> Iterator[Loop]:
    """Yield every loop below `block`, outermost first."""
    for statement in block:
        if isinstance(statement, Loop):
            yield statement
        for inner in statement.blocks:
            yield from loops_of(inner)
