"""The JSON Schema of everything that stands below `defs/`, from the tables of keys and the words of a project.

Editors check and complete by it. Deliberately absent: what takes two fields, two files or the text of `rhs_str` to
judge. `ONLY_THE_LOADER` lists it, and a test shows that schema and loader disagree in nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from brewer.definition_keys import DEFINITION
from brewer.document_keys import FACTS_DOCUMENT, VOCABULARY, VOCABULARY_ADDITION
from brewer.field_keys import ATTRIBUTE
from brewer.kinds import (
    Either,
    Entries,
    Flag,
    FreeText,
    Key,
    Kind,
    ListOf,
    Number,
    OfType,
    OneOrMore,
    Pattern,
    Reference,
    Section,
    Table,
    TypeWord,
    Whole,
    Word,
    tables_below,
    tables_in,
)

Schema = dict[str, Any]
Lists = Mapping[str, tuple[str, ...]]
ONLY_THE_LOADER: Mapping[str, str] = {
    "D001 to D010, D012, D020, D021": "the text of a file, before it is a tree of values",
    "D005, D015, D016": "in the vocabulary: the words of one list in another",
    "D013, D050, D052, D071": "what a base that is another definition may say or has said of a field",
    "D014, D050, D071": "a whole number that is written with a fraction",
    "D018, D023, D026 to D028": "names, places and sizes of files",
    "D024": "a group of data types beside one of its members",
    "D031 to D035": "definitions and fields beside each other",
    "D040 to D042, D044 to D046": "the text of `rhs_str`, and of examples",
    "D051, D052": "numbers beside each other: a default and its bounds, two bounds",
    "D061, D063 to D067": "what hand-written classes and functions look like",
    "D070 to D076, D078, D079": "names of fields, engines and versions beside each other; two numbers in a constraint",
    "D075, D090, D123": "a version in quotes",
    "D091": "two operands at one place",
    "D120 to D123": "what is written beside fields, versions, dialect and engines",
}
"""What a schema cannot say, by code; it is told when brewing."""

_PLAIN: Mapping[str, Schema] = {
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "str": {"type": "string"},
}
_SCALAR: Schema = {"type": ["boolean", "number", "string"]}


def json_schema(lists: Lists) -> Schema:
    """The schema of any file below `defs/`; `lists` are the words of the project by name (see `known` of kinds)."""
    tables = tables_below(DEFINITION, FACTS_DOCUMENT, VOCABULARY, VOCABULARY_ADDITION)
    definitions = {_name(table): _table_schema(table, lists) for table in tables}
    definitions[_name(ATTRIBUTE)] |= {"allOf": list(_attribute_types(lists))}
    definitions[_name(DEFINITION)] |= {"allOf": list(_complete_definitions(lists))}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A file below defs/",
        "$comment": "Made by `python -m brewer schema` from the words of a project; run it again when they change.",
        "if": {"required": ["name"]},
        "then": _ref(DEFINITION),
        "else": {
            "if": {"required": ["facts"]},
            "then": _ref(FACTS_DOCUMENT),
            "else": {
                "if": {"required": ["extends"]},
                "then": _ref(VOCABULARY_ADDITION),
                "else": {"if": {"required": ["dtypes"]}, "then": _ref(VOCABULARY), "else": _ref(DEFINITION)},
            },
        },
        "$defs": definitions,
    }


def _name(table: Table) -> str:
    words = table.what.replace('"', "").split()
    return "_".join(word for word in words if word not in ("a", "an", "the", "one", "of"))


def _ref(table: Table) -> Schema:
    return {"$ref": f"#/$defs/{_name(table)}"}


def _table_schema(table: Table, lists: Lists) -> Schema:
    schema: Schema = {
        "description": table.doc,
        "type": "object",
        "properties": {key.name: _key_schema(key, lists) for key in table.keys},
        "additionalProperties": False,
    }
    excluded: dict[str, list[str]] = {}
    for left, right in table.exclusive:
        excluded.setdefault(left, []).append(right)
    if excluded:
        schema["dependentSchemas"] = {
            key: {"properties": {other: False for other in others}} for key, others in excluded.items()
        }
    if table.is_inherited:
        return schema
    complete = _completeness(table)
    if excluded and "dependentSchemas" in complete:  # what a key excludes, and what it needs
        schema["allOf"] = [{"dependentSchemas": schema.pop("dependentSchemas")}]
    return schema | complete


def _key_schema(key: Key, lists: Lists) -> Schema:
    schema = _kind_schema(key.kind, lists)
    kinds = key.kind.kinds if isinstance(key.kind, Either) else (key.kind,)
    for kind, inner in zip(kinds, schema["anyOf"] if isinstance(key.kind, Either) else [schema], strict=True):
        if isinstance(kind, OneOrMore):
            inner["anyOf"][1]["minItems"] = 1
    unit = f" Unit: {key.unit}." if key.unit else ""
    default = {} if key.default is None else {"default": key.default}
    return {"description": key.doc + unit, **schema, **default}


def _completeness(table: Table) -> Schema:
    """What must be there once all bases are merged in, the tables inside included."""
    schema: Schema = {}
    required = [key.name for key in table.keys if key.required]
    if required:
        schema["required"] = required
    if table.one_of:
        schema["anyOf"] = [{"required": [name]} for name in table.one_of]
    if table.needs:
        schema["dependentSchemas"] = {
            need.beside: (
                {"anyOf": [{"required": [need.key]}, {"required": [need.unless]}]}
                if need.unless
                else {"required": [need.key]}
            )
            for need in table.needs
        }
    inner = {
        key.name: {"additionalProperties": complete}
        for key in table.keys
        for below in tables_in(key.kind)
        if below.is_inherited and (complete := _completeness(below))
    }
    if inner:
        schema["properties"] = inner
    return {"type": "object", **schema} if required or table.one_of else schema


def _kind_schema(kind: Kind, lists: Lists) -> Schema:
    match kind:
        case Flag():
            return {"type": "boolean"}
        case Whole(minimum):
            return {"type": "integer"} if minimum is None else {"type": "integer", "minimum": minimum}
        case Number():
            return {"type": "number", "minimum": -sys.float_info.max, "maximum": sys.float_info.max}  # no infinity
        case FreeText():
            return {"type": "string"}
        case Pattern(expression=expression, excluded=excluded):
            schema: Schema = {"type": "string", "pattern": _whole(expression)}
            return schema | {"not": {"enum": list(excluded)}} if excluded else schema
        case Word(known=known):
            return {"enum": list(lists[known] if isinstance(known, str) else known)}
        case Reference(known=known):
            return {"enum": list(lists[known])} if known else {"type": "string"}
        case TypeWord():
            types = lists["types"]
            return {"anyOf": [{"enum": list(types)}, {"pattern": _list_type("|".join(types)), "type": "string"}]}
        case OfType():
            return {"anyOf": [_SCALAR, {"type": "array", "items": _SCALAR}]}
        case _:
            return _compound_schema(kind, lists)


def _compound_schema(kind: Kind, lists: Lists) -> Schema:
    match kind:
        case OneOrMore(item):
            one = _kind_schema(item, lists)
            return {"anyOf": [one, {"type": "array", "items": one, "uniqueItems": True}]}
        case ListOf(item, length, is_set, least):
            schema: Schema = {"type": "array", "items": _kind_schema(item, lists)}
            schema |= {"minItems": length, "maxItems": length} if length is not None else {}
            return schema | ({"minItems": least, "uniqueItems": True} if is_set else {})
        case Section(table):
            return _ref(table)
        case Entries(names, value, may_be_empty):
            found = _kind_schema(value, lists)
            if isinstance(value, Entries) and value.may_be_empty or isinstance(value, Section) and _may_be_empty(value):
                found = {"anyOf": [found, {"type": "null"}]}  # no value stands for no keys
            schema = {"type": "object", "propertyNames": _name_schema(names, lists), "additionalProperties": found}
            return schema if may_be_empty else schema | {"minProperties": 1}
        case Either(kinds):
            return {"anyOf": [_kind_schema(inner, lists) for inner in kinds]}
    raise AssertionError(f"no schema for {kind}")


def _may_be_empty(section: Section) -> bool:
    table = section.table
    return table.is_inherited or not any(key.required for key in table.keys)


def _name_schema(kind: Kind, lists: Lists) -> Schema:
    """The schema of a key that the definition chooses; in JSON a version is a text, too."""
    if isinstance(kind, Whole):
        first = {1: "[1-9][0-9]*", 2: "([2-9]|[1-9][0-9]+)"}
        return {"pattern": _whole(first[kind.minimum or 1])}
    return _kind_schema(kind, lists)


def _whole(expression: str) -> str:
    """An expression for all of a text; `$` would let a line end follow in some dialects."""
    return f"^({expression})(?![\\s\\S])"


def _list_type(word: str) -> str:
    return _whole(f"list\\[ *({word}) *\\]")


def _attribute_types(lists: Lists) -> Iterable[Schema]:
    """For each type what its default and choices may be, and whether it has bounds."""
    for word in lists["types"]:
        item = _PLAIN.get(word) or {"enum": list(lists["dtypes"] if word == "dtype" else lists.get(f"enum {word}", ()))}
        bounds = {} if word in ("int", "float") else dict.fromkeys(("min", "max", "multiple_of"), False)
        default, of_list, choices = _values(word, item)
        for type, value in (({"const": word}, default), ({"pattern": _list_type(word)}, of_list)):
            yield {
                "if": {"required": ["type"], "properties": {"type": type}},
                "then": {"properties": {"default": value, "one_of": choices, **bounds}},
            }


def _values(word: str, item: Schema) -> tuple[Schema | bool, Schema, Schema | bool]:
    """What a default may be, one of a list of the type, and choices; some values cannot be written down."""
    if word == "shape":
        return {"type": "array", "items": {"type": "integer", "minimum": 0}}, {"maxItems": 0}, False
    if word in ("tensor", "type"):
        return False, {"type": "array", "maxItems": 0}, False
    return item, {"type": "array", "items": item}, {"items": item}


def _complete_definitions(lists: Lists) -> Iterable[Schema]:
    """What only an abstract definition may leave out, or one whose base is another definition."""
    abstract = {"required": ["abstract"], "properties": {"abstract": {"const": True}}}
    definitions = [name for name in lists["bases"] if name not in lists["roots"]]
    derived = {"required": ["base"], "properties": {"base": {"enum": definitions}}}
    yield {"if": abstract, "else": {"required": ["rhs_str"]}}
    yield {"if": derived, "else": _completeness(DEFINITION)}
    yield {"if": {"anyOf": [derived, abstract]}, "else": {"required": ["results"]}}
