"""The validator of the library, which does not try the records of two hundred other instructions on each instruction.

A record is chosen by `{"if": {"properties": {"op": {"const": mnemonic}}}, "then": ...}`. The library builds a validator
and an error for each of them; here those of another mnemonic are passed over, which takes a tenth of the time. All else
is the library's.
"""

from collections.abc import Iterator
from typing import Any

import jsonschema
from jsonschema.protocols import Validator

_ALL_OF: Any = jsonschema.Draft202012Validator.VALIDATORS["allOf"]
_EXTEND: Any = jsonschema.validators.extend  # the types of the library say nothing of it


def quick_validator(schema: dict[str, Any]) -> Validator:
    """Return a validator that says what the library's says."""
    chosen = schema["$defs"]["instruction"]["allOf"]
    of_mnemonic = {each["if"]["properties"]["op"]["const"]: [each] for each in chosen}
    assert all(
        {"if": {"properties": {"op": {"const": op}}}} == {"if": each["if"]} for op, [each] in of_mnemonic.items()
    )
    assert len(of_mnemonic) == len(chosen)

    def all_of(validator: Any, schemas: list[Any], instance: Any, whole: Any) -> Iterator[Any]:
        if schemas is chosen and isinstance(instance, dict) and isinstance(instance.get("op"), str):
            schemas = of_mnemonic.get(instance["op"], [])
        yield from _ALL_OF(validator, schemas, instance, whole)

    validator: Validator = _EXTEND(jsonschema.Draft202012Validator, {"allOf": all_of})(schema)
    return validator
