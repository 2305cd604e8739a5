"""All laws on random programs, and that the pass finds something to do in them."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.passes.laws import run_under_laws
from tests.passes.random_chains import random_program

seeds = st.integers(0, 10**9)


@given(seeds)
@example(1)
@settings(max_examples=150)
def test_random_programs_obey_the_laws(seed: int) -> None:
    run_under_laws(random_program(seed), "eliminate-casts")


@pytest.mark.long
@given(seeds)
@settings(max_examples=2000)
def test_many_random_programs_obey_the_laws(seed: int) -> None:
    run_under_laws(random_program(seed, statements=40), "eliminate-casts")


def test_the_random_programs_are_worth_running() -> None:
    outcomes = [run_under_laws(random_program(seed), "eliminate-casts") for seed in range(60)]
    values = sum(inst.dst is None for outcome in outcomes for inst in outcome.skipped)
    tensors = sum(inst.dst is not None for outcome in outcomes for inst in outcome.skipped)
    assert values > 10 and tensors > 20, f"{values} values and {tensors} tensors are no longer rounded"
