"""Programs on which a widely used runtime crashes, though they are right: the least that avoids it stays f32.

    %t: f16[3,2,4] = Transpose %x {perm = [1, 0, 2]}        %y: f16[3,2,5] = MatMul %t, %w

onnxruntime 1.32 fuses the two and fails with a segmentation fault while it loads the model, if all of these hold: the
elements are f16, %w is a constant matrix, and the permutation moves the first axis behind all others but the last one
or two and keeps the order of the rest. With the Transpose in f32 it does not.

    %y: bf16[4] = Clip %x, %low, %high        in the operator sets 13 to 15

The schema has bf16 there, but Clip is a function of Where, which has bf16 since 16: whoever expands the function, as
onnxruntime does without a kernel, refuses the model. So it is with SoftmaxCrossEntropyLoss, a function of
NegativeLogLikelihoodLoss, which has bf16 since 22.

MeanVarianceNormalization is a function that adds a constant of f32, so onnx's full check refuses any other float.

    %y: f16[4] = ScatterND %x, %i, %u {reduction = "max"}

onnxruntime has a kernel of f16 for this operator, which fails when it runs with a reduction. The one of ScatterElements
takes the largest and the smallest.

Deliberately absent: what a runtime is slow at, or has no kernel for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from passes.precision.constants import Constants
from passes.precision.reasons import Reason, Rule
from passes.precision.survey import Survey, SurveyedNode
from runtime.dtypes import DType, bf16, f16
from runtime.generic import ONNX_DOMAIN, OnnxNode
from runtime.instructions import Instruction

WHY = "onnxruntime crashes on a Transpose of f16 that moves the batch before a product with a constant"
_WHY_NOT_SCATTERED = "onnxruntime fails on a ScatterND of f16 with a reduction"
_WHY_F32_ONLY = "MeanVarianceNormalization is a function that adds a constant of f32"
_FUNCTIONS: Final[Mapping[str, tuple[str, int]]] = {
    "Clip": ("Where", 16),
    "SoftmaxCrossEntropyLoss": ("NegativeLogLikelihoodLoss", 22),
}
"""By operator: what it is a function of, and the operator set since which that has bf16."""


def faults_of(survey: Survey, constants: Constants, low: DType) -> dict[Instruction, Reason]:
    """Return the nodes of a function that must not give a lower float, and why."""
    nodes = survey.nodes_of([form for form in survey.forms if form.may_fail])
    found = {node.inst: why_it_fails(node, survey, constants, low) for node in nodes}
    return {inst: Reason(Rule.RUNTIME, why) for inst, why in found.items() if why is not None}


def why_it_fails(node: SurveyedNode, survey: Survey, constants: Constants, low: DType) -> str | None:
    """Return why a node must not give a lower float, or None."""
    inst = node.inst
    if not node.form.may_fail or not isinstance(inst, OnnxNode):
        return None
    if inst.op_type == "MeanVarianceNormalization":
        return _WHY_F32_ONLY
    if inst.op_type in _FUNCTIONS:
        body, since = _FUNCTIONS[inst.op_type]
        is_late = survey.function.operator_sets.get(ONNX_DOMAIN, since) >= since
        why = f"{inst.op_type} is a function of {body}, which has no bf16 before operator set {since}"
        return None if low is not bf16 or is_late else why
    if low is not f16:
        return None
    if inst.op_type == "ScatterND":
        return _WHY_NOT_SCATTERED if inst.attributes.get("reduction", "none") != "none" else None
    perm = inst.attributes.get("perm")
    if not isinstance(perm, tuple) or not _moves_the_batch([*perm]):
        return None
    return WHY if any(_multiplies(user, inst, constants) for user in inst.users) else None


def _moves_the_batch(perm: list[object]) -> bool:
    rank = len(perm)
    return rank > 2 and perm[:-2] == [*range(1, rank - 1)] and {*perm[-2:]} == {0, rank - 1}


def _multiplies(user: Instruction, value: Instruction, constants: Constants) -> bool:
    if not (isinstance(user, OnnxNode) and user.op_type == "MatMul" and user.domain == ONNX_DOMAIN):
        return False
    left, right = user.values[:2]
    if left is not value or right is None or right not in constants:
        return False
    return right.type.shape is not None and len(right.type.shape) == 2
