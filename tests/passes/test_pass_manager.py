"""The pass manager checks after every pass, names the culprit, and takes back what a failing pass did."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest

from passes.eliminate_casts import NeuronEliminateCasts
from passes.framework.dot_transform import DotTransform, TransformError
from passes.framework.failure import PassFailure
from passes.framework.instrumentation import PassInstrumentation
from passes.framework.pass_manager import MOST_ROUNDS, Fixpoint, PassManager
from passes.framework.target_lowering import TargetLowering
from runtime.blocks import Statement
from runtime.diagnostics import DiagnosticsError
from runtime.dtypes import i32
from runtime.functions import Function, Module
from runtime.instruction_set import standard
from runtime.statistics import Unit, register_stats
from runtime.text.parser import parse, parse_with_places
from runtime.text.printer import print_module
from runtime.verifier import verify
from runtime.wrappers.TensorCopyOp import TensorCopyOp
from tests.passes.small_programs import CHAIN, chain
from tests.tree import ROOT

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


def test_a_program_is_copied_once_and_again_where_a_pass_has_changed_it(monkeypatch: pytest.MonkeyPatch) -> None:
    cloned, clone = list[str](), Module.clone

    def count(module: Module) -> Module:
        cloned.append(print_module(module))
        return clone(module)

    monkeypatch.setattr(Module, "clone", count)
    idle = Counting(nothing)
    PassManager([idle] * 4).run(chain())
    assert cloned == [CHAIN]
    cloned.clear()
    PassManager([idle, NeuronEliminateCasts(), idle, idle]).run(chain())
    expected = chain()
    NeuronEliminateCasts().runOnModule(expected)
    assert cloned == [CHAIN, print_module(expected)]
    PassManager([idle] * 4, rollback=False).run(chain())
    assert len(cloned) == 2


@pytest.mark.parametrize("idle", [0, 1, 3])
def test_what_is_taken_back_is_the_program_that_the_failing_pass_was_given(idle: int) -> None:
    module = chain()
    steps = [NeuronEliminateCasts(), *[Counting(nothing)] * idle, Counting(add_a_function_and_give_up)]
    touched = Counting.touched
    with pytest.raises(PassFailure, match="cannot go on"):
        PassManager(steps, check=check).run(module)
    expected = chain()
    NeuronEliminateCasts().runOnModule(expected)
    assert print_module(module) == print_module(expected)
    assert Counting.touched == touched + idle


def test_what_a_failing_pass_did_to_the_module_itself_is_taken_back_too() -> None:
    def change_the_module_and_give_up(f: Function) -> bool:
        assert f.module is not None
        f.module.target, f.module.carried = "trn1", b"x"
        raise TransformError("cannot go on")

    module = chain()
    module.target, module.carried = "trn2", b"kept"
    with pytest.raises(PassFailure, match="cannot go on"):
        PassManager([Counting(change_the_module_and_give_up)]).run(module)
    assert (module.target, module.carried) == ("trn2", b"kept")


class WholeFunction(TargetLowering):
    """Take out every copy, used or not."""

    pass_name = "whole-function"

    def transformStmts(self, f: Function) -> bool:
        for inst in f.insts:
            if inst.INFO.mnemonic == "tensor_copy":
                inst.eraseFromParent()
        return True


class OneStatement(DotTransform):
    """Ask a copy for what it does not have."""

    pass_name = "one-statement"

    def transformTensorCopyOp(self, copy: TensorCopyOp) -> bool:
        return self.is_worth_it(copy.src)

    def is_worth_it(self, source: Any) -> bool:
        return bool(source.no_such_thing)


class Speechless(DotTransform):
    """Cannot explain itself."""

    pass_name = "speechless"

    def why_kept(self, f: Function) -> Iterator[tuple[Statement, str]]:
        raise TransformError("no idea")


@pytest.mark.parametrize(
    ("transform", "cause", "function", "line"),
    [
        (OneStatement, "'ActivationOp' object has no attribute", "OneStatement.is_worth_it", "source.no_such_thing"),
        (WholeFunction, "1 instruction uses it", "WholeFunction.transformStmts", "inst.eraseFromParent"),
    ],
)
@pytest.mark.parametrize("with_places", [True, False])
def test_a_failure_says_where_in_the_pass_and_at_which_statement(
    transform: type[DotTransform], cause: str, function: str, line: str, with_places: bool
) -> None:
    parsed = parse_with_places(CHAIN, standard(), "chain.txt")
    if with_places:
        parsed.module.places = parsed.places
    with pytest.raises(PassFailure) as failure:
        PassManager([transform()], check=check).run(parsed.module)
    what, in_pass, at_statement = str(failure.value).splitlines()
    assert what.startswith(f"the pass {transform.pass_name} failed: ") and cause in what
    found = re.fullmatch(r"note: (\S+?):(\d+):(\d+): in (\S+)", in_pass)
    assert found is not None and found[4] == function
    assert (ROOT / found[1]).samefile(__file__)
    source = Path(__file__).read_text(encoding="utf-8").splitlines()[int(found[2]) - 1]
    assert source[int(found[3]) - 1 :].startswith(line)
    assert at_statement == f"note: {'chain.txt:5:3: ' if with_places else ''}at `%c: f32[4,8] = tensor_copy %p`"


def test_a_failure_shows_what_can_be_shown_of_a_wrecked_statement() -> None:
    class Wrecks(DotTransform):
        pass_name = "wrecks"

        def transformTensorCopyOp(self, copy: TensorCopyOp) -> bool:
            del copy._src
            raise TransformError("gone")

    with pytest.raises(PassFailure, match="note: at what is left of a TensorCopyOp$"):
        PassManager([Wrecks()], check=check, rollback=False).run(chain())


class CountsForItself(DotTransform):
    """Add to a counter of the instance, which nobody reads."""

    pass_name = "counts-for-itself"
    seen: ClassVar[int] = 0
    register_stats(seen=("Number of copies seen", Unit.Count))

    def transformTensorCopyOp(self, copy: TensorCopyOp) -> bool:
        self.seen += 1  # type: ignore[misc]
        return False


def test_a_pass_that_counts_for_itself_is_told_where_the_counter_is() -> None:
    said = r"TypeError: self\.seen was counted, and is not the counter; write CountsForItself\.seen \+= n"
    with pytest.raises(PassFailure, match=said):
        PassManager([CountsForItself()]).run(chain())
    assert CountsForItself.seen == 0


def test_what_was_kept_is_told_where_it_is_asked_for() -> None:
    text = CHAIN.replace("%c\n  return %u", "%c\n  return %p, %u")
    asked, not_asked = (
        PassManager([NeuronEliminateCasts()], check=check, explain=explain).run(parse(text, standard()))[0].kept
        for explain in (True, False)
    )
    expected = "kept `%c: f32[4,8] = tensor_copy %p` in @main: return uses the same source, and is no cast to f32"
    assert [str(kept) for kept in asked] == [expected] and not_asked == ()
    with pytest.raises(PassFailure, match="the pass speechless failed: TransformError: no idea"):
        PassManager([Speechless()], explain=True).run(chain())


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
    said = (
        rf"fixpoint\(counting\) still changes the program after {MOST_ROUNDS} rounds; in the last one it was counting"
    )
    with pytest.raises(PassFailure, match=said):
        PassManager([Fixpoint((Counting(lambda f: True),))], rollback=False).run(chain())


def test_watchers_see_the_program_before_and_after() -> None:
    seen: list[tuple[str, bool]] = []

    class Watches(PassInstrumentation):
        def run_before_pass(self, transform: DotTransform, module: Module) -> None:
            seen.append((f"before {transform.pass_name}", print_module(module) == CHAIN))

        def run_after_pass(self, transform: DotTransform, module: Module) -> None:
            seen.append((f"after {transform.pass_name}", print_module(module) == CHAIN))

    PassManager([NeuronEliminateCasts()], instrumentations=[Watches()]).run(chain())
    assert seen == [("before eliminate-casts", True), ("after eliminate-casts", False)]


class Notes(PassInstrumentation):
    """Notes what it sees, and how many functions the program has then."""

    def __init__(self, name: str, seen: list[str]) -> None:
        self.name, self.seen = name, seen

    def run_before_pass(self, transform: DotTransform, module: Module) -> None:
        self.seen.append(f"{self.name}: before {transform.pass_name}, {len(module.functions)}")

    def run_before_function(self, transform: DotTransform, function: Function, number: int, count: int) -> None:
        self.seen.append(f"{self.name}: {transform.pass_name} on @{function.name}, {number}/{count}")

    def run_after_pass(self, transform: DotTransform, module: Module) -> None:
        self.seen.append(f"{self.name}: after {transform.pass_name}, {len(module.functions)}")

    def run_after_pass_failed(self, transform: DotTransform, module: Module) -> None:
        self.seen.append(f"{self.name}: {transform.pass_name} failed, {len(module.functions)}")


def test_instrumentations_are_nested() -> None:
    seen: list[str] = []
    PassManager([Counting(nothing)], instrumentations=[Notes("outer", seen), Notes("inner", seen)]).run(chain())
    assert seen == [
        "outer: before counting, 1",
        "inner: before counting, 1",
        "outer: counting on @main, 1/1",
        "inner: counting on @main, 1/1",
        "inner: after counting, 1",
        "outer: after counting, 1",
    ]


@pytest.mark.parametrize("rollback", [True, False])
def test_an_instrumentation_sees_what_a_failing_pass_has_left(rollback: bool) -> None:
    seen: list[str] = []
    steps = [Counting(nothing), Counting(add_a_function_and_give_up), Counting(nothing)]
    notes = [Notes("outer", seen), Notes("inner", seen)]
    with pytest.raises(PassFailure):
        PassManager(steps, rollback=rollback, instrumentations=notes).run(chain())
    both = [line for line in seen if "failed" in line]
    assert both == ["inner: counting failed, 2", "outer: counting failed, 2"]
    assert seen[-2:] == both and sum("after" in line for line in seen) == 2


def test_a_lowering_that_does_not_say_how_is_a_fault() -> None:
    with pytest.raises(PassFailure, match="TargetLowering does not say how it transforms a function"):
        PassManager([TargetLowering()]).run(chain())
