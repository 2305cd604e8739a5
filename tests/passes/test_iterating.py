"""Repetition until nothing changes, and taking back what was done when that fails, counters included."""

from functools import partial

import pytest

from passes.framework.dot_transform import DotTransform
from passes.framework.failure import PassFailure, UnsettledFailure
from passes.framework.pass_manager import Fixpoint, IterativePassManager, Judge, PassManager
from runtime.diagnostics import DiagnosticsError
from runtime.functions import Module
from runtime.instruction_set import standard
from runtime.text.parser import parse
from runtime.text.printer import print_module
from runtime.verifier import verify
from runtime.wrappers.TensorCopyOp import TensorCopyOp
from tests.passes.small_programs import CHAIN, chain
from tests.passes.tiny_passes import Breaks, Claims, Counts, Gives, Narrow, NarrowSecretly, NeverDone

check = partial(verify, target=None, places=None)


def counters() -> tuple[int, int]:
    return Counts.counted, NarrowSecretly.narrowed


def test_steps_are_repeated_until_a_round_changes_nothing() -> None:
    module = chain()
    runs = IterativePassManager([Narrow(), Counts()], check=check).run(module)
    assert [(run.pass_name, run.changed) for run in runs] == [
        ("narrow", True),
        ("counts", False),
        ("narrow", False),
        ("counts", False),
    ]


def test_one_round_is_enough_where_nothing_changes() -> None:
    assert len(IterativePassManager([Counts()], rounds=1).run(chain())) == 1


def test_no_steps_are_settled_at_once() -> None:
    assert IterativePassManager([]).run(chain()) == ()


@pytest.mark.parametrize("rounds", [0, -1])
def test_rounds_begin_with_one(rounds: int) -> None:
    with pytest.raises(ValueError, match=f"settled after one round or more, not after {rounds}"):
        IterativePassManager([Counts()], rounds=rounds)


@pytest.mark.parametrize("rounds", [1, 3])
def test_what_does_not_settle_says_who_is_still_changing(rounds: int) -> None:
    module, before = chain(), counters()
    with pytest.raises(UnsettledFailure) as failure:
        IterativePassManager([Counts(), NeverDone(), Claims()], rounds=rounds, check=check).run(module)
    assert str(failure.value) == (
        f"fixpoint(counts, never-done, claims) still changes the program after {rounds} rounds; in the last one it was"
        " never-done and claims that did"
    )
    assert print_module(module) == CHAIN and counters() == before


def test_without_rollback_it_stays_as_it_is() -> None:
    module = chain()
    with pytest.raises(UnsettledFailure):
        IterativePassManager([NeverDone()], rounds=2, rollback=False).run(module)
    assert "againagain" in print_module(module)


def test_a_fixpoint_that_fails_takes_back_all_of_its_rounds_and_nothing_before_it() -> None:
    module, (counted, narrowed) = chain(), counters()
    with pytest.raises(UnsettledFailure):
        PassManager([Narrow(), Counts(), Fixpoint((Counts(), NeverDone()), 4)], check=check).run(module)
    expected = chain()
    Narrow().runOnModule(expected)
    assert print_module(module) == print_module(expected)
    assert counters() == (counted + 1, narrowed + 2), "what the passes before the fixpoint counted stays"


def test_a_pass_that_fails_inside_a_fixpoint_takes_back_its_own_run_only() -> None:
    module, (counted, narrowed) = chain(), counters()
    with pytest.raises(PassFailure, match="the pass breaks left a program that is wrong"):
        PassManager([Fixpoint((Narrow(), Counts(), Breaks()))], check=check).run(module)
    expected = chain()
    Narrow().runOnModule(expected)
    assert print_module(module) == print_module(expected)
    assert counters() == (counted + 1, narrowed + 2)


def test_what_the_check_refuses_is_counted_by_nobody() -> None:
    class CountsAndBreaks(Counts, Breaks):
        pass_name = "counts-and-breaks"

    module, before = chain(), counters()
    with pytest.raises(PassFailure, match="left a program that is wrong"):
        PassManager([CountsAndBreaks()], check=check).run(module)
    assert print_module(module) == CHAIN and counters() == before


def test_an_interruption_takes_back_too() -> None:
    class Interrupted(NeverDone):
        pass_name = "interrupted"

        def transformTensorCopyOp(self, copy: TensorCopyOp) -> bool:
            super().transformTensorCopyOp(copy)
            raise KeyboardInterrupt

    module = chain()
    with pytest.raises(KeyboardInterrupt):
        PassManager([Interrupted()]).run(module)
    assert print_module(module) == CHAIN


def test_a_failure_names_pass_function_and_statement() -> None:
    with pytest.raises(PassFailure) as failure:
        PassManager([Breaks()], check=check).run(chain())
    said = str(failure.value)
    assert said.startswith("the pass breaks left a program that is wrong:\n\n@main %u: error[V031]: ")
    assert "\n%u: f32[4,8] = activation tanh %c\n" in said
    assert isinstance(failure.value.step, Breaks)


def test_a_judge_that_cannot_tell_takes_back_as_well() -> None:
    class Undecided(Judge):
        def judge(self, transform: DotTransform, module: Module, before: Module, changed: bool) -> tuple[()]:
            raise DiagnosticsError([])

    module = chain()
    with pytest.raises(DiagnosticsError):
        PassManager([Narrow()], judge=Undecided()).run(module)
    assert print_module(module) == CHAIN


def test_an_exception_of_a_pass_keeps_its_cause() -> None:
    text = CHAIN.replace("return %u", "return %u, %d").replace("  %u:", "  %d: f32[4,8] = tensor_copy %p\n  %u:")
    with pytest.raises(PassFailure, match="the pass gives-up failed: LookupError: no idea") as failure:
        PassManager([Gives()]).run(parse(text, standard()))
    assert isinstance(failure.value.cause, LookupError)
