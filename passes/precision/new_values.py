"""What the mixed-precision pass puts in: casts, of the dialect of what gives the value, and constants that are rounded.

    %x_f16: f16[2,3] = graph.cast %x            %x_f16: f16[2,3] = tensor_copy %x

Deliberately absent: where a cast stands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from generated.graph.CastGen import CastGen
from passes.precision.arithmetic import CONTENTS
from runtime.constants import Constant
from runtime.dtypes import DType, f32
from runtime.generic import ONNX_DOMAIN, OnnxNode
from runtime.instructions import Instruction
from runtime.lazy_tensors import LazyTensor
from runtime.onnx_codes import CODE_OF_DTYPE
from runtime.rounding import cast_array
from runtime.types import Type
from runtime.values import BlockArgument, Result, Value
from runtime.wrappers.TensorCopyOp import TensorCopyOp

_CONTENTS: Final = {"Constant": None, "ConstantOfShape": Constant.of([0.0], f32)}
"""By operator: what `value` is where a node does not say."""
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
    cast = (CastGen if dialect == "graph" else TensorCopyOp)(value, dtype=dtype, loc=loc)
    cast.name = f"{value.name}_{dtype}" if value.name else None
    return cast


def is_constant(value: Value) -> bool:
    """Whether a value may be a constant that can be rounded itself."""
    if isinstance(value, OnnxNode):
        return value.op_type in _CONTENTS and value.domain == ONNX_DOMAIN
    return isinstance(value, Instruction) and value.INFO.semantics in CONTENTS


def convert_constant(value: Value, low: DType, elements: Elements) -> bool:
    """Round a constant itself; return whether it was one that can be."""
    held: Any = None
    name = CONTENTS.get(value.INFO.semantics or "") if isinstance(value, Instruction) else None
    if name is not None:
        held = getattr(value, name)
    elif isinstance(value, OnnxNode) and value.domain == ONNX_DOMAIN and value.op_type in _CONTENTS:
        held = value.attributes.get("value", _CONTENTS[value.op_type])
    if not isinstance(held, (Constant, LazyTensor)) or held.dtype is not f32:
        return False
    rounded = Constant(cast_array(elements(held), f32, low), low)
    if name is not None:
        setattr(value, name, rounded)
    else:
        assert isinstance(value, OnnxNode)
        value.attributes["value"] = rounded
    value.type = value.type.with_dtype(low)
    return True


def _dialect(inst: object) -> str | None:
    """Return the dialect of an instruction in which there are casts."""
    if not isinstance(inst, Instruction) or inst.INFO.dialect not in ("graph", "neuron", "onnx"):
        return None
    return inst.INFO.dialect
