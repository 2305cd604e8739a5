"""Which keys of a definition a view is about: the items of the loops in templates."""

from __future__ import annotations

import ast
from typing import Any

from brewer.bir_views import KeywordView
from brewer.facts_view import OperatorView
from brewer.field_views import FieldView, enum_alias, group_constant
from brewer.load import Brewable, Instructions
from brewer.model import ApIndices, Definition, Operand
from brewer.origins.trees import KeyPath, Trees, entry_in
from brewer.result_views import BoundOperand, ResultAccessorView, ResultRuleView
from brewer.rule_views import RuleView
from brewer.table_views import EntryView, EnumView, GroupView
from brewer.views import RegionView
from runtime.diagnostics import Place

_SECTIONS = {"operand": "operands", "attribute": "attributes", "indices": "ap_indices"}
_SHARED_WORDS = {"DtypeName": "dtypes", "MemorySpace": "memories", "EngineName": "engines", "TargetName": "targets"}


def keys_of_item(item: Any, definition: Definition) -> KeyPath:
    """The keys that a view of a class is about; empty where it is no view of a part of the definition."""
    match item:
        case FieldView(kind=kind, name=name):
            return _SECTIONS[kind], name
        case RuleView(name=name, field=field):
            return keys_of_member(name, definition) or ("operands", field, "shape")
        case RegionView():
            return ("regions",)
        case KeywordView(name=name):
            return keys_of_field(name, definition) or ("serialize", name)
        case ResultAccessorView(name=name):
            return "results", name
        case ResultRuleView(name=name):
            return keys_of_member(name, definition) or ("results",)
        case BoundOperand(name=name):
            return "operands", name
        case str() if item.startswith("_"):
            return keys_of_field(item[1:], definition)  # a slot
    return ()


def keys_of_member(name: str, definition: Definition) -> KeyPath:
    """The keys that a method bears in its name: a property, `_verify_<label>`, `_infer_<result>`."""
    if any(f"_verify_{constraint.label}" == name for constraint in definition.constraints):
        return "constraints", name.removeprefix("_verify_")
    if len(definition.results) > 1 and name in (result.name.value for result in definition.results):
        return "results", name
    if any(f"_infer_{result.name}" == name for result in definition.results):
        return "results", name.removeprefix("_infer_")
    return keys_of_field(name, definition)


def keys_of_field(name: str, definition: Definition) -> KeyPath:
    for field in definition.fields:
        if field.name.value == name:
            section = "operands" if isinstance(field, Operand) else "attributes"
            return "ap_indices" if isinstance(field, ApIndices) else section, name
    return ("regions",) if name in (region.name.value for region in definition.regions) else ()


def place_of_shared_item(item: Any, instructions: Instructions, trees: Trees) -> tuple[KeyPath, Place] | None:
    """What a line of a file that belongs to all definitions is about."""
    match item:
        case EntryView():
            found = _definition_of(item, instructions)
            return (("name",), found.definition.name.place) if found else None
        case EnumView(alias=alias):
            enum = next((e.name.value for e in instructions.vocabulary.enums if enum_alias(e.name.value) == alias), "")
            return _in_vocabulary(("enums", enum) if enum else (_SHARED_WORDS.get(alias, ""),), trees)
        case GroupView(constant=constant):
            groups = (name for name, _ in instructions.vocabulary.dtype_groups if group_constant(name) == constant)
            return _in_vocabulary(("dtype_groups", next(groups, "")), trees)
        case OperatorView(key=key):
            domain, name = ast.literal_eval(key)
            operators = (o for d in instructions.facts if d.domain == domain for o in d.operators)
            return next(((("operators", name), o.name.place) for o in operators if o.name.value == name), None)
    return None


def _definition_of(entry: EntryView, instructions: Instructions) -> Brewable | None:
    for brewable in instructions.brewables:
        definition = brewable.definition
        if entry.mnemonic and brewable.rhs and brewable.rhs.mnemonic.value == entry.mnemonic:
            return brewable
        if not entry.mnemonic and entry.module.endswith(f".{definition.dialect}.{definition.name}Gen"):
            return brewable
    return None


def _in_vocabulary(path: KeyPath, trees: Trees) -> tuple[KeyPath, Place] | None:
    entry = entry_in(trees.vocabulary, path)
    return (path, entry.place) if entry else None
