"""`mlir-opt -canonicalize` on round trips of f32 through bf16, where it is installed.

Deliberately absent: its time without parsing and printing, which it does not tell.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.measure import growth_exponent

TOOL = "mlir-opt"
_COMMAND = (TOOL, "-canonicalize", "-o", os.devnull)


@dataclass(frozen=True)
class PeerRow:
    """One row of the table of passes."""

    cells: list[str]


def canonicalized(sizes: Sequence[int]) -> list[PeerRow]:
    """Return the row of the peer; nothing where it is not installed."""
    if shutil.which(TOOL) is None:
        return []
    times = [_seconds(size) for size in sizes]
    each = [f"{time * 1e6 / size:.2f}" for time, size in zip(times, sizes, strict=True)]
    return [PeerRow(["mlir-opt -canonicalize", "round trips", *each, f"{growth_exponent(sizes, times):.3f}"])]


def _seconds(statements: int) -> float:
    """Return the CPU time of the tool on so many statements, that of its children included."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trips.mlir"
        file.write_text(round_trips(statements), encoding="utf-8")
        before = os.times()
        subprocess.run([*_COMMAND, str(file)], check=True, capture_output=True)
        after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def round_trips(statements: int) -> str:
    """Return a function in which each value is rounded to bf16, widened again and used, as text of MLIR."""
    lines = ["func.func @main(%v0: tensor<128x128xf32>) -> tensor<128x128xf32> {"]
    wide, narrow = "tensor<128x128xf32>", "tensor<128x128xbf16>"
    for number in range(statements // 3):
        lines += [
            f"  %n{number} = arith.truncf %v{number} : {wide} to {narrow}",
            f"  %w{number} = arith.extf %n{number} : {narrow} to {wide}",
            f"  %v{number + 1} = arith.addf %w{number}, %v{number} : {wide}",
        ]
    return "\n".join([*lines, f"  return %v{statements // 3} : {wide}", "}"]) + "\n"
