"""What stands between DequantizeLinear and QuantizeLinear: it stays as it is.

    %a = DequantizeLinear %x, %s     %b = DequantizeLinear %w, %t     %c = MatMul %a, %b     %q = QuantizeLinear %c, %u

Runtimes compute such a group in integers. With casts in between they know it no longer, and compute in floats what the
program has in 8 bits.

It must not be seen where a value of the group is also used elsewhere, or where a float comes in from outside.
"""

from __future__ import annotations

from collections.abc import Container

from passes.precision.constants import Constants
from passes.precision.survey import Survey, SurveyedNode
from runtime.generic import ONNX_DOMAIN, OnnxNode
from runtime.instructions import Instruction
from runtime.values import Operand


def nodes_between_integers(survey: Survey, constants: Constants) -> set[Instruction]:
    """Return the nodes that read only what was dequantized, and give only what is quantized."""
    if not any(form.label == f"{ONNX_DOMAIN}::QuantizeLinear" for form in survey.forms):
        return set()
    found: dict[Instruction, SurveyedNode] = {}

    def is_inside(value: Operand) -> bool:
        producer = survey.producer(value)
        return producer is not None and (producer.inst in found or _is(producer.inst, "DequantizeLinear"))

    for node in survey.nodes.values():
        if node.inst.blocks or not node.data or _is(node.inst, "QuantizeLinear") or _is(node.inst, "DequantizeLinear"):
            continue
        if any(map(is_inside, node.operands)) and all(is_inside(one) or one in constants for one in node.operands):
            found[node.inst] = node
    queue = [inst for inst, node in found.items() if not _is_only_quantized(node, found)]
    while queue:  # what reads or feeds one that leaves the group has a float from outside, or is used there
        gone = found.pop(queue.pop(), None)
        if gone is not None:
            queue += [user for result in gone.results for user in result.users if user in found]
            producers = [survey.producer(value) for value in gone.operands]
            queue += [one.inst for one in producers if one is not None and one.inst in found]
    return set(found)


def _is_only_quantized(node: SurveyedNode, group: Container[object]) -> bool:
    """Whether each use of a node is in a group, or quantizes it."""
    users = [user for result in node.results for user in result.users]
    return bool(users) and all(user in group or _is(user, "QuantizeLinear") for user in users)


def _is(inst: Instruction, op_type: str) -> bool:
    return isinstance(inst, OnnxNode) and inst.op_type == op_type and inst.domain == ONNX_DOMAIN
