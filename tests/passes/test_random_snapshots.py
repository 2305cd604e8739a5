"""All laws on random programs that read tensors at other times than they were cast, and that this is tried often."""

import pytest

from tests.passes.laws import run_under_laws
from tests.passes.random_snapshots import random_snapshots

PASSES = ("dtype-mutator", "eliminate-casts", "eliminate-dead-code", "fold-casts", "share-casts")


@pytest.mark.parametrize("name", PASSES)
def test_reads_at_other_times_obey_the_laws(name: str) -> None:
    changed = sum(run_under_laws(random_snapshots(seed), name).changed for seed in range(12))
    assert changed, "none of 12 programs gave it something to do"


@pytest.mark.long
@pytest.mark.parametrize("name", PASSES)
def test_many_reads_at_other_times_obey_the_laws(name: str) -> None:
    for seed in range(10_000, 12_000):
        run_under_laws(random_snapshots(seed, statements=20), name)
