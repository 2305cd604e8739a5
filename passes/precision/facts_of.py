"""The precision facts of an instruction: from its definition, or for a node of ONNX from the table of operators.

What a definition says is told of operand slots, one for each value of a variadic operand, as the table has it.

Deliberately absent: guesses. An instruction of which nothing is known has no facts, and stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from generated.onnx.facts import FACTS
from passes.precision.arithmetic import ARITHMETIC_OF, CONTENTS, CONVERT, roles_of
from runtime.dtypes import f32
from runtime.generic import ONNX_DOMAIN, OnnxNode
from runtime.info import InstructionInfo
from runtime.instructions import Instruction
from runtime.operand_slots import infos_of
from runtime.precision_facts import AttributeFacts, PrecisionFacts, facts_at


def facts_of(inst: Instruction, operator_sets: Mapping[str, int]) -> PrecisionFacts | None:
    """Return the facts of an instruction; `operator_sets` are those of its function."""
    if isinstance(inst, OnnxNode):
        version = operator_sets.get(inst.domain)
        name = "Identity" if is_idle_cast(inst) else inst.op_type
        facts = None if version is None else facts_at(FACTS, inst.domain, name, version)
        return facts if facts is None or not is_in_training(inst) else replace(facts, op_kind="reduction")
    if inst.INFO.op_kind is None:
        return None
    cls: Any = type(inst)  # which a cache takes, though mypy finds its hash another one
    words = tuple([getattr(inst, name) for name in deciding_attributes(cls)])
    return _facts(cls, words, tuple([info.precision for info in infos_of(inst)]), _converts(inst))


def is_idle_cast(inst: Instruction) -> bool:
    """Whether a node casts f32 to f32: it gives what it gets, whatever float that becomes."""
    if not (isinstance(inst, OnnxNode) and inst.op_type == "Cast" and inst.domain == ONNX_DOMAIN):
        return False
    source = inst.values[0] if inst.values else None
    return source is not None and source.type.dtype is f32 and inst.type.dtype is f32


def is_in_training(inst: OnnxNode) -> bool:
    """Whether a BatchNormalization takes mean and variance of its operand, which is a reduction."""
    if inst.op_type != "BatchNormalization" or inst.domain != ONNX_DOMAIN:
        return False
    return bool(inst.attributes.get("training_mode")) or len(inst.results) - len(inst.absent) > 1


@cache
def deciding_attributes(cls: Any) -> tuple[str, ...]:
    """Return the enum attributes whose values decide which facts hold, or what is computed."""
    found = {name: None for fact in cls.INFO.facts.values() if not isinstance(fact, bool) for name in fact}
    arithmetic = ARITHMETIC_OF.get(cls.INFO.semantics or "")
    if arithmetic is not None and arithmetic.attribute is not None:
        found[arithmetic.attribute] = None
    return tuple(found)


@cache
def _facts(cls: Any, words: tuple[Any, ...], precisions: tuple[str | None, ...], converts: bool) -> PrecisionFacts:
    """Return the facts of the instructions of a class with these values of deciding attributes and these slots."""
    info: InstructionInfo = cls.INFO
    assert info.op_kind is not None
    held = dict(zip(deciding_attributes(cls), words, strict=True))
    arithmetic = ARITHMETIC_OF.get(info.semantics or "")
    computes = None if arithmetic is None else arithmetic.of(held.get(arithmetic.attribute or ""))
    roles = {**roles_of(computes), **{at: one for at, one in enumerate(precisions) if one is not None}}
    if computes == CONVERT:
        computes, roles = (CONVERT, {**roles, 0: "any"}) if converts else ("same", roles)
    contents = CONTENTS.get(info.semantics or "")
    attributes = {
        one.name: AttributeFacts("contents" if one.name == contents else "scalar")
        for one in info.attributes
        if one.name == contents or one.type == "float"
    }
    holds = {name for name, fact in info.facts.items() if _holds(fact, held)}
    return PrecisionFacts(
        info.op_kind,
        roles,
        attributes=attributes,
        computes=computes,
        regions="ports" if info.regions else None,
        wide_range="wide_range" in holds,
        range_safe="range_safe" in holds,
        follow="follow" in holds,
        keeps_dtype="keeps_dtype" in holds or converts,
        precision_intact="precision_intact" in holds,
        force_f32="force_f32" in holds,
    )


def _converts(inst: Instruction) -> bool:
    """Whether the dtype of the result is what an instruction is for: a cast, or a copy that gives another dtype."""
    arithmetic = ARITHMETIC_OF.get(inst.INFO.semantics or "")
    if arithmetic is None or arithmetic.word != CONVERT:
        return False
    operands = inst.operands()
    return "keeps_dtype" in inst.INFO.facts or (bool(operands) and operands[0].type.dtype is not inst.type.dtype)


def _holds(fact: bool | Mapping[str, tuple[str, ...]], held: Mapping[str, Any]) -> bool:
    """Whether a fact holds, which may depend on the values of enum attributes."""
    return fact if isinstance(fact, bool) else any(held[name] in values for name, values in fact.items())
