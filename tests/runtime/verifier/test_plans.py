"""The verifier keeps what it knows of a class with the class, and never a plan of another one or of before."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from runtime.instruction_set import standard
from runtime.instructions import Instruction, Problem
from runtime.targets import parse_target
from runtime.text.parser import parse
from runtime.verifier import verify
from runtime.verifier.plans import ClassPlan
from runtime.wrappers.TensorCopyOp import TensorCopyOp
from tests.passes.small_programs import chain


def refuse(inst: Instruction) -> Iterator[Problem]:
    yield Problem("refused")


def define() -> type[TensorCopyOp]:
    class Copy(TensorCopyOp):
        def verify(self) -> Iterator[Problem]:
            yield from super().verify()  # whose cell holds the class

    return Copy


def test_a_class_has_one_plan_and_what_stands_on_it_another_one() -> None:
    assert ClassPlan.of(TensorCopyOp) is ClassPlan.of(TensorCopyOp)
    first, second = define(), define()  # as where a module is loaded again
    plans = [ClassPlan.of(each) for each in (TensorCopyOp, first, second)]
    assert len(set(map(id, plans))) == 3
    assert plans[1].has_own_rules and plans[1].infer_one is first.infer_result_type


def test_a_class_goes_with_its_plan() -> None:
    made = define()
    ClassPlan.of(made)
    gone = weakref.ref(made)
    del made
    gc.collect()
    assert gone() is None


def test_a_rule_that_is_replaced_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    module = chain()
    assert not verify(module)
    with monkeypatch.context() as patched:
        patched.setattr(TensorCopyOp, "verify", refuse)
        assert [found.message for found in verify(module)] == ["refused"]
    assert not verify(module)


def test_a_plan_says_nothing_of_a_target() -> None:
    module = parse(
        """
        func @main() {
          tensor %shared: f32[128,512] dram input
          tensor %x: bf16[512,128] dram input
          tensor %rows: u32[128,1] sbuf input
          core_barrier %shared cores [0, 1]
          %0: bf16[128,128] = dma_transpose %x[0 | 128:128, 1:128] indices %rows
        }
        """,
        standard(),
    )
    for name in ("trn2", "trn1", "trn2", "trn1"):  # as `from_trn2_on.case` has it
        wanted = [] if name == "trn2" else ["V060", "V068"]
        assert [found.code for found in verify(module, parse_target(name))] == wanted
