"""Short ways to build and run the programs of the interpreter's tests."""

from __future__ import annotations

from typing import Any

from runtime.access import NeuronAP
from runtime.builder import Builder
from runtime.builtin import Return
from runtime.dtypes import dtype_of
from runtime.functions import Function, Module
from runtime.interpreter import run
from runtime.rounding import TO_NEAREST
from runtime.tensors import Tensor
from runtime.types import Type
from runtime.values import Value


class Program(Builder):
    """A builder of a module's only function, which runs it."""

    def __init__(self) -> None:
        self.module = Module()
        super().__init__(self.module.add_function(Function("main")))

    def argument(self, name: str, dtype: str, *shape: int | str) -> Value:
        """Add an argument to the function."""
        return self.function.body.add_argument(type_of(dtype, *shape), name)

    def input(self, name: str, dtype: str, *shape: int, memory: str = "sbuf") -> NeuronAP:
        """Add an input tensor and return an access to all of it."""
        return NeuronAP(self.tensor(name, dtype_of(dtype), shape, memory, isInput=True))

    def output(self, name: str, dtype: str, *shape: int, memory: str = "sbuf") -> NeuronAP:
        """Add an output tensor and return an access to all of it."""
        return NeuronAP(self.tensor(name, dtype_of(dtype), shape, memory, isOutput=True))

    def scratch(self, name: str, dtype: str, *shape: int, memory: str = "sbuf") -> Tensor:
        """Add a tensor that is neither."""
        return self.tensor(name, dtype_of(dtype), shape, memory)

    def returns(self, *values: Value) -> None:
        """Put the `return` at the end."""
        self.insert(Return(values))

    def run(
        self,
        *,
        skip: Any = frozenset(),
        evaluator: Any = None,
        out_of_bounds: Any = "error",
        rounding: Any = TO_NEAREST,
        **inputs: Any,
    ) -> dict[int | str, Any]:
        """Run the function; what it returns stands under the name of the value here, where it has one."""
        results = run(
            self.module, inputs, skip_rounding=skip, evaluator=evaluator, out_of_bounds=out_of_bounds, rounding=rounding
        )
        end = self.function.body.terminator
        names = [value.name for value in end.operands() if isinstance(value, Value)] if end is not None else []
        return {(names[key] or key) if isinstance(key, int) else key: array for key, array in results.items()}


def type_of(dtype: str, *shape: int | str) -> Type:
    return Type.tensor(dtype_of(dtype), shape)
