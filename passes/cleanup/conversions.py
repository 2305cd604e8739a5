"""What a cast is, in every dialect: an instruction that converts the elements of its one operand and does nothing else.

Found by what definitions say, never by name: `INFO` of the chip and the graph (`passes/autocast/facts.py`), the table
of operators for nodes of ONNX, where a cast is what `computes` "convert".

Deliberately absent: conversions that take another operand, be it only for its dtype, as CastLike of ONNX.
"""

from __future__ import annotations

from collections.abc import Hashable

from passes.autocast.facts import converted, is_conversion, is_conversion_class
from passes.cleanup.chains import Arithmetic
from passes.precision.facts_of import facts_of
from runtime.access import NeuronAP
from runtime.dtypes import DType
from runtime.functions import Function
from runtime.generic import OnnxNode
from runtime.instructions import Instruction, NeuronInst
from runtime.values import Operand

__all__ = ["Conversions", "arithmetic_of", "converted", "dtypes_of", "same_source"]


class Conversions:
    """The casts and copies of one function; what is known of a class, or an operator, is looked up once."""

    def __init__(self, function: Function) -> None:
        self._operator_sets = function.operator_sets
        self._may_convert: dict[object, bool] = {}

    def is_conversion(self, inst: Instruction) -> bool:
        """Whether an instruction converts, or copies, its only operand and does nothing else."""
        kind = (inst.domain, inst.op_type) if isinstance(inst, OnnxNode) else inst.__class__
        known = self._may_convert.get(kind)
        if known is None:
            known = self._may_convert[kind] = self._is_class_of_conversions(inst)
        if not known:
            return False
        return len(inst.operands()) == len(inst.results) == 1 if isinstance(inst, OnnxNode) else is_conversion(inst)

    def is_cast(self, inst: Instruction) -> bool:
        """Whether a conversion gives another dtype than it takes, both being known."""
        if not self.is_conversion(inst):
            return False
        source, result = dtypes_of(inst)
        return source is not None and result is not None and source is not result

    def _is_class_of_conversions(self, inst: Instruction) -> bool:
        if not isinstance(inst, OnnxNode):
            return is_conversion_class(type(inst))
        facts = facts_of(inst, self._operator_sets)
        return facts is not None and facts.computes == "convert"


def dtypes_of(conversion: Instruction) -> tuple[DType | None, DType | None]:
    """Return what a conversion converts from and to; None where it is not known."""
    return converted(conversion).type.dtype, conversion.type.dtype


def arithmetic_of(inst: Instruction) -> Arithmetic:
    """Return how an instruction converts."""
    if isinstance(inst, NeuronInst):
        return Arithmetic.ENGINES
    return Arithmetic.FOREIGN if isinstance(inst, OnnxNode) else Arithmetic.DIRECT


def same_source(conversion: Instruction) -> Hashable:
    """Return what tells the sources of conversions apart: the value, or the tensor and the elements of an access."""
    source: Operand = converted(conversion)
    if isinstance(source, NeuronAP):
        return source.tensor, source.offset, source.pairs, source.reinterpret, source.indices
    return source
