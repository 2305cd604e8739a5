"""The constructor of a generated class: its parameters, how it finds the type of the result, and what it calls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from brewer.field_views import FieldView
from brewer.frozen import frozen
from brewer.model import Definition
from brewer.python_sources import Parameter

ResultType = Literal[
    "none",  # there is no result
    "given",  # the caller gives its type
    "given_or_of_dst",  # the same; where `dst` is given, it may be left out
    "inferred",  # it follows from the operands where the caller gives none
    "inferred_or_of_dst",
    "free_dtype",  # the same, and the caller may choose the element type
    "many_given",  # the caller gives the types of several results, or of any number of them
    "many_inferred",
]


@frozen
class ConstructorView:
    positional: tuple[FieldView, ...]  # those that the caller must give first
    named: tuple[FieldView, ...]  # attributes with a default: one may be added without moving another
    keywords: tuple[str, ...]  # parameters of the runtime class: `loc: str | None = None`
    result_type: ResultType
    dst: str  # the argument for it: `dst`, or `None` where the dialect has no memory
    arguments: tuple[str, ...]  # that the runtime class's constructor gets after the result type


def constructor_view(definition: Definition, fields: Sequence[FieldView], init: Iterable[Parameter]) -> ConstructorView:
    """`init` are the parameters of the runtime class's constructor."""
    others = [parameter for parameter in init if parameter.name != "result_type"]
    has_dst = definition.dst.use != "forbidden" and any(parameter.name == "dst" for parameter in others)
    result_type = _result_type(definition, has_dst)
    keywords = {parameter.name: parameter.text for parameter in others}
    dst = keywords.pop("dst", "")
    front = [dst] if has_dst else []
    named = tuple(field for field in fields if field.kind == "attribute" and field.default)
    required = [field for field in fields if not field.default]
    defaulted = [field for field in fields if field.default and field not in named]
    return ConstructorView(
        positional=(*required, *defaulted),
        named=named,
        keywords=(*_keywords_for_type(result_type, front), *keywords.values()),
        result_type=result_type,
        dst="dst" if has_dst else "None",
        arguments=tuple("None" if p.name == "dst" and not has_dst else p.name for p in others),
    )


def constructor_kind(definition: Definition) -> tuple[object, ...]:
    """What a constructor depends on beside the fields: two definitions of one kind share it."""
    return _result_type(definition, has_dst=False), definition.dst.use == "forbidden"


def has_rule(definition: Definition, index: int) -> bool:
    """Whether the type of a result follows from the operands; else the caller gives it."""
    result = definition.results[index]
    return bool(result.same_as or result.infer or (result.dtype and result.shape is not None))


def _result_type(definition: Definition, has_dst: bool) -> ResultType:
    follows = all(has_rule(definition, index) for index in range(len(definition.results)))
    if definition.has_many_results:
        return "many_inferred" if follows else "many_given"
    if not definition.results:
        return "none"
    if not follows:
        return "given_or_of_dst" if has_dst else "given"
    if definition.results[0].free_dtype:
        return "free_dtype"
    return "inferred_or_of_dst" if has_dst else "inferred"


def _keywords_for_type(result_type: ResultType, front: list[str]) -> list[str]:
    """The keywords that decide the type of the result, that for `dst` among them."""
    if result_type == "many_given":
        return [*front, "result_types: Sequence[Type] = ()"]
    if result_type == "many_inferred":
        return [*front, "result_types: Sequence[Type] | None = None"]
    if result_type == "free_dtype":
        return ["dtype: DType | None = None", *front, "result_type: Type | None = None"]
    return [*front, "result_type: Type" if result_type == "given" else "result_type: Type | None = None"]
