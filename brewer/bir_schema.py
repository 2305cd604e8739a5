"""The JSON Schema of BIR files, from the definitions of a project.

Other tools check what they write by it. Deliberately absent: what the text of a type says, and what takes two places of
a file to judge. `ONLY_THE_READER` lists it; a test shows that the reader refuses nothing else that the schema accepts.
The schema is stricter than the reader in what the verifier would refuse anyway: bounds of attributes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from brewer.bir_records import FieldForm, RecordForm, SlotView
from brewer.bir_schema_parts import STRING, Schema, bir_parts, conditions, ref, schema_of_list, schema_of_object
from brewer.vocabulary import Vocabulary

ONLY_THE_READER: Mapping[str, str] = {
    "B001 to B004": "the text of a file, before it is a tree of values",
    "B005, B012": "a whole number that is written with a fraction, 1.0",
    "B012": "as many indices as pairs; a whole number that is larger than every float",
    "B014, B015": "the text of a type",
    "B016": "contents beside their type",
    "B021 to B024": "names that are defined before they are used, and once",
    "B032": "a type of several words for a result that is none",
    "B031, B034": "a derived field beside the operands",
    "B035": "the number of a region beside the regions",
}
"""What a schema cannot say, by code; it is told when a file is read."""

_NULL: Schema = {"type": "null"}


def bir_schema(forms: Iterable[RecordForm], vocabulary: Vocabulary) -> Schema:
    """The schema of a file whose instructions have these records."""
    forms = tuple(forms)
    records = {f"op_{form.mnemonic}": _record(form) for form in forms}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A program as BIR",
        "$comment": "Made by `python -m brewer schema --bir` from the definitions; run it again when they change.",
        **_program(),
        "$defs": {**bir_parts(vocabulary), "instruction": _instruction(forms), **records},
    }


def _program() -> Schema:
    return schema_of_object(
        {
            "format": {"const": "brewer-bir"},
            "version": {"const": 1},
            "target": {"type": ["string", "null"]},
            "carried": ref("bytes"),
            "functions": schema_of_list(ref("function")),
        },
        ("format", "version", "functions"),
    )


def _instruction(forms: tuple[RecordForm, ...]) -> Schema:
    """Each instruction by its mnemonic."""
    chosen = [
        {"if": {"properties": {"op": {"const": form.mnemonic}}}, "then": ref(f"op {form.mnemonic}")} for form in forms
    ]
    return {
        "type": "object",
        "required": ["op"],
        "properties": {"op": {"enum": [form.mnemonic for form in forms]}},
        "allOf": chosen,
    }


def _record(form: RecordForm) -> Schema:
    versions = range(1, form.version + 1)
    always_needed = form.needed_in(1)
    properties: dict[str, Schema] = {
        "op": {"const": form.mnemonic},
        "version": {"enum": list(versions)},
        "results": _results(form),
        "args": _operands(form),
        "fields": {"type": "object"},
        "rounding": {"enum": ["user"]},
        "keep_alu_dtype": {"enum": [True]},
        **conditions(),
        "loc": STRING,
    }
    if form.has_dst:
        properties |= {"dst": ref("access"), "type": ref("type")}
    if form.has_engine:
        properties["engine"] = ref("engine")
    if form.is_open:
        properties |= {"attributes": {"type": "object", "additionalProperties": ref("attribute")}}
        properties["carried"] = ref("bytes")
    if form.n_regions != 0:
        exactly = {} if form.n_regions is None else {"minItems": form.n_regions, "maxItems": form.n_regions}
        properties["regions"] = {**schema_of_list(ref("region")), **exactly}
    required = ["op", "version"]
    required += ["args"] if form.n_needed else []
    required += ["fields"] if always_needed else []
    required += ["regions"] if form.n_regions else []
    required += ["dst"] if form.needs_dst else []
    return {
        "description": form.summary,
        **schema_of_object(properties, required),
        "dependentSchemas": {
            "dst": {"properties": {"results": {"maxItems": 0}}},
            "type": {"required": ["dst"]},
        },
        "allOf": [
            {"if": {"properties": {"version": {"const": at}}}, "then": _of_version(form, at, bool(always_needed))}
            for at in versions
        ],
    }


def _results(form: RecordForm) -> Schema:
    """A result is no value of the type none; an instruction without one has no results.

    Of several, any but the first may be absent: which of them, the verifier asks.
    """
    result: Schema = {"allOf": [ref("definition"), {"prefixItems": [True, {"not": {"const": "none"}}]}]}
    if form.max_results in (None, 0, 1):
        return schema_of_list(result, form.max_results)
    further: Schema = {"anyOf": [result, {"const": "none"}]}
    return {**schema_of_list(further, form.max_results), "prefixItems": [result]}


def _operands(form: RecordForm) -> Schema:
    return {
        "type": "array",
        "minItems": form.n_needed,
        "maxItems": len(form.slots),
        **({"prefixItems": [_slot(slot) for slot in form.slots]} if form.slots else {}),
    }


def _slot(slot: SlotView) -> Schema:
    kinds = [ref("reference"), ref("access"), *([{"const": "none"}] if slot.optional else [])]
    one: Schema = {"anyOf": kinds}
    return {"description": slot.name, **(schema_of_list(one) if slot.variadic else one)}


def _of_version(form: RecordForm, version: int, always: bool) -> Schema:
    """What a record of a version holds; `always`: some field is needed in all versions."""
    schema: Schema = {"properties": {"fields": _fields(form, version)}}
    return schema if always or not form.needed_in(version) else {**schema, "required": ["fields"]}


def _fields(form: RecordForm, version: int) -> Schema:
    """The fields by the names that they have in a version."""
    return schema_of_object(
        {form.name_in(version, field.name): _field(field) for field in form.fields},
        [form.name_in(version, field.name) for field in form.needed_in(version)],
    )


def _field(field: FieldForm) -> Schema:
    one = _one_value(field)
    found = schema_of_list(one) if field.is_list else one
    return {"anyOf": [found, _NULL]} if field.optional else found


def _one_value(field: FieldForm) -> Schema:
    if field.words:
        return {"enum": list(field.words)}
    match field.type:
        case "indices":
            return schema_of_list(STRING)
        case "open":
            return {"type": "object", "additionalProperties": ref("open")}
        case "shape":
            return schema_of_list(ref("extent"))
        case "tensor":
            return ref("contents")
        case "str" | "enum":
            return {**STRING, **({"minLength": field.min} if field.min is not None else {})}
        case "bool":
            return {"type": "boolean"}
        case "int" | "float":
            return _number(field)
    return ref(field.type)  # `dtype` and `type` bear the names of their types


def _number(field: FieldForm) -> Schema:
    bounds = {"minimum": field.min, "maximum": field.max, "multipleOf": field.multiple_of}
    plain: Schema = {"type": "integer" if field.type == "int" else "number"}
    plain |= {key: bound for key, bound in bounds.items() if bound is not None}
    return plain if field.type == "int" else {"anyOf": [plain, ref("float_bits")]}
