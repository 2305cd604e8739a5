"""The reference of a program in f64, beside the same formulas in numpy, and what of a program cannot be widened."""

from math import erf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from passes.numerics.reference import reference_of, widened
from runtime.dtypes import f32, f64
from runtime.functions import Module
from runtime.generated_inputs import generated_inputs
from runtime.instruction_set import standard
from runtime.text.parser import parse

PROGRAMS = Path(__file__).parent / "programs"
EXACT = 1e-13  # f64 has 2 ** -53, and sums here are of at most 256 products


def program(name: str) -> Module:
    return parse((PROGRAMS / f"{name}.txt").read_text(encoding="utf-8"), standard())


def gelu(x: Any) -> Any:
    return 0.5 * x * (1 + np.vectorize(erf)(x / np.sqrt(2)))


def softmax(x: Any) -> Any:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def mlp(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
    return w2.T @ gelu(w1.T @ x + b1) + b2


def attention(q: Any, k: Any, v: Any, scale: float) -> Any:
    return softmax(q.transpose(0, 2, 1) @ k * scale) @ v


FORMULAS: dict[str, Any] = {
    "two_layer_mlp": mlp,
    "mlp_tiles": mlp,
    "attention": lambda **given: attention(**given, scale=0.25),
    "attention_tiles": lambda **given: attention(**given, scale=0.125),
    "two_layer_mlp_graph": lambda x, w1, b1, w2, b2: gelu(x @ w1 + b1) @ w2 + b2,
    "attention_graph": lambda q, k, v: attention(q.transpose(0, 2, 1), k, v, 0.25),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_it_is_what_numpy_computes_in_f64(name: str) -> None:
    module = program(name)
    given = generated_inputs(module.root_function, 3)
    found = reference_of(module, "main", given)
    assert found.not_widened == ()
    expected = FORMULAS[name](**{key: array.astype(np.float64) for key, array in given.items()})
    value = next(iter(found.outputs.values()))
    assert value.dtype == np.float64
    assert np.max(np.abs(value - expected)) < EXACT * np.max(np.abs(expected))


def test_constants_and_defaults_keep_their_values() -> None:
    text = """func @main(%x: bf16[2] = dense<[1.0, 0.5]>) {
  %c: f32[2] = graph.constant {value = dense<[0.1, 0.3]>}
  %d: f32[2] = graph.cast %x
  %y: f32[2] = graph.binary mul %c, %d
  return %y
}
"""
    (value,) = reference_of(parse(text, standard()), "main", {}).outputs.values()
    assert value.tolist() == [float(np.float32(0.1)), float(np.float32(0.3)) * 0.5]


def test_a_rounding_of_the_author_is_not_in_it() -> None:
    text = """func @main(%x: f32[2]) {
  %c: bf16[2] = graph.cast %x {rounding = user}
  %d: f32[2] = graph.cast %c
  return %d
}
"""
    given = np.array([1.001, 3e-39], np.float32)
    (value,) = reference_of(parse(text, standard()), "main", {"x": given}).outputs.values()
    assert value.tolist() == given.astype(np.float64).tolist()


def test_the_program_stays_as_it_is() -> None:
    module = program("two_layer_mlp")
    twin, _ = widened(module)
    assert {tensor.dtype for tensor in module.root_function.tensors.values()} == {f32}
    assert {tensor.dtype for tensor in twin.root_function.tensors.values()} == {f64}


def test_bits_under_another_dtype_stay_and_are_said() -> None:
    text = """func @main() {
  tensor %x: f32[4,8] sbuf input
  tensor %y: i32[4,8] sbuf output
  %y = tensor_copy %x[0 | 8:4, 1:8 | as i32]
  return
}
"""
    given = np.arange(32, dtype=np.float32).reshape(4, 8)
    found = reference_of(parse(text, standard()), "main", {"x": given})
    assert found.not_widened == ("%x: its bits are accessed under another dtype",)
    assert found.outputs["y"].tolist() == given.view(np.int32).tolist()


def test_what_is_no_f32_by_its_definition_stays_and_is_said() -> None:
    text = """func @main(%x: f32[4,8]) {
  %s: f32[4,1] = tensor_reduce max %x {reduce_dims = [1]}
  %b: i32[4,8] = offloaded_bitcast %x
  return %s, %b
}
"""
    module = parse(text, standard())
    twin, kept = widened(module)
    assert kept == ("%x: offloaded_bitcast takes its bits",)
    assert [argument.dtype for argument in twin.root_function.args] == [f32]


def test_what_computes_in_f32_whatever_it_reads_is_said() -> None:
    text = """func @main(%x: f32[4,8]) {
  %s: f32[4,6] = bn_stats %x
  return %s
}
"""
    found = reference_of(parse(text, standard()), "main", {"x": np.ones((4, 8), np.float32)})
    assert found.not_widened == ("`%s: f64[4,6] = bn_stats %x` in @main computes in f32",)
