"""The precision facts of an instruction: from its definition, or for a node of ONNX from the table of operators.

Deliberately absent: guesses. An instruction of which nothing is known has no facts, and stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping

from generated.onnx.facts import FACTS
from runtime.generic import OnnxNode
from runtime.info import Fact
from runtime.instructions import Instruction
from runtime.precision_facts import PrecisionFacts, facts_at


def facts_of(inst: Instruction, operator_sets: Mapping[str, int]) -> PrecisionFacts | None:
    """Return the facts of an instruction; `operator_sets` are those of its function."""
    if isinstance(inst, OnnxNode):
        version = operator_sets.get(inst.domain)
        return None if version is None else facts_at(FACTS, inst.domain, inst.op_type, version)
    info = inst.INFO
    if info.op_kind is None:
        return None
    held = {name: True for name, fact in info.facts.items() if _holds(inst, fact)}
    operands = {at: operand.precision for at, operand in enumerate(info.operands) if operand.precision is not None}
    return PrecisionFacts(
        info.op_kind,
        operands,
        wide_range="wide_range" in held,
        range_safe="range_safe" in held,
        follow="follow" in held,
        keeps_dtype="keeps_dtype" in held,
        precision_intact="precision_intact" in held,
        force_f32="force_f32" in held,
    )


def _holds(inst: Instruction, fact: Fact) -> bool:
    """Whether a fact holds, which may depend on the values of enum attributes."""
    if isinstance(fact, bool):
        return fact
    return any(getattr(inst, attribute) in values for attribute, values in fact.items())
