"""Running a module on onnxruntime, where it is installed and has kernels: `run(module, inputs)`.

Deliberately absent: numbers of bf16, and types that numpy has not. What cannot be run is said, and is no error.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from frontends.onnx import run_on_onnxruntime
from frontends.onnx.errors import OnnxError
from frontends.onnx.write_model import save
from runtime.functions import Module


def run(module: Module, inputs: Mapping[str, Any]) -> list[Any] | str:
    """Return the outputs of a module in order, or why onnxruntime does not give them."""
    if find_spec("onnxruntime") is None:
        return "onnxruntime is not installed"
    arrays = [np.asarray(one) for one in inputs.values()]
    if not all(one.dtype.kind in "biuf" for one in arrays):
        return "an input is no tensor of numbers that numpy has"
    with tempfile.TemporaryDirectory() as folder:
        model, given, found = (str(Path(folder, name)) for name in ("model.onnx", "inputs.npz", "outputs.npz"))
        try:
            save(module, model)
        except OnnxError as error:
            return str(error)
        np.savez(given, *arrays)
        words = [sys.executable, "-P", run_on_onnxruntime.__file__, model, given, found, json.dumps([*inputs])]
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode == 1:
            return done.stdout.strip() or "onnxruntime failed"
        if done.returncode:
            return f"onnxruntime crashed (exit status {done.returncode})"
        with np.load(found) as outputs:
            return [outputs[f"arr_{at}"] for at in range(len(outputs.files))]
