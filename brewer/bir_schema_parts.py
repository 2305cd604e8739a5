"""The JSON Schema of what stands around the instructions of a BIR file, and of the values in them.

Deliberately absent: instructions (brewer/bir_schema.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from brewer.vocabulary import Vocabulary

Schema = dict[str, Any]

_BASE64 = "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?(?![\\s\\S])"
STRING: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
EDGE_KINDS = ("flow", "anti", "output", "ordered")  # of dependencies, as the runtime has them


def bir_parts(vocabulary: Vocabulary) -> dict[str, Schema]:
    """What stands around instructions, and the values in them."""
    return {
        **_blocks(),
        "tensor": _tensor(vocabulary),
        "definition": {
            "description": "Reference, type and, where it differs from the reference, the own name of a value.",
            "type": "array",
            "minItems": 2,
            "maxItems": 3,
            "prefixItems": [ref("reference"), ref("type"), STRING],
        },
        "default": schema_of_tuple(ref("reference"), ref("contents")),
        "reference": {"type": "string", "pattern": "^%[\\s\\S]"},
        "access": _access(),
        "affine": _affine(),
        "engine": {"enum": list(vocabulary.engines)},
        "dtype": {"enum": list(vocabulary.dtypes)},
        **_values(),
    }


def _blocks() -> dict[str, Schema]:
    """What holds statements, and what a statement is."""
    head = {
        "carried": ref("bytes"),
        "args": schema_of_list(ref("definition")),
        "defaults": schema_of_list(ref("default")),
    }
    body = {"body": schema_of_list(ref("statement"))}
    sets = {"type": "object", "additionalProperties": WHOLE}
    return {
        "function": schema_of_object(
            {"name": STRING, "operator_sets": sets, **head, "tensors": schema_of_list(ref("tensor")), **body},
            ("name", "body"),
        ),
        "region": schema_of_object({**head, **body}, ("body",)),
        "statement": {"if": {"required": ["loop"]}, "then": ref("loop"), "else": ref("instruction")},
        "loop": schema_of_object(
            {
                "loop": {"type": "string", "pattern": "^%"},
                "name": STRING,
                **dict.fromkeys(("lower", "step", "times"), WHOLE),
                "loc": STRING,
                **body,
            },
            ("loop", "times", "body"),
        ),
    }


def _tensor(vocabulary: Vocabulary) -> Schema:
    return schema_of_object(
        {
            "name": ref("reference"),
            "dtype": ref("dtype"),
            "shape": schema_of_list({"type": "integer", "minimum": 0}),
            "memory": {"enum": list(vocabulary.memories)},
            "input": {"type": "boolean"},
            "output": {"type": "boolean"},
            "contents": {"allOf": [ref("contents"), {"properties": {"carried": False}}]},
        },
        ("name", "dtype", "shape", "memory"),
    )


def conditions() -> dict[str, Schema]:
    """What a record may say of when its instruction runs."""
    edge = schema_of_tuple({"enum": list(EDGE_KINDS)}, WHOLE)
    return {
        "predicates": schema_of_list(schema_of_tuple({"enum": [">=", "=="]}, ref("affine"))),
        "mark": WHOLE,
        "dependencies": schema_of_list(edge),
    }


def _affine() -> Schema:
    terms: Schema = {"type": "array", "minItems": 1, "prefixItems": [WHOLE], "items": schema_of_tuple(STRING, WHOLE)}
    return {"anyOf": [WHOLE, terms]}


def _access() -> Schema:
    return schema_of_object(
        {
            "tensor": ref("reference"),
            "offset": ref("affine"),
            "pairs": schema_of_list(schema_of_tuple(WHOLE, WHOLE)),
            "indices": schema_of_list({"type": ["string", "null"]}),
            "as": ref("dtype"),
            "mode": {"enum": ["load", "store", "load_store"]},
        },
        ("tensor",),
    )


def _values() -> dict[str, Schema]:
    number: Schema = {"anyOf": [{"type": "number"}, ref("float_bits")]}
    scalars: list[Schema] = [{"type": ["boolean", "string"]}, number]
    kinds = {
        "bytes": ref("bytes"),
        "dtype": ref("dtype"),
        "type": ref("type"),
        "tensor": ref("contents"),
        "region": {"type": "integer", "minimum": 0},
        "empty": STRING,
        "encoded": ref("bytes"),
    }
    with_kind = [schema_of_object({kind: value}, (kind,)) for kind, value in kinds.items()]
    with_kind.append(schema_of_object({"reference": STRING, "kind": STRING}, ("reference", "kind")))
    exactly_one = {"oneOf": [{"required": ["data"]}, {"required": ["splat"]}]}
    return {
        "bytes": {"type": "string", "contentEncoding": "base64", "pattern": _BASE64},
        "type": {"type": "string", "minLength": 1},
        "extent": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": ["string", "null"]}]},
        "float_bits": schema_of_object(
            {"float": {"type": "string", "pattern": "^0x[0-9a-f]{16}(?![\\s\\S])"}}, ("float",)
        ),
        "number": number,
        "contents": {
            **schema_of_object(
                {"type": ref("type"), **dict.fromkeys(("data", "splat", "carried"), ref("bytes"))}, ("type",)
            ),
            "anyOf": [{"required": ["carried"]}, exactly_one],
            "not": {"required": ["data", "splat"]},
        },
        "open": {"anyOf": [*scalars, schema_of_list(ref("open"))]},
        "attribute": {"anyOf": [*scalars, schema_of_list(ref("attribute")), *with_kind]},
    }


def schema_of_object(properties: dict[str, Schema], required: Iterable[str] = ()) -> Schema:
    """An object with these keys and no others."""
    found: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    needed = list(required)
    return found | ({"required": needed} if needed else {})


def schema_of_list(items: Schema, most: int | None = None) -> Schema:
    """A list of any number of items, or of so many at most."""
    return {"type": "array", "items": items, **({} if most is None else {"maxItems": most})}


def schema_of_tuple(*items: Schema) -> Schema:
    """A list of exactly these items."""
    return {"type": "array", "minItems": len(items), "maxItems": len(items), "prefixItems": list(items)}


def ref(name: str) -> Schema:
    """A part by its name."""
    return {"$ref": f"#/$defs/{name.replace(' ', '_')}"}
