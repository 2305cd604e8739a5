"""Which patterns of `--keep` let the result of an instruction of a converted program be as exact as it was.

    %c: f16[2,4] = onnx.node "ai.onnx::Conv" ...    {node_name = "conv_1"}
    %r: f16[2,4] = onnx.node "ai.onnx::Relu" %c     {node_name = "relu_1"}     hands the values on
    %d: f16[2,4] = onnx.node "ai.onnx::Conv" %r ... {node_name = "conv_2"}

    keeping_patterns(c) == ["conv_1", "relu_1", "conv_2"]

With the node alone in f32, its result would be rounded for those that read it; so they are kept as well, and behind one
that hands values on, those that read these. Casts and constants are what reads them is.

Deliberately absent: a promise that the error of an output gets smaller. Roundings may make up for each other.
"""

from __future__ import annotations

from typing import Final

from passes.precision.facts_of import facts_of
from passes.precision.overrides import names_of
from runtime.comparison.casts import source_of_cast
from runtime.functions import Function
from runtime.generic import Initializer
from runtime.instructions import Instruction

_MOST: Final = 6  # nodes that are named
_HAND_ON: Final = frozenset({"same", "relu", "negative", "absolute", "minimum", "maximum", "select"})


def keeping_patterns(inst: Instruction, function: Function) -> list[str]:
    """Return the patterns; none where some of the nodes have no name, or they are too many to be listed."""
    is_node = not (isinstance(inst, Initializer) or _is_cast(inst))
    found: dict[Instruction, None] = {inst: None} if is_node else {}
    waiting = [inst]
    while waiting and len(found) <= _MOST:
        for user in waiting.pop(0).users:
            if user not in found and not user.is_terminator and not _is_cast(user):
                found[user] = None
                waiting += [user] if _hands_on(user, function) else []
    names = [next(iter(names_of(node)), None) for node in found]
    told = list(dict.fromkeys(name for name in names if name is not None))
    return told if None not in names and len(found) <= _MOST else []


def _is_cast(inst: Instruction) -> bool:
    return source_of_cast(inst) is not None


def _hands_on(inst: Instruction, function: Function) -> bool:
    """Whether what an instruction gives are values that it gets."""
    facts = facts_of(inst, function.operator_sets)
    return facts is not None and (facts.op_kind == "data_movement" or facts.computes in _HAND_ON)
