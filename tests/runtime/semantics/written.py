"""What programs write to tensors, for checks of instructions that give no value."""

from __future__ import annotations

from typing import Any

import runtime
from tests.runtime.semantics.check import Array


def written(text: str, /, **inputs: Any) -> Array:
    """Return what a program with one output tensor writes there; a program that is not valid fails the test."""
    module = runtime.parse(text, "check.txt")
    problems = runtime.verify(module)
    assert not problems, "\n".join(map(str, problems))
    (found,) = runtime.run(module, inputs).values()
    return found  # type: ignore[no-any-return]


def moved(line: str, result: str, /, **inputs: tuple[str, Array]) -> Array:
    """Return what one line writes to `%y`; `result` and the inputs have their type and memory, `f32[4] dram`."""
    tensors = "".join(f"  tensor %{name}: {kind} input\n" for name, (kind, _) in inputs.items())
    text = f"func @main() {{\n{tensors}  tensor %y: {result} output\n  {line}\n}}"
    return written(text, **{name: array for name, (_, array) in inputs.items()})
