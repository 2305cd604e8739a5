"""BIR: programs as JSON, for other tools and for later.

    {"format": "brewer-bir", "version": 1, "target": "trn2", "functions": [
    {"name": "main", "args": [["%a", "f32[2,3]"]], "tensors": [
    {"name": "%x", "dtype": "f32", "shape": [128, 512], "memory": "dram", "input": true}
    ], "body": [
    {"op": "load", "version": 1, "results": [["%0", "f32[128,512]"]], "args": [{"tensor": "%x"}]},
    {"loop": "%i", "lower": 0, "step": 1, "times": 4, "body": [
    {"op": "copy", "version": 1, "dst": {"tensor": "%y", "offset": [0, ["%i", 128]], "pairs": [[512, 128], [1, 128]]},
     "args": ["%0"], "engine": "vector"}
    ]}
    ]}
    ]}

A file in this layout, the long lists last and whatever the white space, is read statement by statement, so that it is
never in memory beside its program; in another layout as a whole. `python -m brewer schema --bir` prints the schema.

A file has a format version, and each instruction that of its definition. `args` holds the operands in the order of the
definition: `"%0"` a value, an object an access, `"none"` an operand that is absent, a list a variadic operand. `fields`
holds the attributes that are not their default. A reference of digits only stands for a value without a name; a value
whose own name is taken has a number, and its name as the third part of its definition: `["%7", "f32[2]", "h"]`.

A node of a foreign dialect has `attributes` besides, each with its kind, and regions that they name:

    {"op": "onnx.initializer", "version": 1, "results": [["%w", "f32[2]"]],
     "fields": {"value": {"type": "f32[2]", "data": "AACAPwAAAEA=", "carried": "KgNCAXc="}}},
    {"op": "onnx.node", "version": 1, "results": [["%0", "unknown"], ["%y", "f32[2]"]], "args": [["%w", "none", "%a"]],
     "fields": {"op_type": "Loop", "absent": [0]}, "attributes": {"axis": -1, "body": {"region": 0}}, "regions": [
    {"args": [["%i", "i64[]"]], "defaults": [["%i", {"type": "i64[]", "splat": "AAAAAAAAAAA="}]], "body": []}
    ]}

`carried`, of a program, function, region, node or tensor, are bytes in base64 that only its front end reads; a function
may state `operator_sets`, versions by domain. So a model comes back whole, without the files that it was read from.

Deliberately absent: comments, defaults, and anything that follows from the rest, save for the few derived fields that a
definition asks for; reading checks those.
"""

from __future__ import annotations

from runtime.bir.read import read_bir
from runtime.bir.write import bir_text, write_bir

__all__ = ["bir_text", "read_bir", "write_bir"]
