"""Running a module on onnxruntime, where it is installed and has kernels: `run(module, inputs)`, `largest(...)`.

Deliberately absent: numbers of bf16, and types that numpy has not. What cannot be run is said, and is no error.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from frontends.onnx import run_on_onnxruntime
from frontends.onnx.errors import OnnxError
from frontends.onnx.naming import names_of
from frontends.onnx.plan import plan_of
from frontends.onnx.write_model import save
from runtime.functions import Module
from runtime.generic import OnnxNode
from runtime.values import Operand


def run(module: Module, inputs: Mapping[str, Any]) -> list[Any] | str:
    """Return the outputs of a module in order, or why onnxruntime does not give them."""
    return _run(module, inputs, lambda path: save(module, path))


def largest(module: Module, inputs: Mapping[str, Any]) -> dict[Operand, float] | str:
    """Return the largest finite magnitude of what each node gives that is in no sub-graph, or why there is none."""
    main = module.root_function
    names = names_of(plan_of(main)).values
    nodes = [inst for inst in main.insts if isinstance(inst, OnnxNode) and inst.parent is main.body]
    results = [result for node in nodes for result in node.results if result in names]
    wanted = [one for one in results if one.type.dtype is None or one.type.dtype.is_float]
    outputs = [names[one] for one in wanted]
    found = _run(module, inputs, lambda path: save(module, path, more_outputs=outputs), json.dumps(outputs))
    if isinstance(found, str):
        return found
    return {value: float(one) for value, one in zip(wanted, found[0], strict=True) if one == one}


def _run(module: Module, inputs: Mapping[str, Any], write: Callable[[str], None], *words: str) -> list[Any] | str:
    if find_spec("onnxruntime") is None:
        return "onnxruntime is not installed"
    arrays = [np.asarray(one) for one in inputs.values()]
    if not all(one.dtype.kind in "biuf" for one in arrays):
        return "an input is no tensor of numbers that numpy has"
    with tempfile.TemporaryDirectory() as folder:
        model, given, found = (str(Path(folder, name)) for name in ("model.onnx", "inputs.npz", "outputs.npz"))
        try:
            write(model)
        except OnnxError as error:
            return str(error)
        np.savez(given, *arrays)
        command = [sys.executable, "-P", run_on_onnxruntime.__file__, model, given, found, json.dumps([*inputs])]
        done = subprocess.run([*command, *words], capture_output=True, text=True, errors="replace", check=False)
        if done.returncode == 1:
            return done.stdout.strip() or "onnxruntime failed"
        if done.returncode:
            return f"onnxruntime crashed (exit status {done.returncode})"
        with np.load(found) as outputs:
            return [outputs[f"arr_{at}"] for at in range(len(outputs.files))]
