"""All laws on random programs, for every pass and pipeline that is registered, and that there is something to do.

A pass is found in the table, whatever it is called: it gets the laws from its first day. `random_shares.py` says how
many programs of which kind it meets.
"""

from random import Random

import pytest

from passes.pipelines import PIPELINES
from passes.registry import PASSES
from tests.passes import random_shares
from tests.passes.laws import pipelines_of, run_under_laws
from tests.passes.random_chains import random_program
from tests.passes.random_shares import (
    BY_DEFAULT,
    KINDS,
    LONG,
    PARTS,
    PARTS_THAT_RUN,
    SHARES,
    Part,
    random_pipeline,
    run_part,
    shares_of,
)


@pytest.mark.parametrize("part", PARTS_THAT_RUN, ids=str)
def test_random_programs_obey_the_laws(part: Part) -> None:
    changed = run_part(part, BY_DEFAULT, first=0, statements=9)
    idle = [name for name, count in changed.items() if part == Part(_favourite(name), 0) and not count]
    assert not idle, f"{BY_DEFAULT} programs gave nothing to do to {idle}"


@pytest.mark.parametrize("name", [*PASSES, *PIPELINES])
def test_each_pass_alone_obeys_the_laws(name: str) -> None:
    for kind in shares_of(name):
        run_part(Part(kind, 0), 3, first=0, statements=9, names=(name,))


@pytest.mark.long
@pytest.mark.first
@pytest.mark.parametrize("part", PARTS_THAT_RUN, ids=str)
def test_many_random_programs_obey_the_laws(part: Part) -> None:
    run_part(part, LONG, first=100_000, statements=14, thorough=1.0)


@pytest.mark.parametrize("name", [*PASSES, *PIPELINES])
def test_everybody_meets_as_many_programs(name: str) -> None:
    parts = sum(name in part.names for part in PARTS_THAT_RUN)
    assert (parts * BY_DEFAULT, parts * LONG) == (500, 10_000)


def test_the_table_names_nobody_else() -> None:
    assert {*SHARES} <= {*PASSES, *PIPELINES}
    assert all({*shares} <= {*KINDS} for shares in SHARES.values())


def test_a_pass_that_is_not_in_the_table_meets_every_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PASSES, "fresh", PASSES["fold-casts"])
    assert [part.kind for part in PARTS_THAT_RUN if "fresh" in part.names] == [kind for kind in KINDS for _ in "12"]


def test_programs_of_different_parts_are_different() -> None:
    seeds = [seed for number in range(PARTS) for seed in Part("chains", number).seeds(LONG, 100_000)]
    assert len({*seeds}) == PARTS * LONG


def _favourite(name: str) -> str:
    shares = shares_of(name)
    return max(shares, key=lambda kind: shares[kind])


def test_a_broken_law_names_pipeline_and_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise AssertionError("broken")

    monkeypatch.setattr(random_shares, "run_on", broken)
    with pytest.raises(AssertionError, match="broken") as error:
        run_part(Part("offloaded", 0), 1, first=0, statements=4)
    (note,) = error.value.__notes__
    assert note.startswith("cast-op-elimination on offloaded 0:\ntarget trn2\n\nfunc @main(")


def test_every_value_that_an_option_lists_is_tried() -> None:
    assert pipelines_of("eliminate-casts") == ("eliminate-casts", "eliminate-casts{allow_excess_precision=true}")
    random = Random(0)
    tried = {random_pipeline("enforce-alu-dt-acc", random) for _ in range(50)}
    option = "enable_mixed_precision_accumulation"
    assert tried == {"enforce-alu-dt-acc", *(f"enforce-alu-dt-acc{{{option}={word}}}" for word in ("false", "true"))}
    assert {random_pipeline("fold-casts", random) for _ in range(50)} == {"fold-casts"}
    assert len({random_pipeline("numeric-chain", random) for _ in range(1000)}) == 1 + 3 * 4 * 2 * 2


def test_the_random_programs_are_worth_running() -> None:
    outcomes = [run_under_laws(random_program(seed), "eliminate-casts") for seed in range(60)]
    values = sum(inst.dst is None for outcome in outcomes for inst in outcome.skipped)
    tensors = sum(inst.dst is not None for outcome in outcomes for inst in outcome.skipped)
    assert values > 10 and tensors > 20, f"{values} values and {tensors} tensors are no longer rounded"
