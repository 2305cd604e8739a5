"""Whether the value of an attribute is of the kind, and within the bounds, that its definition states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from runtime.constants import Constant
from runtime.diagnostics import did_you_mean, either
from runtime.dtypes import DType
from runtime.info import AttributeInfo
from runtime.lazy_tensors import LazyTensor
from runtime.types import Type


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of attribute value: how it is called, and how to know one."""

    name: str
    holds: Callable[[object], bool]
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Wrong:
    """What is wrong with a value."""

    code: str
    message: str
    help: str = ""


def kind_of(info: AttributeInfo) -> Kind:
    """Return the kind of values of an attribute."""
    if info.type.startswith("list["):
        inner = _KINDS.get(info.type[len("list[") : -1], _KINDS["enum"])
        return Kind(inner.name, inner.holds, is_list=True)
    return _KINDS.get(info.type, _KINDS["enum"])


def why_wrong(value: object, info: AttributeInfo, kind: Kind) -> Wrong | None:
    """Return what is wrong with the value of an attribute, or None."""
    if value is None:
        if info.optional:
            return None
        return Wrong("V040", f'the attribute "{info.name}" is missing; expected {_expected(kind)}')
    if not kind.is_list:
        return _why_wrong(value, info, kind)
    if not isinstance(value, (list, tuple)):
        return Wrong("V040", f'the attribute "{info.name}" is {value!r}; expected {_expected(kind)}')
    return next((wrong for item in value if (wrong := _why_wrong(item, info, kind)) is not None), None)


def _why_wrong(value: object, info: AttributeInfo, kind: Kind) -> Wrong | None:
    if not kind.holds(value):
        return Wrong("V040", f'the attribute "{info.name}" is {value!r}; expected {_expected(kind)}')
    if info.one_of and value not in info.one_of and not (isinstance(value, DType) and value.name in info.one_of):
        return _not_one_of(value, info)
    if isinstance(value, str):
        is_short = info.min is not None and len(value) < info.min
        return Wrong("V041", f'the attribute "{info.name}" is empty; expected text') if is_short else None
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    at_fault = ""
    if info.min is not None and not value >= info.min:  # so that a NaN is out of bounds too
        at_fault = f"at least {info.min}"
    elif info.max is not None and not value <= info.max:
        at_fault = f"at most {info.max}"
    elif info.multiple_of is not None and value % info.multiple_of:
        at_fault = f"a multiple of {info.multiple_of}"
    return Wrong("V041", f'the attribute "{info.name}" is {value}; expected {at_fault}') if at_fault else None


def _not_one_of(value: object, info: AttributeInfo) -> Wrong:
    words = [str(word) for word in info.one_of]
    if not isinstance(value, str):
        return Wrong("V041", f'the attribute "{info.name}" is {value}; expected {" or ".join(words)}')
    help = did_you_mean(value, words) or f"its words: {either(words, 'and')}"
    return Wrong("V042", f'the attribute "{info.name}" has no word "{value}"', help)


def _expected(kind: Kind) -> str:
    return f"a list, each item {kind.name}" if kind.is_list else kind.name


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_dim(value: object) -> bool:
    return value is None or isinstance(value, str) or (_is_int(value) and isinstance(value, int) and value >= 0)


def _is_shape(value: object) -> bool:
    return isinstance(value, tuple) and all(_is_dim(dim) for dim in value)


_KINDS = {
    "int": Kind("a whole number", _is_int),
    "float": Kind("a number", _is_number),
    "bool": Kind("True or False", lambda value: isinstance(value, bool)),
    "str": Kind("text", lambda value: isinstance(value, str)),
    "enum": Kind("a word", lambda value: isinstance(value, str)),
    "dtype": Kind("a data type", lambda value: isinstance(value, DType)),
    "shape": Kind("a tuple of extents", _is_shape),
    "tensor": Kind("a constant", lambda value: isinstance(value, (Constant, LazyTensor))),
    "type": Kind("a type", lambda value: isinstance(value, Type)),
}
