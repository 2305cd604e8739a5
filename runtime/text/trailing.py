"""Printing the trailing dictionary of an instruction: `{offset_scale = 1, engine = vector, loc = "model.py:3"}`.

It holds open attributes in their order, what `rhs_str` does not show and what is not its default, in the order of the
definition, then what a front end carries, `engine`, when it runs (`runtime/text/conditions.py`), `rounding`,
`keep_alu_dtype` and `loc`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import copysign
from typing import Any

from runtime.builtin import Opaque
from runtime.constants import Constant
from runtime.dtypes import DType
from runtime.generic import GenericInst
from runtime.info import AttributeInfo, OperandInfo
from runtime.instructions import Instruction, NeuronInst
from runtime.lazy_tensors import LazyTensor
from runtime.names import Names
from runtime.quoting import quoted, word_or_quoted
from runtime.text.attributes import attribute_text
from runtime.text.common_fields import COMMON
from runtime.text.conditions import condition_entries
from runtime.text.contents import tensor_text
from runtime.text.hexadecimal import hex_text
from runtime.text.open_values import entries_of, own_names
from runtime.values import Operand

FieldText = Callable[[Instruction, Any, Names], str | None]  # None: the field has its default


class Trailing:
    """The trailing dictionaries of the instructions of one class; `elide` as `print_module` has it."""

    def __init__(self, cls: type[Instruction], elide: int | None = None) -> None:
        info = cls.INFO
        texts: list[tuple[str, FieldText]] = []
        texts += [(operand.name, _operand_text(operand)) for operand in info.operands]
        texts += [(attribute.name, _attribute_text(attribute, elide)) for attribute in info.attributes]
        texts += [(name, _indices_text) for name in info.ap_indices]
        self.fields = tuple((name, text) for name, text in texts if name not in info.shown)
        self.has_dst = issubclass(cls, NeuronInst)
        self.has_regions = bool(info.regions) or issubclass(cls, GenericInst)
        self.has_one_result = not info.many_results
        self.has_more = bool(self.fields) or self.has_dst or cls is Opaque  # than `rounding` and `loc`
        self._elide = elide
        self.left_out = 0  # bytes of what instructions carry
        self._own_names = own_names(info)

    def text(self, inst: Instruction, names: Names) -> str:
        """Return the dictionary with a space in front, or nothing where everything has its default."""
        entries = []
        if isinstance(inst, GenericInst):
            entries += entries_of(inst, self._own_names, self._elide)
        for name, text in self.fields:
            value = text(inst, getattr(inst, name), names)
            if value is not None:
                entries.append(f"{name} = {value}")
        if isinstance(inst, Opaque):
            attributes = inst.attributes.items()
            entries += [f"{word_or_quoted(name, COMMON)} = {attribute_text(value)}" for name, value in attributes]
        elif isinstance(inst, GenericInst) and inst.carried is not None:
            if self._elide is None:
                entries.append(f"carried = {hex_text(inst.carried)}")
            else:
                self.left_out += len(inst.carried)
        engine = inst.assigned_engine if isinstance(inst, NeuronInst) else None
        if engine is not None:
            entries.append(f"engine = {engine.value}")
        if inst.extras is not None:
            entries += condition_entries(inst, names)
        rounding = inst.rounding
        if rounding is not None:
            entries.append(f"rounding = {rounding}")
        if inst.keep_alu_dtype:
            entries.append("keep_alu_dtype = true")
        if inst.loc is not None:
            entries.append(f"loc = {quoted(inst.loc)}")
        return f" {{{', '.join(entries)}}}" if entries else ""


def _operand_text(operand: OperandInfo) -> FieldText:
    if operand.variadic:
        return lambda inst, value, names: f"[{', '.join(_use(item, names) for item in value)}]" if value else None
    return lambda inst, value, names: None if value is None else str(value.use_str(names))


def _use(operand: Operand | None, names: Names) -> str:
    return "none" if operand is None else operand.use_str(names)


def _attribute_text(attribute: AttributeInfo, elide: int | None) -> FieldText:
    if attribute.type == "tensor":
        return lambda inst, value, names: _tensor_text(inst, value, elide)
    text = _WORDS.get(attribute.type, attribute_text)

    def field_text(inst: Instruction, value: Any, names: Names) -> str | None:
        if not attribute.required and _is_same(value, attribute.default):
            return None
        return "none" if value is None else text(value)

    return field_text


def _tensor_text(inst: Instruction, value: Constant | LazyTensor | None, elide: int | None) -> str | None:
    """The contents alone where the statement says the type of the result already."""
    if value is None:
        return None
    return tensor_text(value, None if inst.dst is not None else inst.type, elide)


def _indices_text(inst: Instruction, value: Any, names: Names) -> str | None:
    return f"[{', '.join(map(str, value))}]" if value else None


_WORDS: dict[str, Callable[[Any], str]] = {
    "enum": str,
    "list[enum]": lambda value: f"[{', '.join(value)}]",
}


def _is_same(value: Any, default: object) -> bool:
    """Whether a value is its default; a dtype may stand there by its name, and -0.0 is not 0.0."""
    if isinstance(value, DType):
        return value is default or value.name == default
    if isinstance(value, float) and isinstance(default, (int, float)):
        return value == default and copysign(1, value) == copysign(1, default)
    return bool(value == default)
