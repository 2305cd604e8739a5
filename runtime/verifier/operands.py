"""Operands and attributes against what the definition says of each slot."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from runtime.access import APIndex, NeuronAP
from runtime.diagnostics import either
from runtime.dtypes import DTYPES
from runtime.info import OperandInfo
from runtime.instructions import Instruction
from runtime.tensors import Tensor
from runtime.types import TypeKind
from runtime.values import Operand, Value
from runtime.verifier.attribute_kinds import why_wrong
from runtime.verifier.findings import Findings
from runtime.verifier.plans import ClassPlan

NONE_WRONG: Final[Mapping[str, str]] = MappingProxyType({})


def check_slots(inst: Instruction, plan: ClassPlan, findings: Findings) -> bool:
    """Check all operand slots; return whether each holds an operand of a type that the definition knows."""
    sound = True
    for name, is_any_value, info in plan.slots:
        held = getattr(inst, name)
        if is_any_value and isinstance(held, Instruction):  # nearly always
            continue
        if info.variadic:
            for index, operand in enumerate(held):
                if operand is None and info.optional:
                    continue
                sound &= _check_slot(operand, f"{info.name}[{index}]", info, inst, plan, findings)
        elif held is None:
            if not info.optional:
                findings.add("V030", f'the operand "{info.name}" is missing', inst)
                sound = False
        else:
            sound &= _check_slot(held, info.name, info, inst, plan, findings)
    return sound


def check_attributes(inst: Instruction, plan: ClassPlan, findings: Findings) -> Mapping[str, str]:
    """Check all attributes and lists of indices; return those that are wrong, each with its code."""
    found: dict[str, str] | None = None
    for info, kind in plan.attributes:
        value = getattr(inst, info.name)
        if value.__class__ is str and value in info.one_of:  # a word, as nearly always
            continue
        wrong = why_wrong(value, info, kind)
        if wrong is not None:
            findings.add(wrong.code, wrong.message, inst, info.name, help=wrong.help)
            found = {**(found or {}), info.name: wrong.code}
    for name in plan.indices:
        for index in getattr(inst, name):
            if not isinstance(index, APIndex):
                findings.add("V043", f'"{name}" holds {index!r}; expected an access-pattern index', inst, name)
                found = {**(found or {}), name: "V043"}
    return found or NONE_WRONG


def _check_slot(
    held: object, slot: str, info: OperandInfo, inst: Instruction, plan: ClassPlan, findings: Findings
) -> bool:
    if isinstance(held, Tensor):
        message = f'the operand "{slot}" is the tensor {{value}} itself; expected an access to it'
        findings.add("V034", message, inst, slot, held)
        return False
    if held is None:
        findings.add("V030", f'the operand "{slot}" is missing', inst, slot)
        return False
    if not isinstance(held, (Value, NeuronAP)):
        findings.add("V034", f'the operand "{slot}" is {held!r}; expected a value or an access', inst, slot)
        return False
    if isinstance(held, NeuronAP) and not plan.takes_accesses:
        message = f'the operand "{slot}" is {{value}}, an access to a tensor; expected an SSA value'
        help = f"`{plan.info.mnemonic}` is an instruction without memory"
        findings.add("V035", message, inst, slot, held, help)
        return False
    if not info.access.is_load and not isinstance(held, NeuronAP):
        message = f'the operand "{slot}" is {{value}}, an SSA value; expected an access to a tensor, which is written'
        findings.add("V036", message, inst, slot, held)
        return False
    sound = _check_type(held, slot, info, inst, findings) if info.dtypes or info.rank else True
    if isinstance(held, NeuronAP):
        if info.memory and held.tensor.memory not in info.memory:
            message = f'the operand "{slot}" is {{value}} in {held.tensor.memory}; expected {either(info.memory)}'
            findings.add("V032", message, inst, slot, held)
        if held.mode is not info.access:
            message = f'the operand "{slot}" is {{value}} with mode {held.mode.value}; expected {info.access.value}'
            findings.add("V012", message, inst, slot, held)
    return sound


def _check_type(held: Operand, slot: str, info: OperandInfo, inst: Instruction, findings: Findings) -> bool:
    type, sound = held.type, True
    if info.dtypes and type.dtype is not None and type.dtype.name not in info.dtypes:
        message = f'the operand "{slot}" is {{value}} with elements of {type.dtype}; expected {any_of(info.dtypes)}'
        findings.add("V031", message, inst, slot, held)
        sound = False
    elif info.dtypes and not type.is_tensor and type.kind is not TypeKind.UNKNOWN:
        message = f'the operand "{slot}" is {{value}} of type {type}; expected elements of {any_of(info.dtypes)}'
        findings.add("V031", message, inst, slot, held)
        return False
    if info.rank and type.rank is not None and type.rank not in info.rank:
        expected = " or ".join(str(rank) for rank in info.rank)
        message = f'the operand "{slot}" is {{value}} of {type}, rank {type.rank}; expected rank {expected}'
        findings.add("V033", message, inst, slot, held)
        sound = False
    return sound


def any_of(dtypes: tuple[str, ...]) -> str:
    """Return the legal element types in words; all floats, or all integers, are not listed one by one."""
    for word, group in _GROUPS:
        if group == set(dtypes):
            return word
    return " or ".join(dtypes)


_ALL = frozenset(dtype.name for dtype in DTYPES)
_FLOATS = frozenset(dtype.name for dtype in DTYPES if dtype.is_float)
_GROUPS = (
    ("a float", _FLOATS),
    ("a float of the engines", _FLOATS - {"f64", "f4e2m1"}),
    ("a float of the engines, or f64", _FLOATS - {"f4e2m1"}),
    ("an integer", {dtype.name for dtype in DTYPES if dtype.is_int}),
    ("a type of the engines", _ALL - {"i4", "i64", "u4", "u64", "f64", "f4e2m1"}),
    ("a type of the engines, or f64", _ALL - {"i4", "i64", "u4", "u64", "f4e2m1"}),
    ("a type of the engines, or f4e2m1", _ALL - {"i4", "i64", "u4", "u64", "f64"}),
    ("a type of the engines, f4e2m1 or f64", _ALL - {"i4", "i64", "u4", "u64"}),
    ("any type but i4 and u4", _ALL - {"i4", "u4"}),
)
