"""The numeric passes one after another, on random kernels: loads, products, loops, regions, constants."""

from itertools import product

import pytest

from runtime.text.printer import print_module
from tests.passes.laws import Original, run_on
from tests.passes.random_kernels import random_kernel

TYPES = ("bf16", "fp16", "tf32", "fp8_e4m3")
MODES = [
    f"auto-cast-fp32{{mode={mode}, type={type}, inline={inline}}}"
    for mode, type, inline in product(("matmult", "all"), TYPES, ("true", "false"))
]
CHAIN = ("share-casts", "fold-casts", "enforce-alu-dt-acc", "dtype-mutator", "eliminate-casts", "eliminate-dead-code")


def run_chain(seed: int, statements: int) -> int:
    """Run each pass of the chain under the laws, on what the one before has left; return how many changed it."""
    original, changed = Original.of(random_kernel(seed, statements)), 0
    for pipeline in (MODES[seed % len(MODES)], *CHAIN):
        outcome = run_on(original, pipeline, thorough=seed % 4 == 0)
        if outcome.changed:
            original = Original(print_module(outcome.after), outcome.after)
            changed += 1
    return changed


def test_the_chain_obeys_the_laws_on_random_kernels() -> None:
    changed = sum(run_chain(seed, statements=9) for seed in range(1000, 1016))
    assert changed > 2 * 16, f"only {changed} of {16 * (1 + len(CHAIN))} runs changed anything"


@pytest.mark.long
@pytest.mark.first
def test_the_chain_obeys_the_laws_on_many_random_kernels() -> None:
    for seed in range(20_000, 21_000):
        run_chain(seed, statements=16)
