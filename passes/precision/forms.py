"""What nodes have in common: most questions are about their form, so that each is asked once for all nodes of it.

    %s: f32[2,4] = Softmax %x {axis = 1}     %t: f32[9] = Softmax %y {axis = 0}     one form, whatever their shapes

Nodes of ONNX of one form have the same operator, those of a definition the same class and the same words as attributes,
and the operands and results of all have the same dtypes.

Deliberately absent: what a node has by itself, such as the numbers among its attributes and the values that it reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from passes.precision.arithmetic import CONVERT
from passes.precision.facts_of import facts_of, is_idle_cast, is_in_training
from passes.precision.labels import label_of
from runtime.dtypes import DType
from runtime.generic import ONNX_DOMAIN, OnnxNode
from runtime.instructions import Instruction
from runtime.operand_slots import Values
from runtime.precision_facts import FACTOR, SCALARS, AttributeFacts, PrecisionFacts
from runtime.values import Value

_ABSENT: Final = "absent"
_NO_ROLES: Final[Mapping[int, str]] = {}
_MAY_FAIL: Final = ("Clip", "MeanVarianceNormalization", "ScatterND", "SoftmaxCrossEntropyLoss", "Transpose")
"""Operators of ONNX of which `passes/precision/runtime_faults.py` knows more."""
SCATTERS: Final = ("ScatterElements", "ScatterND")
"""Operators of ONNX that add up or multiply where their attribute `reduction` says so, and else move elements."""


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """What is the same for all nodes of one form."""

    label: str
    facts: PrecisionFacts | None
    roles: Mapping[int, str]  # of operand slots, as in the facts, and which of them are factors
    data: tuple[int, ...]  # the slots of operands that may be converted; none where there are regions
    results: tuple[int, ...] | None  # the positions of the results that may be converted; None: of all
    is_float: bool  # whether any operand or result may be converted
    has_regions: bool
    is_rounded_as_asked: bool  # the author asked for the rounding of the result, or a pass has promoted it
    has_unknown_results: bool  # whether the dtype of a result is not known
    moves_elements: bool  # it works element by element, or moves elements: nothing is accumulated
    computes: str | None  # as in the facts
    activation: str | None  # what an attribute says that is computed of a sum
    is_product: bool  # it multiplies and adds up; what has regions leaves that to what stands in them
    is_suspect: bool  # a guard may have a reason against a node of it whatever constants it reads
    may_fail: bool  # what stands around a node of it may make a runtime fail
    is_convolution: bool
    is_idle_cast: bool
    may_index: bool  # whether operands may be indices, sizes or lengths
    f32_slots: tuple[int, ...]
    any_slots: tuple[int, ...]  # slots of any type, which changes nothing else
    contents: tuple[tuple[str, AttributeFacts], ...]  # the attributes that hold the elements of the result


class Forms:
    """The forms of the nodes of one function; `floats` are the dtypes that may be converted."""

    def __init__(self, operator_sets: Mapping[str, int], floats: tuple[DType | None, ...]) -> None:
        self._operator_sets = operator_sets
        self._floats = floats
        self._known: dict[tuple[Any, ...], Form] = {}

    @property
    def all(self) -> Iterable[Form]:
        """Those that have been seen, each once."""
        return self._known.values()

    def of(self, inst: Instruction, values: Values, results: tuple[Value, ...]) -> Form:
        """Return the form of a node whose operand slots hold `values`, and which gives `results`."""
        given: Any = inst.type.dtype if len(results) == 1 else tuple([result.type.dtype for result in results])
        read = [_ABSENT if value is None else value.type.dtype for value in values]
        key: tuple[Any, ...]
        if isinstance(inst, OnnxNode):
            is_training = inst.op_type == "BatchNormalization" and is_in_training(inst)
            key = (inst.op_type, inst.domain, inst.overload, inst.absent, not inst.blocks, is_training, given, *read)
        else:
            words = (label_of(inst), words_of(inst), is_rounded_as_asked(inst))
            key = (type(inst), words, not inst.blocks, given, *read)
        form = self._known.get(key)
        if form is None:
            form = self._known[key] = self._make(inst, values, results)
        return form

    def _make(self, inst: Instruction, values: Values, results: tuple[Value, ...]) -> Form:
        facts = facts_of(inst, self._operator_sets)
        roles = _NO_ROLES if facts is None else facts.operands
        data: list[int] = []
        if not inst.blocks:
            data = [at for at, value in enumerate(values) if value is not None and value.type.dtype in self._floats]
            data = [at for at in data if roles.get(at, "scalar") in SCALARS]
        given = tuple([at for at, result in enumerate(results) if result.type.dtype in self._floats])
        kind = None if facts is None else facts.op_kind
        if kind == "compute" or (facts is not None and facts.computes == "multiply"):
            roles = {**dict.fromkeys([at for at in data if at < 2], FACTOR), **roles}  # behind these come biases
        attributes = () if facts is None else tuple(facts.attributes.items())
        operator = inst.op_type if isinstance(inst, OnnxNode) and inst.domain == ONNX_DOMAIN else None
        is_convolution = operator == "Conv" or inst.INFO.semantics == "windows.conv"
        return Form(
            label_of(inst),
            facts,
            roles,
            tuple(data),
            None if len(given) == len(results) else given,
            is_float=bool(data or given),
            has_regions=bool(inst.blocks),
            is_rounded_as_asked=not isinstance(inst, OnnxNode) and is_rounded_as_asked(inst),
            has_unknown_results=any(result.type.dtype is None for result in results),
            moves_elements=not inst.blocks and kind in ("elementwise", "data_movement"),
            computes=None if facts is None else facts.computes,
            activation=getattr(inst, "activation", None),
            is_product=not inst.blocks and kind == "compute",
            is_suspect=is_convolution or operator in SCATTERS or _is_suspect(facts, bool(data or given)),
            may_fail=operator in _MAY_FAIL,
            is_convolution=is_convolution,
            is_idle_cast=is_idle_cast(inst),
            may_index=facts is not None and (facts.computes == CONVERT or "index" in roles.values()),
            f32_slots=tuple(at for at, role in roles.items() if role == "f32"),
            any_slots=tuple(at for at, role in roles.items() if role == "any"),
            contents=tuple(one for one in attributes if one[1].precision == "contents"),
        )


def is_rounded_as_asked(inst: Instruction) -> bool:
    """Whether the program's author asked for the rounding of an instruction, or a pass has promoted it."""
    return inst.rounding is not None or inst.keep_alu_dtype


def _is_suspect(facts: PrecisionFacts | None, is_float: bool) -> bool:
    if facts is None:
        return False
    numbers = any(one.precision != "contents" for one in facts.attributes.values())
    patterns = facts.computes in (CONVERT, "subtract")
    return patterns or facts.precision_intact or facts.wide_range or (numbers and is_float)


def words_of(inst: Instruction) -> tuple[Any, ...]:
    """Return what distinguishes the instructions of a class: its words, and how many values variadic operands have."""
    cls: Any = type(inst)  # which a cache takes, though mypy finds its hash another one
    words, variadic = _deciding_names(cls)
    return (*[getattr(inst, name) for name in words], *[len(getattr(inst, name)) for name in variadic])


@cache
def _deciding_names(cls: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    info = cls.INFO
    words = tuple(one.name for one in info.attributes if one.type in ("enum", "dtype", "bool", "str"))
    return words, tuple(one.name for one in info.operands if one.variadic)
