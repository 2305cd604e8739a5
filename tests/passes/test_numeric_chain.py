"""The pipelines `numeric-chain` and `clean-casts` on whole programs, in every mode and to every type.

What it computes is compared with the same formulas in f64, written here with numpy.
"""

from collections.abc import Mapping
from itertools import product
from math import erf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from passes.build import build_pipeline
from passes.framework.pass_manager import PassManager
from runtime.functions import Module
from runtime.instruction_set import standard
from runtime.interpreter import run
from runtime.targets import parse_target
from runtime.text.parser import parse
from runtime.text.printer import print_module
from runtime.verifier import verify
from tests.passes.laws import check_forms
from tests.passes.random_shares import KINDS

PROGRAMS = Path(__file__).parent / "programs"
UNITS = {"bf16": 2.0**-8, "fp16": 2.0**-11, "tf32": 2.0**-12, "fp8_e4m3": 2.0**-4}
"""Half a unit in the last place, relative: 8, 11, 12 and 4 significant bits. tf32 stands for fp32r, with 12 bits."""

MODES = [("none", "bf16"), *((mode, type) for mode in ("matmult", "all") for type in UNITS)]


def program(name: str) -> Module:
    return parse((PROGRAMS / f"{name}.txt").read_text(encoding="utf-8"), standard())


def chained(module: Module, mode: str, type: str, inline: str = "true") -> Module:
    """Return what the chain makes of a program, which is verified after each pass."""
    target = None if module.target is None else parse_target(module.target)
    steps = build_pipeline(f"numeric-chain{{mode={mode},type={type},inline={inline}}}", target)
    after = module.clone()
    PassManager(steps, check=lambda one: verify(one, target)).run(after)
    return after


def inputs_of(name: str) -> dict[str, Any]:
    """Return inputs as a trained model has them: of about 1, weights of 1 / sqrt(inputs)."""
    random = np.random.default_rng(3)

    def normal(*shape: int) -> Any:
        return random.standard_normal(shape).astype(np.float32)

    if name.startswith("attention"):
        k = normal(2, 16, 8)
        q = normal(2, 8, 16) if name.endswith("graph") else normal(2, 16, 8)
        return {"q": q, "k": k, "v": normal(2, 8, 16)}
    x, b1, b2 = normal(16, 8), normal(32), normal(16)
    weights = {"w1": normal(16, 32) / np.float32(4), "w2": normal(32, 16) / np.float32(6)}
    if name.endswith("graph"):
        return {"x": x.T.copy(), "b1": b1, "b2": b2, **weights}
    return {"x": x, "b1": b1.reshape(-1, 1), "b2": b2.reshape(-1, 1), **weights}


def in_f64(name: str, given: Mapping[str, Any]) -> Any:
    wide = {key: value.astype(np.float64) for key, value in given.items()}
    if name.startswith("attention"):
        q = wide["q"] if name.endswith("graph") else wide["q"].transpose(0, 2, 1)
        scores = q @ wide["k"] * 0.25
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        return powers / powers.sum(-1, keepdims=True) @ wide["v"]
    x = wide["x"] if name.endswith("graph") else wide["x"].T
    first = x @ wide["w1"] + wide["b1"].reshape(-1)
    hidden = 0.5 * first * (1 + np.vectorize(erf)(first / np.sqrt(2)))
    return hidden @ wide["w2"] + wide["b2"].reshape(-1)


def relative_error(name: str, module: Module) -> float:
    """Return the root of the mean square of the error, relative to that of the result."""
    given = inputs_of(name)
    found = next(iter(run(module, given).values())).astype(np.float64)
    expected = in_f64(name, given)
    if name == "two_layer_mlp":
        expected = expected.T
    return float(np.sqrt(np.mean((found - expected) ** 2) / np.mean(expected**2)))


@pytest.mark.parametrize("name", ["two_layer_mlp", "attention", "two_layer_mlp_graph", "attention_graph"])
@pytest.mark.parametrize(("mode", "type"), MODES, ids=lambda word: word)
@pytest.mark.parametrize("inline", ["true", "false"])
def test_the_error_is_of_the_size_that_the_type_explains(name: str, mode: str, type: str, inline: str) -> None:
    before = program(name)
    assert not verify(before)
    after = chained(before, mode, type, inline)
    check_forms(after, print_module(after))
    error = relative_error(name, after)
    if mode == "none":
        assert print_module(after) == print_module(before)
        assert error < 1e-6
        return
    assert UNITS[type] / 16 < error < 2 * UNITS[type], f"{error / UNITS[type]:.2f} units"
    interface = [
        (tensor.name, tensor.type) for tensor in before.root_function.tensors.values() if tensor.isInputOrOutput
    ]
    tensors = after.root_function.tensors
    assert [(name, tensors[str(name)].type) for name, _ in interface] == interface


def test_a_second_clean_up_finds_nothing() -> None:
    for kind, seed in product(("chains", "kernels", "snapshots"), range(7_000, 7_040)):
        module = parse(KINDS[kind](seed, 9), standard())
        steps = build_pipeline("clean-casts", parse_target("trn2"))
        PassManager(steps).run(module)
        text = print_module(module)
        again = PassManager(steps).run(module)
        assert not [each.pass_name for each in again if each.changed] and print_module(module) == text, (kind, seed)


def test_what_is_stored_from_psum_goes_through_the_state_buffer() -> None:
    after = chained(program("attention"), "none", "bf16")
    assert "sb_atom_store %o\n" in print_module(after)


@pytest.mark.parametrize("options", ["mode=all", "mode=all inline=false", "mode=matmult"])
def test_the_chain_settles(options: str) -> None:
    for kind, seed in product(("chains", "kernels", "snapshots"), range(10, 30)):
        module = parse(KINDS[kind](seed, 14), standard())
        target = None if module.target is None else parse_target(module.target)
        PassManager(build_pipeline(f"fixpoint{{rounds=8}}(numeric-chain{{{options}}})", target)).run(module)
