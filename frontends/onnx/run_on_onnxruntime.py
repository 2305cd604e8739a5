"""Runs a model on onnxruntime, on the CPU: `python run_on_onnxruntime.py MODEL INPUTS.npz OUTPUTS.npz NAMES.json`.

It is a program of its own, since onnxruntime crashes on some models, and then only this ends. What it cannot do it
says on standard output, with exit status 1. In NAMES are two lists: of the inputs, which are `arr_0` and so on, and of
outputs. Where there are any in the second one, only the largest finite magnitudes of these are written, a number each,
NaN for what has none.

Deliberately absent: imports of this project.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def main() -> int:
    """Run the model that the command line names; return the exit status."""
    model, inputs, outputs, names = sys.argv[1:]
    try:
        import numpy as np
        import onnxruntime  # type: ignore[import-untyped]

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        with open(names, encoding="utf-8") as file:
            given, measured = json.load(file)
        with np.load(inputs) as arrays:
            feeds = {name: arrays[f"arr_{at}"] for at, name in enumerate(given)}
        if measured:
            np.savez(outputs, np.array(_largest(session.run(measured, feeds)), np.float64))
            return 0
        found = session.run(None, feeds)
        if not all(isinstance(one, np.ndarray) and one.dtype.kind in "biuf" for one in found):
            print("an output is no tensor of numbers")
            return 1
        np.savez(outputs, *found)
    except Exception as error:  # onnxruntime's own classes; their text is what counts
        print(" ".join(str(error).split()) or type(error).__name__)
        return 1
    return 0


def _largest(arrays: list[Any]) -> list[float]:
    import numpy as np

    found = []
    for one in arrays:
        is_float = isinstance(one, np.ndarray) and one.dtype.kind == "f"
        finite = np.abs(one[np.isfinite(one)]) if is_float else []
        found.append(float(np.max(finite)) if len(finite) else float("nan"))
    return found


if __name__ == "__main__":
    sys.exit(main())
