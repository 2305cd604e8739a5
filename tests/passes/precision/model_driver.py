"""The command line on one model: `Driver(folder)` converts `m.onnx` to `out.onnx`, with a report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from passes.__main__ import main


class Driver:
    """The command line on one model."""

    def __init__(self, folder: Path) -> None:
        self.source, self.out, self.report = folder / "m.onnx", folder / "out.onnx", folder / "report.json"
        self.folder = folder

    def run(self, *words: str, policy: str = "autocast-f16") -> int:
        places = ["-o", str(self.out), "--report", str(self.report)]
        return main([str(self.source), *places, "--policy", policy, *words])

    @property
    def result(self) -> onnx.ModelProto:
        result = onnx.load(self.out)
        onnx.checker.check_model(result, full_check=True)
        return result

    @property
    def precisions(self) -> dict[str, tuple[str, str]]:
        lines = json.loads(self.report.read_text())["instructions"]
        return {line["value"]: (line["precision"], line["rule"]) for line in lines}

    def inputs(self, **arrays: Any) -> str:
        np.savez(self.folder / "in.npz", **arrays)
        return str(self.folder / "in.npz")
