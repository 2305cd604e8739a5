"""What the mixed-precision pass puts in: casts, of the dialect of what gives the value, and constants that are rounded.

    %x_f16: f16[2,3] = graph.cast %x            %x_f16: f16[2,3] = tensor_copy %x

Deliberately absent: where a cast stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Final

from passes.autocast.casts import cast_class
from passes.precision.arithmetic import CONTENTS
from runtime.constants import Constant
from runtime.dtypes import DType, f32
from runtime.generic import ONNX_DOMAIN, OnnxNode
from runtime.instructions import Instruction
from runtime.lazy_tensors import LazyTensor
from runtime.onnx_codes import CODE_OF_DTYPE
from runtime.rounding import cast_array
from runtime.small_arrays import MOST_ELEMENTS, cast_arrays
from runtime.types import Type
from runtime.values import BlockArgument, Result, Value

_CONTENTS: Final = {"Constant": None, "ConstantOfShape": Constant.of([0.0], f32)}
"""By operator: what `value` is where a node does not say."""
_NUMBERS: Final = ("value_float", "value_floats")  # of a Constant, in place of `value`
Elements = Callable[[Constant | LazyTensor], Any]
"""Fetches the elements of a tensor."""


def new_cast(value: Value, type: Type, user: Instruction) -> Instruction:
    """Return a cast of a value to a type of its shape; `user` says of which dialect where the value does not."""
    dtype = type.dtype
    assert dtype is not None
    if isinstance(value, OnnxNode):  # as nearly all are
        return OnnxNode.of_one("Cast", value, {"to": CODE_OF_DTYPE[dtype]}, type)
    home = value.owner if isinstance(value, Result) else value
    around = home.block.owner if isinstance(home, BlockArgument) else home
    dialect = _dialect(around) or _dialect(user) or "graph"
    if dialect == "onnx":
        return OnnxNode.of_one("Cast", value, {"to": CODE_OF_DTYPE[dtype]}, type)
    loc = home.loc if isinstance(home, Instruction) else None
    cast = cast_class(value.type, by_graph=dialect == "graph")(value, dtype=dtype, loc=loc)
    cast.name = f"{value.name}_{dtype}" if value.name else None
    return cast


def contents_of(value: Value) -> Constant | LazyTensor | None:
    """Return what an f32 constant holds that can be rounded itself; None for any other value."""
    held: Any = None
    name = CONTENTS.get(value.INFO.semantics or "") if isinstance(value, Instruction) else None
    if name is not None:
        held = getattr(value, name)
    elif isinstance(value, OnnxNode) and value.domain == ONNX_DOMAIN and value.op_type in _CONTENTS:
        held = value.attributes.get("value", _CONTENTS[value.op_type])
        numbers = next((one for name in _NUMBERS if (one := value.attributes.get(name)) is not None), None)
        if held is None and isinstance(numbers, (float, tuple)):
            return Constant.of(numbers, f32) if value.type.dtype is f32 else None
    return held if isinstance(held, (Constant, LazyTensor)) and held.dtype is f32 else None


def round_constants(values: Sequence[Value], low: DType, elements: Elements) -> None:
    """Round f32 constants themselves, of each of which `contents_of` says what it holds."""
    small: list[tuple[Value, Any]] = []
    for value in values:
        held = contents_of(value)
        assert held is not None
        if prod(held.shape) <= MOST_ELEMENTS:
            small.append((value, elements(held)))
        else:  # one at a time, so that no two weights are in memory in both floats
            _hold(value, cast_array(elements(held), f32, low), low)
    for (value, _), array in zip(small, cast_arrays([array for _, array in small], f32, low), strict=True):
        _hold(value, array, low)


def _hold(value: Value, array: Any, low: DType) -> None:
    rounded = Constant(array, low)
    if isinstance(value, OnnxNode):
        for name in _NUMBERS:
            value.attributes.pop(name, None)
        value.attributes["value"] = rounded
    else:
        assert isinstance(value, Instruction)
        setattr(value, CONTENTS[value.INFO.semantics or ""], rounded)
    value.type = value.type.with_dtype(low)


def _dialect(inst: object) -> str | None:
    """Return the dialect of an instruction in which there are casts."""
    if not isinstance(inst, Instruction) or inst.INFO.dialect not in ("graph", "neuron", "onnx"):
        return None
    return inst.INFO.dialect
