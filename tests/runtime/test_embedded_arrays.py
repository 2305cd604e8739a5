"""Arrays in the comments of a program come back as they were, and damage is said."""

import ml_dtypes
import numpy as np
import pytest

from runtime.array_files import as_declared
from runtime.diagnostics import DiagnosticsError
from runtime.embedded_arrays import embedded, read_embedded
from runtime.instruction_set import standard
from runtime.interpreter.inputs import inputs_of
from runtime.names import Names
from runtime.text.parser import parse

PROGRAM = "func @main(%x: f32[300], %y: bf16[2]) {\n  return %x, %y\n}\n"


def test_they_come_back_to_the_bit_and_are_comments() -> None:
    random = np.random.default_rng(0)
    arrays = {"x": random.standard_normal(300).astype(np.float32), "y": np.array([1.5, -2], ml_dtypes.bfloat16)}
    text = PROGRAM + "\n".join(embedded(arrays)) + "\n"
    function = parse(text, standard()).root_function
    assert max(map(len, text.splitlines())) < 120
    read = read_embedded(text, "p.txt")
    assert read is not None
    found = as_declared(read, inputs_of(function, Names(function)))
    assert {name: array.tobytes() for name, array in found.items()} == {
        name: array.tobytes() for name, array in arrays.items()
    }
    assert found["y"].dtype == arrays["y"].dtype


def test_a_program_without_any() -> None:
    assert read_embedded(PROGRAM, "p.txt") is None


def test_equal_arrays_give_equal_text() -> None:
    assert embedded({"x": np.ones(3)}) == embedded({"x": np.ones(3)})


@pytest.mark.parametrize("line", ["// inputs: ", "// inputs: x", "// inputs: eJwDAA==", "// inputs: eJwLzEwBAAJ6ATs="])
def test_damage(line: str) -> None:
    with pytest.raises(DiagnosticsError, match=r"error\[R001\]: the inputs in p.txt cannot be read: "):
        read_embedded(f"{PROGRAM}{line}\n", "p.txt")
