"""The front end for ONNX models as drivers take it: `front_end()`, for files that end in `.onnx`.

Deliberately absent: imports of what few runs need. The reference of ONNX and onnxruntime are loaded when they are asked
for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from frontends.onnx.data_files import data_files
from frontends.onnx.errors import BrokenModelError, ExternalDataError, OnnxError
from frontends.onnx.read_model import SIGNATURES, load
from frontends.onnx.write_model import save
from runtime.front_ends import FrontEnd
from runtime.functions import Module


def front_end() -> FrontEnd:
    """Return what reads, writes and runs models."""
    return FrontEnd(
        load=load,
        save=save,
        error=OnnxError,
        signatures=SIGNATURES,
        broken=(BrokenModelError, ExternalDataError),
        data_files=data_files,
        run=_run,
        name_values=_name,
    )


def _run(module: Module, inputs: Mapping[str, Any]) -> list[Any] | str:
    """Return what onnxruntime makes of a module, or why it does not."""
    from frontends.onnx.onnxruntime_run import run

    return run(module, inputs)


def _name(module: Module) -> None:
    """Give the values of a module the names that they have in a file."""
    from frontends.onnx.naming import name_as_written

    name_as_written(module)
