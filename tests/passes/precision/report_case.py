"""A case of a public report: a model as text, what it is run on, and what comes of it under both policies.

    // A sentence of intent.
    // reports: occ#320, ort#25522
    // weight: w = eye(4)
    // feed: x = random(4)
    g (float[4] x) => (float[4] y) { y = MatMul(x, w) }
    // expect
    autocast-f16
      ...

Headers: `opset` (17), `reports`, `weight` and `feed` (NumPy expressions), `within` (the largest error, of the largest
result or 1), `as input` (weights that are inputs too), `ir` (10), `keep` (patterns).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import ml_dtypes
import numpy as np
import onnx
from onnx import ModelProto, TensorProto, helper, numpy_helper, parser

from tests.case_files import CaseFile

_HEADER: Final = re.compile(r"// ([a-z ]+): (.*)")
_WORDS: Final[dict[str, Any]] = {
    "np": np,
    "f32": np.float32,
    "f16": np.float16,
    "f64": np.float64,
    "i64": np.int64,
    "i32": np.int32,
    "u8": np.uint8,
    "i8": np.int8,
    "bf16": ml_dtypes.bfloat16,
    "f8": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "full": lambda shape, number: np.full(shape, number, np.float32),
    "row": lambda *numbers: np.array(numbers, np.float32),
    "integers": lambda *numbers: np.array(numbers, np.int64),
    "eye": lambda size: np.eye(size, dtype=np.float32),
    "ramp": lambda *shape: np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape),
    "random": lambda *shape: np.asarray(np.random.default_rng(0).standard_normal(shape), np.float32),
}


@dataclass(frozen=True)
class ReportCase:
    """What a case file says."""

    model: ModelProto
    feeds: Mapping[str, Any]
    reports: tuple[str, ...]
    within: float = 0.02
    keep: tuple[str, ...] = ()
    names: tuple[str, ...] = field(default=())  # of the outputs

    @staticmethod
    def of(file: CaseFile) -> ReportCase:
        """Return the case in a file."""
        headers: dict[str, list[str]] = {}
        lines = []
        for line in file.text.splitlines()[1:]:
            found = _HEADER.fullmatch(line)
            if found:
                headers.setdefault(found[1], []).append(found[2])
            else:
                lines.append(line)
        (opset,) = headers.pop("opset", ["17"])
        (ir,) = headers.pop("ir", ["10"])
        (within,) = headers.pop("within", ["0.02"])
        reports, keep = headers.pop("reports", []), headers.pop("keep", [])
        weights, feeds = (dict(map(_array, headers.pop(key, []))) for key in ("weight", "feed"))
        as_inputs = headers.pop("as input", [])
        assert not headers, f"{file.path.name}: what is {headers}?"
        imports = f'"" : {opset}' + ', "local" : 1' * ("local" in file.text)
        model = parser.parse_model(f"<ir_version: {ir}, opset_import: [{imports}]> " + "\n".join(lines))
        for name, array in weights.items():
            model.graph.initializer.append(_tensor(array, name))
        for name in as_inputs:
            held = model.graph.initializer[list(weights).index(name)]
            model.graph.input.append(helper.make_tensor_value_info(name, held.data_type, list(held.dims)))
        names = tuple(one.name for one in model.graph.output)
        said = tuple(one for line in reports for one in line.split(", "))
        return ReportCase(model, feeds, said, float(within), tuple(keep), names)


def _array(line: str) -> tuple[str, Any]:
    name, _, expression = line.partition(" = ")
    return name, np.asarray(eval(expression, dict(_WORDS)))  # noqa: S307  # of our own files


def _tensor(held: Any, name: str) -> TensorProto:
    array = np.asarray(held)
    return numpy_helper.from_array(array, name)


def listed(model: ModelProto, source: ModelProto) -> list[str]:
    """Return a line for each weight of floats and each node of a model, with the types that ONNX infers.

    The operator set comes first where the model has one that it was raised to.
    """
    inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    first = [f"  operator set {version_of(model)}"] if version_of(model) != version_of(source) else []
    return [*first, *_lines(inferred.graph, "  ")]


def version_of(model: ModelProto) -> int:
    """Return the operator set of a model."""
    return int(next(one.version for one in model.opset_import if one.domain == ""))


def _lines(graph: Any, indent: str) -> Iterator[str]:
    known = [*graph.input, *graph.output, *graph.value_info]
    types = {one.name: _type_name(one.type) for one in known}
    for tensor in graph.initializer:
        if "float" in (name := _element(tensor.data_type)) or name == "double":
            yield f"{indent}{tensor.name}: {name}"
    for node in graph.node:
        results = ", ".join(f"{name}: {types.get(name, '?')}" for name in node.output if name)
        yield f"{indent}{results} = {node.op_type}({', '.join(node.input)})"
        for attribute in node.attribute:
            regions = [attribute.g] if attribute.type == onnx.AttributeProto.GRAPH else attribute.graphs
            for region in regions:
                inside = "".join(f" {one.name}: {_type_name(one.type)}" for one in region.input)
                yield f"{indent}  {attribute.name}{inside}"
                yield from _lines(region, indent + "    ")
    if indent != "  ":
        yield f"{indent}gives {', '.join(one.name for one in graph.output)}"


def _type_name(one: Any) -> str:
    kind = one.WhichOneof("value")
    if kind == "tensor_type":
        return _element(one.tensor_type.elem_type)
    return f"{kind.removesuffix('_type')} of {_type_name(getattr(one, kind).elem_type)}" if kind else "?"


def _element(code: int) -> str:
    return str(TensorProto.DataType.Name(code)).lower()
