"""All laws of the numeric passes, and of their chain, on random kernels: loads, products, loops, regions, constants."""

from itertools import product

import pytest

from runtime.text.printer import print_module
from tests.passes.laws import Outcome, run_under_laws
from tests.passes.random_kernels import random_kernel

TYPES = ("bf16", "fp16", "tf32", "fp8_e4m3")
MODES = [
    f"auto-cast-fp32{{mode={mode}, type={type}, inline={inline}}}"
    for mode, type, inline in product(("matmult", "all"), TYPES, ("true", "false"))
]
INPUTS = [f"auto-cast-inputs{{type={type}, inline={inline}}}" for type, inline in product(TYPES, ("true", "false"))]
PIPELINES = {
    "auto-cast-fp32": MODES,
    "auto-cast-inputs": INPUTS,
    "auto-cast-tc-inputs": [f"auto-cast-tc-inputs{{type={type}}}" for type in TYPES],
    "dtype-mutator": ["dtype-mutator"],
    "eliminate-dead-code": ["eliminate-dead-code"],
    "enforce-alu-dt-acc": ["enforce-alu-dt-acc"],
    "fold-casts": ["fold-casts"],
}
CHAIN = ("share-casts", "fold-casts", "enforce-alu-dt-acc", "dtype-mutator", "eliminate-casts", "eliminate-dead-code")


def run_one(name: str, seed: int, statements: int) -> Outcome:
    pipelines = PIPELINES[name]
    return run_under_laws(random_kernel(seed, statements), pipelines[seed % len(pipelines)])


def run_chain(seed: int, statements: int) -> None:
    """Run each pass of the chain under the laws, on what the one before has left."""
    text = random_kernel(seed, statements)
    for pipeline in (MODES[seed % len(MODES)], *CHAIN):
        text = print_module(run_under_laws(text, pipeline).after)


@pytest.mark.parametrize("name", PIPELINES)
def test_random_kernels_obey_the_laws(name: str) -> None:
    changed = sum(run_one(name, seed, statements=9).changed for seed in range(32))
    assert changed > 2, f"only {changed} of 32 programs gave it something to do"


def test_the_chain_obeys_the_laws_on_random_kernels() -> None:
    for seed in range(1000, 1016):
        run_chain(seed, statements=9)


@pytest.mark.long
@pytest.mark.parametrize("name", PIPELINES)
def test_many_random_kernels_obey_the_laws(name: str) -> None:
    for seed in range(10_000, 11_800):
        run_one(name, seed, statements=22)


@pytest.mark.long
def test_the_chain_obeys_the_laws_on_many_random_kernels() -> None:
    for seed in range(20_000, 21_000):
        run_chain(seed, statements=22)
