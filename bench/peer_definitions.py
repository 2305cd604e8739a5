"""What other systems are given for the definitions of bench/brewing_project.py: the same operands, attributes, words.

xDSL defines instructions as classes when a program starts; datamodel-code-generator writes classes from JSON Schema.
"""

import json
from pathlib import Path
from typing import Any

import yaml

_XDSL_HEAD = """\
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, StringAttr
from xdsl.ir import Dialect
from xdsl.irdl import (
    AnyAttr, IRDLOperation, irdl_op_definition, operand_def, opt_operand_def, prop_def, result_def, var_operand_def,
)
"""
_XDSL_ATTRIBUTES = {"float": "FloatAttr", "int": "IntegerAttr", "list[int]": "AnyAttr()"}
_SCHEMA_TYPES = {"float": "number", "int": "integer", "list[int]": "array"}


def read_definitions(root: Path) -> list[dict[str, Any]]:
    """The definitions of a project in the order of their names, each with what it inherits."""
    known: dict[str, dict[str, Any]] = {}
    for file in sorted((root / "defs" / "graph").glob("*.yaml")):
        own = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        base = known.get(own["base"], {})
        sections = {key: {**base.get(key, {}), **own.get(key, {})} for key in ("operands", "attributes")}
        known[own["name"]] = {**own, **sections}
    return list(known.values())


def write_xdsl_module(definitions: list[dict[str, Any]], target: Path) -> None:
    """A Python module that defines an operation for each definition, and a dialect of them."""
    lines = [_XDSL_HEAD]
    for each in definitions:
        lines += ["@irdl_op_definition", f"class {each['name']}(IRDLOperation):", f'    """{each["summary"]}"""']
        lines.append(f'    name = "graph.{each["name"].lower()}"')
        for name, facts in each["operands"].items():
            kind = "var_" if facts.get("variadic") else "opt_" if facts.get("optional") else ""
            lines.append(f"    {name} = {kind}operand_def()")
        for name, facts in each["attributes"].items():
            lines.append(f"    {name} = prop_def({_XDSL_ATTRIBUTES.get(facts.get('type', 'float'), 'StringAttr')})")
        lines += ["    result = result_def()", ""]
    names = ", ".join(each["name"] for each in definitions)
    lines += [f"print(len(list(Dialect('graph', [{names}]).operations)))", ""]
    target.write_text("\n".join(lines), encoding="utf-8")


def write_schemas(definitions: list[dict[str, Any]], folder: Path) -> None:
    """A JSON Schema for each definition, its operands and attributes as properties."""
    folder.mkdir()
    for each in definitions:
        fields = {**each["operands"], **each["attributes"]}
        properties = {name: _property(facts) for name, facts in fields.items()}
        schema = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": each["name"],
            "description": f"{each['summary']}\n\n{each['doc']}",
            "type": "object",
            "properties": properties,
            "required": [
                name for name, facts in fields.items() if not facts.get("optional") and "default" not in facts
            ],
        }
        (folder / f"{each['name']}.json").write_text(json.dumps(schema), encoding="utf-8")


def _property(facts: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"type": _SCHEMA_TYPES.get(facts.get("type", ""), "string")}
    words = {
        "minimum": "min",
        "maximum": "max",
        "multipleOf": "multiple_of",
        "default": "default",
        "description": "doc",
    }
    found.update({word: facts[key] for word, key in words.items() if key in facts})
    return {**found, "items": {"type": "integer"}} if found["type"] == "array" else found
