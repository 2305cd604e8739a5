"""All laws on random programs, for every pass that is registered, and that there is something to do in them.

A pass is found in the table, whatever it is called: it gets the laws from its first day. Each of its options that lists
its values (`true|false`, words) is tried with each of them.
"""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from passes.registry import PASSES
from tests.passes.laws import pipelines_of, run_under_laws
from tests.passes.random_chains import random_program

seeds = st.integers(0, 10**9)
by_default = st.just(0)  # no options
any_options = st.integers(0, 1000)


@pytest.mark.parametrize("name", PASSES)
@given(seeds, by_default | any_options)
@example(1, 0)
@settings(max_examples=60)
def test_random_programs_obey_the_laws(name: str, seed: int, choice: int) -> None:
    pipelines = pipelines_of(name)
    run_under_laws(random_program(seed), pipelines[choice % len(pipelines)])


@pytest.mark.long
@pytest.mark.parametrize("name", PASSES)
@given(seeds, by_default | any_options)
@settings(max_examples=2000)
def test_many_random_programs_obey_the_laws(name: str, seed: int, choice: int) -> None:
    pipelines = pipelines_of(name)
    run_under_laws(random_program(seed, statements=40), pipelines[choice % len(pipelines)])


def test_the_random_programs_are_worth_running() -> None:
    outcomes = [run_under_laws(random_program(seed), "eliminate-casts") for seed in range(60)]
    values = sum(inst.dst is None for outcome in outcomes for inst in outcome.skipped)
    tensors = sum(inst.dst is not None for outcome in outcomes for inst in outcome.skipped)
    assert values > 10 and tensors > 20, f"{values} values and {tensors} tensors are no longer rounded"


def test_every_value_that_an_option_lists_is_tried() -> None:
    assert pipelines_of("eliminate-casts") == ("eliminate-casts", "eliminate-casts{allow_excess_precision=true}")
