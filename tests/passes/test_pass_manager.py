"""The pass manager checks after every pass, names the culprit, and takes back what a failing pass did."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

import pytest

from passes.eliminate_casts import NeuronEliminateCasts
from passes.framework.dot_transform import DotTransform, TransformError
from passes.framework.pass_manager import MOST_ROUNDS, Fixpoint, PassFailure, PassManager
from passes.framework.target_lowering import TargetLowering
from runtime.diagnostics import DiagnosticsError
from runtime.dtypes import i32
from runtime.functions import Function, Module
from runtime.statistics import Unit, register_stats
from runtime.text.printer import print_module
from runtime.verifier import verify
from tests.passes.small_programs import CHAIN, chain

check = partial(verify, target=None, places=None)


class Counting(DotTransform):
    """Does something to the first instruction, and counts it."""

    pass_name = "counting"
    touched: ClassVar[int] = 0
    register_stats(touched=("Number of instructions touched", Unit.Count))

    def __init__(self, touch: Callable[[Function], bool]) -> None:
        super().__init__()
        self._touch = touch

    def transformStmts(self, f: Function) -> bool:
        Counting.touched += 1
        return self._touch(f)


def break_the_program(f: Function) -> bool:
    """Let every instruction give integers; an activation reads none."""
    for inst in f.insts:
        if inst.results:
            inst.mutateDstTy(i32)
    return True


def add_a_function_and_give_up(f: Function) -> bool:
    assert f.module is not None
    f.module.add_function(Function("half_done"))
    break_the_program(f)
    raise TransformError("cannot go on")


def nothing(f: Function) -> bool:
    return False


def test_each_pass_runs_and_is_reported() -> None:
    module = chain()
    first, second = PassManager([NeuronEliminateCasts(), Counting(nothing)], check=check).run(module)
    assert (first.pass_name, first.changed, second.pass_name, second.changed) == (
        "eliminate-casts",
        True,
        "counting",
        False,
    )
    assert [(statistic.label, count) for statistic, count in first.counted] == [
        ("Number of bytes of casts eliminated", 32)
    ]
    assert [(statistic.label, count) for statistic, count in second.counted] == [("Number of instructions touched", 1)]
    assert first.seconds > 0


def test_a_pass_that_breaks_the_program_is_named_and_rolled_back() -> None:
    module, touched = chain(), Counting.touched
    manager = PassManager([NeuronEliminateCasts(), Counting(break_the_program), Counting(nothing)], check=check)
    with pytest.raises(PassFailure, match="the pass counting left a program that is wrong") as failure:
        manager.run(module)
    assert failure.value.pass_name == "counting" and failure.value.diagnostics
    expected = chain()
    NeuronEliminateCasts().runOnModule(expected)
    assert print_module(module) == print_module(expected), "what the passes before it did stays"
    assert Counting.touched == touched
    assert not verify(module)


def test_a_pass_that_raises_is_named_and_rolled_back() -> None:
    module, touched = chain(), Counting.touched
    with pytest.raises(PassFailure, match="the pass counting failed: TransformError: cannot go on"):
        PassManager([Counting(add_a_function_and_give_up)], check=check).run(module)
    assert print_module(module) == CHAIN
    assert all(function.module is module for function in module.functions.values())
    assert Counting.touched == touched


def test_without_rollback_the_wreck_stays() -> None:
    module = chain()
    with pytest.raises(PassFailure):
        PassManager([Counting(break_the_program)], check=check, rollback=False).run(module)
    assert print_module(module) != CHAIN


def test_a_program_that_comes_in_wrong_is_no_pass_s_fault() -> None:
    module = chain()
    break_the_program(module.root_function)
    with pytest.raises(DiagnosticsError):
        PassManager([NeuronEliminateCasts()], check=check).run(module)


def test_a_pass_that_lies_is_checked_all_the_same() -> None:
    def break_in_secret(f: Function) -> bool:
        break_the_program(f)
        return False

    with pytest.raises(PassFailure):
        PassManager([Counting(break_in_secret)], check=check).run(chain())


def test_a_fixpoint_runs_until_a_round_changes_nothing() -> None:
    left = [3]

    def thrice(f: Function) -> bool:
        left[0] -= 1
        return left[0] >= 0

    runs = PassManager([Fixpoint((Counting(thrice), Counting(nothing)))]).run(chain())
    assert [run.changed for run in runs] == [True, False, True, False, True, False, False, False]


def test_steps_run_once_where_no_fixpoint_is_asked_for() -> None:
    assert len(PassManager([Counting(lambda f: True)]).run(chain())) == 1


def test_a_fixpoint_that_never_ends_is_stopped() -> None:
    with pytest.raises(
        PassFailure, match=f"the pass counting failed: RuntimeError: still changing after {MOST_ROUNDS} rounds"
    ):
        PassManager([Fixpoint((Counting(lambda f: True),))], rollback=False).run(chain())


def test_watchers_see_the_program_before_and_after() -> None:
    seen: list[tuple[str, bool]] = []

    def watch(when: str, transform: DotTransform, module: Module) -> None:
        seen.append((f"{when} {transform.pass_name}", print_module(module) == CHAIN))

    manager = PassManager([NeuronEliminateCasts()], before=partial(watch, "before"), after=partial(watch, "after"))
    manager.run(chain())
    assert seen == [("before eliminate-casts", True), ("after eliminate-casts", False)]


def test_a_lowering_that_does_not_say_how_is_a_fault() -> None:
    with pytest.raises(PassFailure, match="TargetLowering does not say how it transforms a function"):
        PassManager([TargetLowering()]).run(chain())
