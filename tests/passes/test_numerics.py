"""The judge of numerics: which statements about roundings are true, and what is said of those that are not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from passes.eliminate_casts import NeuronEliminateCasts
from passes.framework.dot_transform import DotTransform
from passes.framework.failure import PassFailure
from passes.framework.pass_manager import PassManager
from passes.numerics import judge as judging
from passes.numerics.judge import NumericsJudge
from passes.numerics.runs import outputs_of
from passes.registry import load_all
from runtime.builtin import Return
from runtime.diagnostics import DiagnosticsError
from runtime.functions import Module
from runtime.instruction_set import standard
from runtime.instructions import Instruction
from runtime.text.parser import parse
from runtime.verifier import verify
from runtime.wrappers.TensorCopyOp import TensorCopyOp
from tests.passes.random_chains import random_program
from tests.passes.small_programs import CHAIN, chain
from tests.passes.test_laws import OVERWRITTEN
from tests.passes.tiny_passes import (
    Counts,
    DropStores,
    FoldCopies,
    FoldCopiesBlindly,
    Narrow,
    NarrowAndDeny,
    NarrowSecretly,
    Widen,
    WidenSecretly,
)

OPAQUE = """\
func @main(%x: f32[4,8]) {
  %p: f32[4,8] = opaque "vendor.op" %x
  return %p
}
"""


def judged(module: Module, *steps: Any, **given: Any) -> str:
    """Return what is said of a run: nothing where all is well."""
    try:
        PassManager(steps, check=verify, judge=NumericsJudge(**given)).run(module)
    except (PassFailure, DiagnosticsError) as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("program", "steps"),
    [
        (CHAIN, [NeuronEliminateCasts]),
        (CHAIN, [Narrow, Widen]),
        (CHAIN, [Narrow, NeuronEliminateCasts, Narrow, NeuronEliminateCasts, Counts]),
        (OVERWRITTEN, [FoldCopies, Counts, Narrow]),
    ],
)
def test_what_is_stated_is_believed_after_a_look(program: str, steps: list[Callable[[], DotTransform]]) -> None:
    assert judged(parse(program, standard()), *[step() for step in steps]) == ""


def test_statements_of_earlier_runs_are_told_from_those_of_this_one() -> None:
    """The pass keeps one list over all its runs, and removes the same roundings in each."""
    eliminate = NeuronEliminateCasts()
    assert judged(chain(), Narrow(), eliminate, Narrow(), eliminate) == ""
    assert len(eliminate.removed_roundings) > len(set(eliminate.removed_roundings))


def test_every_registered_pass_on_random_programs() -> None:
    for seed in range(12):
        module = parse(random_program(seed), standard())
        assert judged(module, *[cls() for cls in load_all()]) == ""


SAID_OF = {
    NarrowSecretly: [
        "the pass narrow-secretly does not do what it says of itself:\n\nerror[P030]: result 0 of @main: [0,",
        "no rounding that the pass states explains it",
        " of 32 elements differ, on generated inputs, ordinary values, seed 0\n",
        "note: it comes from `%u: bf16[4,8] = activation tanh %c` in @main, which was `%u: f32[4,8] = activation tanh",
    ],
    WidenSecretly: ["it comes from `%p: f32[4,8] = activation relu %x` in @main, which was `%p: bf16[4,8] = "],
}


@pytest.mark.parametrize("cls", SAID_OF)
def test_what_is_not_stated_is_found(cls: type[DotTransform]) -> None:
    said = judged(chain(), Counts(), cls())
    assert all(part in said for part in SAID_OF[cls]), said


def test_a_value_that_is_read_too_late_is_found() -> None:
    said = judged(parse(OVERWRITTEN, standard()), FoldCopiesBlindly())
    assert "error[P030]: result 0 of @main: [0,0] was " in said and "32 of 32 elements differ" in said
    assert "the first value that differs is that of `%b: f32[4,8] = tensor_copy %t` in @main, which was `%b: " in said


def test_a_difference_that_only_special_values_show_is_found() -> None:
    overflow = (
        "func @main(%x: f32[64]) {\n  %a: f16[64] = tensor_copy %x\n  %b: f32[64] = tensor_copy %a\n"
        "  %c: f32[64] = tensor_scalar min %b scalar0 70000.0\n  return %c\n}\n"
    )

    class Clamp(DotTransform):
        """Leave out a minimum that no ordinary value reaches."""

        pass_name = "clamp"

        def transformTensorScalarPtrOp(self, inst: Instruction) -> bool:
            inst.replaceWith(inst.src)  # type: ignore[attr-defined]
            return True

    said = judged(parse(overflow, standard()), Clamp())
    assert "P030" in said and "special values, seed 0" in said and "was 70000.0 (0x4788b800) and is inf" in said


def test_a_secret_change_is_found() -> None:
    said = judged(chain(), NarrowAndDeny())
    assert "error[P036]: it says that it changed nothing, and changed the program: @main: " in said


def test_a_program_that_can_no_longer_be_run_is_the_fault_of_the_pass() -> None:
    module = parse(OVERWRITTEN, standard())
    with pytest.raises(PassFailure) as failure:  # the verifier would say so too
        PassManager([DropStores()], check=None, judge=NumericsJudge()).run(module)
    said = str(failure.value)
    assert "error[P031]: the program that it left can no longer be run: reads element [0, 0] of %t" in said


def test_inputs_that_are_gone_are_the_fault_of_the_pass() -> None:
    class DropInput(DotTransform):
        pass_name = "drop-input"

        def runOnModule(self, module: Module) -> bool:
            module.root_function.body.arguments.pop()
            return True

    text = CHAIN.replace("(%x: f32[4,8])", "(%x: f32[4,8], %y: f32[2])")
    said = judged(parse(text, standard()), DropInput())
    assert (
        'error[P031]: the program that it left takes other inputs than before: function @main has no input "y"' in said
    )


def test_a_function_that_is_gone_is_the_fault_of_the_pass() -> None:
    class DropFunction(DotTransform):
        pass_name = "drop-function"

        def runOnModule(self, module: Module) -> bool:
            module.functions.popitem()
            return True

    module = parse("func @f() {\n  return\n}\n\nfunc @g() {\n  return\n}\n", standard())
    assert "error[P031]: the function @g is gone, which nobody else calls" in judged(module, DropFunction())


@pytest.mark.parametrize("what", ["removed_roundings", "added_roundings"])
def test_statements_about_strangers_are_refused(what: str) -> None:
    class States(Narrow):
        pass_name = "states"

        def runOnModule(self, module: Module) -> bool:
            changed = super().runOnModule(module)
            setattr(self, what, [Return()])
            return changed

    where = "was not in the program before" if what == "removed_roundings" else "is not in the program after"
    assert f"error[P035]: {what} names what {where}: <Return" in judged(chain(), States())


def test_a_rounding_that_cannot_be_left_out_is_no_statement() -> None:
    class WidenTensor(DotTransform):
        """States one of two stores to a tensor: the other one rounds."""

        pass_name = "widen-tensor"

        def transformTensorCopyOp(self, inst: TensorCopyOp) -> bool:
            self.removed_roundings = [inst] if inst.dst is not None else self.removed_roundings
            inst.loc = "changed"
            return True

    text = (
        "func @main(%x: f32[4,8]) {\n  tensor %t: bf16[4,8] sbuf\n  %t = tensor_copy %x\n  %t = activation relu %x\n"
        "  %c: f32[4,8] = tensor_copy %t\n  return %c\n}\n"
    )
    said = judged(parse(text, standard()), WidenTensor())
    assert "error[P035]: removed_roundings states what cannot be left out: %t cannot stay wide" in said


def test_given_inputs_are_used_and_named() -> None:
    zeros = {"x": np.zeros((4, 8), np.float32)}
    assert judged(chain(), NarrowSecretly(), given=zeros) == "", "nothing is rounded in zeros"
    ones = {"x": np.full((4, 8), 1.1, np.float32)}
    said = judged(chain(), NarrowSecretly(), given=ones)
    assert "32 of 32 elements differ, on the inputs given" in said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, 'error[P032]: argument "x": f32[4,8] is missing'),
        (
            {"xx": np.zeros((4, 8), np.float32)},
            'error[P032]: argument "x": f32[4,8] is missing\n\nerror[P032]: function @main has no input "xx"',
        ),
        ({"x": np.zeros((4, 9), np.float32)}, 'error[P032]: argument "x": f32[4,8] is given the shape [4,9]'),
        ({"x": np.zeros((4, 8))}, 'error[P032]: argument "x": f32[4,8] is given elements of float64'),
        (
            {"x": np.zeros((4, 8), np.float32), "z": np.zeros(1)},
            'error[P032]: function @main has no input "z"\nhelp: its inputs: x',
        ),
    ],
)
def test_inputs_that_are_not_those_of_the_program(given: dict[str, Any], said: str) -> None:
    assert said in judged(chain(), Narrow(), given=given)


def test_a_program_without_semantics_is_refused_or_skipped_with_a_word() -> None:
    module = parse(OPAQUE, standard())
    said = judged(module, Counts())
    assert said.startswith("error[P033]: the program cannot be run, so its numerics cannot be verified: ")
    assert 'opaque "vendor.op": 1, first `%p: f32[4,8] = opaque "vendor.op" %x` in @main' in said
    told: list[str] = []
    assert judged(module, Counts(), Narrow(), gave_up=told.append) == ""
    assert len(told) == 1 and told[0].startswith("error[P033]")


def test_a_lowering_to_what_has_no_semantics_cannot_be_judged() -> None:
    class Lower(DotTransform):
        pass_name = "lower"

        def runOnModule(self, module: Module) -> bool:
            module.replace_function(parse(OPAQUE, standard()).functions["main"])
            return True

    said = judged(chain(), Lower())
    assert said.startswith("error[P033]: after the pass lower the program cannot be run, so its numerics")
    told: list[str] = []
    assert judged(chain(), Lower(), Counts(), gave_up=told.append) == "" and len(told) == 1


@pytest.mark.parametrize(
    ("type", "said"),
    [
        ("seq<f32[2]>", 'argument "x": nothing is generated for a seq<f32[2]>'),
        ("f32[*]", 'argument "x": its rank is not known'),
        ("f32[99999999,99999999]", 'argument "x": f32[99999999,99999999] needs more memory than there is'),
        ("f32[0,99999999999999999999]", 'argument "x": f32[0,99999999999999999999] needs more memory than there is'),
        ("?[2]", 'argument "x": its elements are of no known dtype'),
    ],
)
def test_inputs_that_nobody_can_make_up(type: str, said: str) -> None:
    module = parse(f"func @main(%x: {type}) {{\n  return %x\n}}\n", standard())
    assert judged(module, Counts()) == (
        f"error[P034]: @main: {said}\nhelp: give inputs that it can be run on: --verify-numerics INPUTS.npz"
    )


def test_each_function_that_nobody_calls_is_run() -> None:
    text = f"{CHAIN}\n{CHAIN.split(chr(10), 2)[2].replace('@main', '@other')}"
    module = parse(text.replace("target trn2\n\n", "", 1), standard())
    judge = NumericsJudge(seed=5)
    PassManager([Narrow()], judge=judge).run(module)
    assert [one.called for one in judge.sets or ()] == [
        f"generated inputs, {kind} values, seed 5" for _ in range(2) for kind in ("ordinary", "special")
    ]
    assert [one.function for one in judge.sets or ()] == ["main", "main", "other", "other"]


def test_what_is_known_is_not_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[int] = []
    run = outputs_of

    def count(*arguments: Any) -> Any:
        ran.append(1)
        return run(*arguments)

    monkeypatch.setattr(judging, "outputs_of", count)
    assert judged(parse(OVERWRITTEN, standard()), Counts(), FoldCopies(), Counts(), Counts()) == ""
    assert len(ran) == 2, "each set once, for the program that came in"
