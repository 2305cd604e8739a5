"""Layer norms that are spelled out, and which a widely used runtime fuses into a node of two floats, which it refuses.

    %c: f32 = Cast %x16 {to = f32}    %m = ReduceMean %c    %d = Sub %c, %m    %q = Pow %d, 2    %v = ReduceMean %q
    %e = Add %v, epsilon    %s = Sqrt %e    %n = Div %d, %s    %g = Mul %n, %scale    %y = Add %g, %bias

From operator set 17 on, where LayerNormalization is an operator with one type for the operand, the scale and the bias,
onnxruntime 1.32 looks through the cast in front, if nothing else reads it, and through one behind the division. So the
operand must be what scale and bias are: what gives it stays f32 where they are f32, the scaling where the operand is.

It must not be seen where scale and bias are two floats, where a lower float is between the mean and the division, and
where somebody else reads the operand in f32: then nothing is fused.

Deliberately absent: norms without a bias, or with a product for the square, which onnxruntime does not fuse here.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from passes.precision.survey import Survey
from runtime.generic import ONNX_DOMAIN, OnnxNode
from runtime.instructions import Instruction
from runtime.values import Result, Value

WHY: Final = "onnxruntime fuses a layer norm whose operand is of another float than its scale, and refuses it"
_ONE_TYPE: Final = 17  # the operator set since which
_NEEDED: Final = frozenset(
    [f"{ONNX_DOMAIN}::{one}" for one in ("Add", "Div", "Mul", "Pow", "ReduceMean", "Sqrt", "Sub")]
)
_HANDS_ON: Final = ("Cast", "Dropout", "Identity")


@dataclass(frozen=True, slots=True)
class _Norm:
    """What is spelled out: the operand, what runs in f32 in any case, and what follows the division."""

    operand: Value
    core: frozenset[Instruction]
    scaling: Instruction
    shift: Instruction


def refused_norms(
    survey: Survey, dtypes: Container[object], reads: Mapping[Instruction, frozenset[int]]
) -> set[Instruction]:
    """Return what must stay f32 so that no norm is refused; `dtypes` are the low values, `reads` has their users."""
    version = survey.function.operator_sets.get(ONNX_DOMAIN)
    if version is None or version < _ONE_TYPE or not _NEEDED.issubset([form.label for form in survey.forms]):
        return set()
    found: set[Instruction] = set()
    for norm in reversed(list(_norms(survey))):  # the end of a norm may be the operand of a later one
        scaled, shifted = (one in dtypes and one not in found for one in (norm.scaling, norm.shift))
        if scaled is not shifted or any(one in dtypes for one in norm.core):
            continue
        is_low = norm.operand in dtypes and _source(survey, norm.operand) not in found
        others = [user for user in norm.operand.users if user not in norm.core and not user.is_terminator]
        if is_low and not scaled and all(user in reads and user not in found for user in others):
            found.update(_sources(survey, norm.operand, dtypes))
        elif scaled and not is_low:
            found.add(norm.scaling)
    return found


def _sources(survey: Survey, value: Value, dtypes: Container[object]) -> Iterator[Instruction]:
    """Yield what gives a low value, and where that only hands it on, which a runtime leaves out, what gives it that."""
    source = _source(survey, value)
    yield source
    while isinstance(source, OnnxNode) and source.op_type in _HANDS_ON and source.domain == ONNX_DOMAIN:
        operand = source.values[0]
        if not isinstance(operand, Value) or operand not in dtypes:
            return
        source = _source(survey, operand)
        yield source


def _source(survey: Survey, value: Value) -> Instruction:
    """Return what gives a value that is low, a node with regions for what passes through their borders."""
    gate = survey.gate_to.get(value)
    owner = gate.inst if gate is not None else value.owner if isinstance(value, Result) else value
    assert isinstance(owner, Instruction), "nothing else is converted"
    return owner


def _norms(survey: Survey) -> Iterator[_Norm]:
    """Yield the norms of a function in program order."""
    for node in survey.nodes_of([form for form in survey.forms if form.label == f"{ONNX_DOMAIN}::Add"]):
        scaling = _operand(node.inst, "Add", "Mul")
        quotient = _operand(scaling, "Mul", "Div")
        core = None if quotient is None else _core(quotient)
        if core is not None and scaling is not None:
            yield _Norm(*core, scaling, node.inst)


def _core(quotient: OnnxNode) -> tuple[Value, frozenset[Instruction]] | None:
    """Return the operand of a norm, and what there is between it and the scaling."""
    root = _operand(quotient, "Div", "Sqrt", 1)
    total = _operand(root, "Sqrt", "Add", 0)
    variance = _operand(total, "Add", "ReduceMean")
    square = _operand(variance, "ReduceMean", "Pow", 0)
    core: list[Instruction | None] = [quotient, root, total, variance, square]
    operands = []
    for difference in (_operand(quotient, "Div", "Sub", 0), _operand(square, "Pow", "Sub", 0)):
        mean = _operand(difference, "Sub", "ReduceMean", 1)
        core += [difference, mean]
        if difference is None or mean is None or difference.values[0] is not mean.values[0]:
            return None
        operands.append(mean.values[0])
    operand = operands[0]
    known = frozenset([one for one in core if one is not None])
    return (operand, known) if isinstance(operand, Value) and operand is operands[1] else None


def _operand(inst: Instruction | None, operator: str, before: str, slot: int | None = None) -> OnnxNode | None:
    """Return what of the operands of a node one of another operator gives: what a slot holds, or the first."""
    if not (isinstance(inst, OnnxNode) and inst.op_type == operator and inst.domain == ONNX_DOMAIN):
        return None
    for value in inst.values if slot is None else inst.values[slot : slot + 1]:
        if isinstance(value, OnnxNode) and value.op_type == before and value.domain == ONNX_DOMAIN:
            return value
    return None
