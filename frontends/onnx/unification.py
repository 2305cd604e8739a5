"""Element types that follow from how a value is used, where inference knows nothing of the operator that gives it.

    %f = "com.microsoft::Gelu" %a        %y: f32[2,2] = MatMul %f, %w: %f and %w have one type, so %f is f32

The operands and results of one type variable have one type in a valid model, and a slot of which the operator set knows
one type only has that. What is found says something of the next nodes, in both directions.

Deliberately absent: shapes, sequences and optionals, local functions, and operators of which onnx has no schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from frontends.onnx.legal_types import OnnxSignatures
from frontends.onnx.read_graph import GraphRecord
from runtime.dtypes import DType
from runtime.functions import Function
from runtime.generic import OnnxNode
from runtime.signatures import SlotTypes
from runtime.types import Type
from runtime.values import Result, Value

_UNKNOWN = Type.unknown()
_Slot = tuple[Value, SlotTypes]


def unify(function: Function, records: Sequence[GraphRecord], signatures: OnnxSignatures) -> None:
    """Give the values of a function, of which still nothing is known, the element types that follow from their uses."""
    values = [value for record in records if record.path is not None for _, value in record.untyped]
    queue = [value for value in values if value.type is _UNKNOWN]
    while queue:
        for node in dict.fromkeys(_nodes_at(queue.pop())):
            queue += _fill(_slots(node, function, signatures))


def _nodes_at(value: Value) -> Iterator[OnnxNode]:
    """Yield the nodes that give or read a value."""
    home = value.owner if isinstance(value, Result) else value
    for inst in (home, *value.users):
        if isinstance(inst, OnnxNode):
            yield inst


def _slots(node: OnnxNode, function: Function, signatures: OnnxSignatures) -> list[_Slot]:
    """Return what the operands and results of a node hold, and what they may be."""
    version = function.operator_sets.get(node.domain)
    signature = None if version is None else signatures.signature(node.domain, node.op_type, version)
    if signature is None:
        return []
    found = [(value, signature.operand(at)) for at, value in enumerate(node.values) if isinstance(value, Value)]
    found += [(value, signature.result(at)) for at, value in enumerate(node.results) if at not in node.absent]
    return [(value, rule) for value, rule in found if rule is not None and rule.dtypes]


def _fill(slots: Sequence[_Slot]) -> list[Value]:
    """Give what is not known its element type where the other slots say it; return the values that got one."""
    known: dict[str, DType] = {}
    for value, rule in slots:
        if rule.variable is not None and value.type.is_tensor and value.type.dtype is not None:
            known[rule.variable] = value.type.dtype
    found: list[Value] = []
    for value, rule in slots:
        dtype = known.get(rule.variable or "")
        if dtype is None and len(rule.dtypes) == 1:
            (dtype,) = rule.dtypes
        if dtype in rule.dtypes and value.type is _UNKNOWN:
            value.type = Type.tensor(dtype, None)
            found.append(value)
    return found
