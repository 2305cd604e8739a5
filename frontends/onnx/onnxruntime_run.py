"""Running a module on onnxruntime, where it is installed and has kernels: `run(module, inputs)`, `largest(...)`.

Deliberately absent: numbers of bf16, and types that numpy has not. What cannot be run is said, and is no error.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from frontends.onnx import run_on_onnxruntime
from frontends.onnx.errors import OnnxError
from frontends.onnx.naming import names_of
from frontends.onnx.plan import plan_of
from frontends.onnx.write_model import save
from runtime.dtypes import f32
from runtime.functions import Module
from runtime.generic import OnnxNode
from runtime.values import Operand

_AT_ONCE: Final = 32  # values that are in memory at once when they are measured


def run(module: Module, inputs: Mapping[str, Any]) -> list[Any] | str:
    """Return the outputs of a module in order, or why onnxruntime does not give them."""
    return _run(module, inputs, partial(save, module))


def largest(module: Module, inputs: Mapping[str, Any]) -> dict[Operand, float] | str:
    """Return the largest finite magnitude of what each node gives that is in no sub-graph, or why there is none."""
    main = module.root_function
    names = names_of(plan_of(main)).values
    nodes = [inst for inst in main.insts if isinstance(inst, OnnxNode) and inst.parent is main.body]
    results = [result for node in nodes for result in node.results if result in names]
    wanted = [one for one in results if one.type.dtype in (None, f32)]
    found: dict[Operand, float] = {}
    for at in range(0, len(wanted), _AT_ONCE):  # what a file gives is in memory at once
        part = wanted[at : at + _AT_ONCE]
        outputs = [names[one] for one in part]
        sizes = _run(module, inputs, partial(save, module, more_outputs=outputs), outputs)
        if isinstance(sizes, str):
            return sizes
        found.update((value, float(one)) for value, one in zip(part, sizes[0], strict=True) if one == one)
    return found


def _run(
    module: Module, inputs: Mapping[str, Any], write: Callable[[str], None], measured: Sequence[str] = ()
) -> list[Any] | str:
    if find_spec("onnxruntime") is None:
        return "onnxruntime is not installed"
    arrays = [np.asarray(one) for one in inputs.values()]
    if not all(one.dtype.kind in "biuf" for one in arrays):
        return "an input is no tensor of numbers that numpy has"
    with tempfile.TemporaryDirectory() as folder:
        model, given, found, names = (
            str(Path(folder, name)) for name in ("model.onnx", "inputs.npz", "outputs.npz", "names.json")
        )
        try:
            write(model)
        except OnnxError as error:
            return str(error)
        np.savez(given, *arrays)
        Path(names).write_text(json.dumps([[*inputs], [*measured]]), encoding="utf-8")
        command = [sys.executable, "-P", run_on_onnxruntime.__file__, model, given, found, names]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode == 1:
            return done.stdout.strip() or "onnxruntime failed"
        if done.returncode:
            return f"onnxruntime crashed (exit status {done.returncode})"
        with np.load(found) as outputs:
            return [outputs[f"arr_{at}"] for at in range(len(outputs.files))]
