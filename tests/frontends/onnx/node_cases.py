"""The tests that come with onnx, each with a model; collecting them takes seconds, so it is done once a process."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

from onnx import TensorProto, numpy_helper
from onnx.backend.test.case import model as model_cases
from onnx.backend.test.case import node as node_cases


@cache
def cases() -> list[Any]:
    """The node tests of onnx with a model in them, and its tests of small models."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [*node_cases.collect_testcases(None), *model_cases.collect_testcases()]
    return [case for case in found if case.model is not None]


def array(held: Any) -> Any:
    """Return an input or output of a test as what the interpreter takes and gives."""
    return numpy_helper.to_array(held) if isinstance(held, TensorProto) else held
