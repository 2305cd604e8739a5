"""What cases cannot show of the clean-ups: that they may be stopped after any rewrite, hubs, and whole functions."""

import pytest

from passes.framework.dot_transform import DotTransform
from passes.framework.pass_manager import PassManager
from passes.framework.rewrite_limit import RewriteLimit
from passes.registry import PASSES, load_pass
from runtime.functions import Module
from runtime.instruction_set import standard
from runtime.text.parser import parse
from runtime.text.printer import print_module
from runtime.verifier import verify
from runtime.wrappers.TensorCopyOp import TensorCopyOp
from tests.passes.laws import check_same_results
from tests.passes.random_snapshots import random_snapshots
from tests.passes.small_programs import hub, tensor_hub

CLEAN_UPS = ("eliminate-dead-code", "fold-casts", "share-casts")


def n_casts(module: Module) -> int:
    return sum(isinstance(inst, TensorCopyOp) for inst in module.insts)


@pytest.mark.parametrize("name", CLEAN_UPS)
@pytest.mark.parametrize("seed", [1, 4, 5])
def test_a_run_that_is_stopped_leaves_a_whole_program(name: str, seed: int) -> None:
    before = parse(random_snapshots(seed), standard())
    for most in (0, 1, 2, 4, 7):
        after, limit = before.clone(), RewriteLimit(most)
        PassManager([load_pass(name)()], limit=limit, check=verify).run(after)
        assert limit.done <= most
        assert (print_module(after) == print_module(before)) == (limit.done == 0)
        check_same_results(before, after, ())


def test_a_hub_of_equal_casts_is_left_with_one_of_each_dtype() -> None:
    for module in (hub(500, "f16"), tensor_hub(500, "f16")):
        load_pass("share-casts")().runOnModule(module)
        assert n_casts(module) == 2


def test_casts_of_a_hub_fold_and_the_hub_goes_with_its_last_user() -> None:
    lines = [f"  %c{number}: f16[4,8] = tensor_copy %p" for number in range(500)]
    text = ["func @main(%x: bf16[4,8]) {", "  %p: f32[4,8] = tensor_copy %x", *lines, "  return %c0", "}"]
    module = parse("\n".join(text), standard())
    load_pass("fold-casts")().runOnModule(module)
    assert n_casts(module) == 500
    load_pass("eliminate-dead-code")().runOnModule(module)
    assert n_casts(module) == 1


@pytest.mark.parametrize("name", PASSES)
def test_every_pass_says_why_it_left_something(name: str) -> None:
    """Step 5 of "Add a pass" in the README."""
    assert load_pass(name).why_kept is not DotTransform.why_kept


def test_a_run_that_is_stopped_gives_no_reason_for_what_it_would_still_share() -> None:
    casts = "".join(f"  %{name}: f16[4,8] = tensor_copy %x\n" for name in "ab")
    text = f"func @main(%x: f32[4,8]) {{\n{casts}  return %a, %b\n}}\n"
    module, share = parse(text, standard()), load_pass("share-casts")()
    PassManager([share], limit=RewriteLimit(0)).run(module)
    assert n_casts(module) == 2 and not [*share.why_kept(module.functions["main"])]


def test_every_function_is_cleaned_and_none_is_removed() -> None:
    function = "func @{0}(%x: f32[4,8]) {{\n  %p: bf16[4,8] = activation relu %x\n  return %x\n}}\n"
    module = parse(f"{function.format('f')}\n{function.format('main')}", standard())
    load_pass("eliminate-dead-code")().runOnModule(module)
    assert [*module.functions] == ["f", "main"] and len([*module.insts]) == 2
