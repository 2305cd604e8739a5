"""Which instructions do nothing but convert floats, so that a comparison may look through them."""

from __future__ import annotations

from runtime.generic import ONNX_DOMAIN, OnnxNode
from runtime.instructions import Instruction
from runtime.values import Operand

_COPIES = frozenset({"copies.copy", "graph.cast"})  # the semantics of copies and casts


def source_of_cast(inst: object) -> Operand | None:
    """Return what an instruction copies or converts, element by element, from float to float; None for any other."""
    if not isinstance(inst, Instruction):
        return None
    if inst.INFO.semantics in _COPIES:
        source: Operand | None = getattr(inst, "src", None)
    elif isinstance(inst, OnnxNode) and inst.op_type == "Cast" and inst.domain == ONNX_DOMAIN:
        source = inst.values[0] if inst.values else None
    else:
        return None
    if source is None or not source.type.is_tensor or not inst.type.is_tensor or source.type.shape != inst.type.shape:
        return None
    dtypes = (source.type.dtype, inst.type.dtype)
    return source if all(dtype is None or dtype.is_float for dtype in dtypes) else None
