"""Operators as the onnx library knows them: `schema_of("ai.onnx", "Softmax", 12)` is that of Softmax-11.

The IR always spells the standard domain out, `ai.onnx`; files and the library may, and do, leave it empty.

Deliberately absent: the newest schema in place of one that the library cannot have, which is what it gives itself.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from onnx import defs

from runtime.generic import ONNX_DOMAIN

NEWEST: Final = defs.onnx_opset_version()
"""The newest operator set of the standard domain that the library knows."""


@cache  # the library takes 10 us, for each node of a model
def schema_of(domain: str, op_type: str, version: int) -> defs.OpSchema | None:
    """Return the schema of an operator in a version of the operator set of its domain, None where none is known."""
    if domain == ONNX_DOMAIN and version > NEWEST:
        return None
    try:
        return defs.get_schema(op_type, version, domain_in_files(domain))
    except defs.SchemaError:
        return None


def domain_in_files(domain: str) -> str:
    """Return a domain of the IR as files have it."""
    return "" if domain == ONNX_DOMAIN else domain


def domain_in_ir(domain: str) -> str:
    """Return a domain of a file as the IR has it, never empty."""
    return domain or ONNX_DOMAIN
