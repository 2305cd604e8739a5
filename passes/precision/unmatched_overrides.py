"""Overrides of a policy that are about nothing in a program: a warning for each, with near names.

    mine.yaml:3:5: the override {name: atention} fits nothing in this program; did you mean "attention"?
    mine.yaml:4:5: the override {instruction: Add, operand: a} fits nothing in this program: no operand of ...

Deliberately absent: refusal. One policy is for many programs, and not all of them have everything that it names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from passes.precision.labels import label_of
from passes.precision.name_patterns import fits as fits_name
from passes.precision.overrides import labels_of, names_of
from passes.precision.policy import Override
from runtime.diagnostics import did_you_mean, listed
from runtime.functions import Function, Module
from runtime.generic import ONNX_DOMAIN, Initializer, OnnxNode
from runtime.instructions import Instruction
from runtime.operand_slots import infos_of, values_of

_SHOWN = 12  # names that are listed where none is near


def warnings_of(overrides: Sequence[Override], module: Module) -> Iterator[str]:
    """Yield a warning for each override that fits nothing in a module."""
    nodes: list[tuple[Instruction, Function]] = []
    named: dict[str, list[tuple[Instruction, Function]]] = {}
    for one in overrides:
        if one.name is None and one.operand is None and any(one.instruction in labels_of(i) for i, _ in _nodes(module)):
            continue
        if not nodes:
            nodes = list(_nodes(module))
            for pair in nodes:
                for name in names_of(pair[0]):
                    named.setdefault(name, []).append(pair)
        meant = named.get(one.name, ()) if one.name is not None else ()
        why = _why_unmatched(one, meant) if meant else None
        if why is not None or not meant:  # else what is called exactly this is enough
            why = _why_unmatched(one, nodes)
        if why is not None:
            place = f"{one.place}: " if one.place is not None else ""
            yield f"{place}the override {one.about} fits nothing in this program{why}"


def _nodes(module: Module) -> Iterator[tuple[Instruction, Function]]:
    """Yield what overrides may be about, each with its function."""
    for function in module.functions.values():
        for inst in function.insts:
            if inst.__class__ is OnnxNode or not (inst.is_terminator or isinstance(inst, Initializer)):
                yield inst, function


def _why_unmatched(one: Override, nodes: Sequence[tuple[Instruction, Function]]) -> str | None:
    """Return what may help where an override fits nothing, empty where there is nothing to say; None where it fits."""
    labeled = [pair for pair in nodes if one.instruction is None or one.instruction in labels_of(pair[0])]
    if not labeled:
        return _help_on_labels(one.instruction, [inst for inst, _ in nodes])
    fits = [pair for pair in labeled if one.name is None or any(fits_name(n, one.name) for n in names_of(pair[0]))]
    if not fits and one.name is not None:
        return _near(one.name, [name for inst, _ in labeled for name in names_of(inst)])
    return None if one.operand is None else _why_no_operand(one.operand, fits)


def _help_on_labels(instruction: str | None, insts: Sequence[Instruction]) -> str:
    if instruction == OnnxNode.INFO.mnemonic:
        found = dict.fromkeys(inst.op_type for inst in insts if isinstance(inst, OnnxNode))
        return f"; nodes go by their operators: {listed(list(found)[:_SHOWN], 'and')}" if found else ""
    return _near(instruction or "", [label for inst in insts for label in labels_of(inst)])


def _why_no_operand(operand: str | int, nodes: Sequence[tuple[Instruction, Function]]) -> str | None:
    known: dict[str, None] = {}
    for inst, function in nodes:
        if isinstance(operand, int):
            if operand < len(values_of(inst)):
                return None
            continue
        names = _operands_of(inst, function)
        if names is None or operand in names:
            return None
        known |= dict.fromkeys(names)
    label = listed(list(dict.fromkeys(label_of(inst) for inst, _ in nodes))[:_SHOWN], "and")
    if isinstance(operand, int):
        return f": {label} has fewer operands"
    return f': no operand of {label} is called "{operand}"' + (_near(operand, known) or f"; known: {', '.join(known)}")


def _operands_of(inst: Instruction, function: Function) -> list[str] | None:
    """Return what the operands of an instruction are called; None where nobody knows."""
    if not isinstance(inst, OnnxNode):
        return [info.name for info in infos_of(inst)]
    signatures = None if function.module is None else function.module.signatures
    version = function.operator_sets.get(inst.domain)
    if signatures is None or version is None:
        return None
    signature = signatures.signature(inst.domain or ONNX_DOMAIN, inst.op_type, version)
    return None if signature is None else [slot.name for slot in signature.operands]


def _near(name: str, known: Sequence[str] | dict[str, None]) -> str:
    near = did_you_mean(name, dict.fromkeys(known))
    return f"; {near}" if near else ""
