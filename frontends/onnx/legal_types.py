"""The types that ONNX operators may have, from the schemas of `onnx.defs`: `Module.signatures` of every loaded model.

Deliberately absent: operators of other domains than those that onnx knows, and maps, sequences and optionals, of which
passes ask nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from onnx import TensorProto, defs

from frontends.onnx.schemas import schema_of
from runtime.dtypes import DType
from runtime.onnx_codes import DTYPE_OF_CODE
from runtime.signatures import Signature, SlotTypes

_Formal = defs.OpSchema.FormalParameter
_VARIADIC = defs.OpSchema.FormalParameterOption.Variadic


class OnnxSignatures:
    """`runtime.signatures.Signatures` of the operators that the onnx library knows."""

    def signature(self, domain: str, op_type: str, version: int) -> Signature | None:
        """Return the signature of an operator at a version of its operator set, or None."""
        return _signature(domain, op_type, version)


@cache  # 6 us otherwise, for each node of a model
def _signature(domain: str, op_type: str, version: int) -> Signature | None:
    schema = schema_of(domain, op_type, version)
    return None if schema is None or schema.deprecated else _signature_of(schema)


def _signature_of(schema: defs.OpSchema) -> Signature:
    variables = {constraint.type_param_str for constraint in schema.type_constraints}
    return Signature(
        tuple(_slot_types(formal, variables) for formal in schema.inputs),
        tuple(_slot_types(formal, variables) for formal in schema.outputs),
        variadic_operands=_is_variadic(schema.inputs),
        variadic_results=_is_variadic(schema.outputs),
    )


def _slot_types(formal: _Formal, variables: set[str]) -> SlotTypes:
    bound = formal.type_str in variables and (formal.option != _VARIADIC or formal.is_homogeneous)
    dtypes = (_tensor_dtype(text) for text in formal.types)
    return SlotTypes(formal.name, formal.type_str if bound else None, frozenset(one for one in dtypes if one))


def _is_variadic(formals: Sequence[_Formal]) -> bool:
    return bool(formals) and formals[-1].option == _VARIADIC


@cache
def _tensor_dtype(text: str) -> DType | None:
    """Return the element type of `tensor(float16)`; None for what is no tensor, or has elements unknown to the IR."""
    kind, _, rest = text.partition("(")
    if kind != "tensor" or not rest.endswith(")"):
        return None
    names = TensorProto.DataType.keys()
    name = rest[:-1].upper()
    return DTYPE_OF_CODE.get(TensorProto.DataType.Value(name)) if name in names else None
