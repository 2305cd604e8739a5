"""What cases cannot show of the cast elimination: its gates one by one, its order of work, and that it stays linear."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from generated.neuron.SBAtomLoadGen import SBAtomLoadGen
from passes.eliminate_casts import NeuronEliminateCasts
from passes.retyping import why_not_mutate_dst_type
from runtime.access import NeuronAP
from runtime.builder import Builder
from runtime.dtypes import DType, bf16, f4e2m1, f16, f32, i8, i32
from runtime.functions import Function, Module
from runtime.instructions import Instruction
from runtime.targets import trn2
from runtime.types import Shape, Type
from runtime.wrappers.ActivationOp import ActivationOp
from runtime.wrappers.TensorCopyOp import TensorCopyOp
from runtime.wrappers.TensorScalarPtrOp import TensorScalarPtrOp
from tests.passes.small_programs import chain, hub, tensor_hub


def argument(dtype: DType | None = f32, shape: Shape | None = (4, 8)) -> Any:
    return Function("main").body.add_argument(Type.tensor(dtype, shape))


@pytest.mark.parametrize(
    ("inst", "dtype", "expected"),
    [
        (ActivationOp(argument(), "relu", dtype=bf16), f32, True),
        (TensorScalarPtrOp(argument(), "add", dtype=bf16), f32, True),
        (TensorCopyOp(argument(), dtype=bf16), f32, True),
        # gate 1: the wrapper refuses for operations on bits, whose class may otherwise change
        (TensorScalarPtrOp(argument(i32), "bitwise_and", dtype=i8), i32, False),
        (TensorScalarPtrOp(argument(i32), "add", dtype=i8), i32, True),
        # gate 3: an equality
        (TensorCopyOp(argument(), dtype=bf16), f16, False),
        (TensorCopyOp(argument(bf16), dtype=f16), f32, False),
        # gate 4: one class, integers on both sides or floats
        (TensorCopyOp(argument(), dtype=i32), f32, False),
        (TensorCopyOp(argument(i32), dtype=bf16), i32, False),
        (TensorCopyOp(argument(i32), dtype=i8), i32, True),
    ],
)
def test_the_gates(inst: Instruction, dtype: DType, expected: bool) -> None:
    assert NeuronEliminateCasts(trn2).shouldMutateInstDstType(inst, dtype) is expected


def test_gate_2_a_class_that_may_change_its_dtype_and_is_not_on_the_list() -> None:
    class Willing(SBAtomLoadGen):
        __slots__ = ()
        canMutateDstTy = True

    unwilling, willing = SBAtomLoadGen(argument(), dtype=bf16), Willing(argument(), dtype=bf16)
    assert why_not_mutate_dst_type(unwilling, f32) == "the result of sb_atom_load may not change its dtype"
    assert why_not_mutate_dst_type(willing, f32) == (
        "sb_atom_load may change its dtype, but this pass does that to activation, tensor_scalar, tensor_copy only"
    )


@pytest.mark.parametrize(
    ("source", "result", "reason"),
    [
        (Type.tensor(None, (4, 8)), Type.tensor(f32, (4, 8)), "an element type is not known"),
        (Type.tensor(bf16, (4, 8)), Type.tensor(None, (4, 8)), "an element type is not known"),
        (Type.unknown(), Type.tensor(f32, (4, 8)), "an element type is not known"),
        (Type.tensor(bf16, ("N", 8)), Type.tensor(f32, ("N", 8)), "the size of f32[N,8] is not known"),
        (Type.tensor(bf16, None), Type.tensor(f32, None), "the size of f32[*] is not known"),
        (Type.tensor(bf16, (4, 8)), Type.tensor(f32, (8, 4)), "it changes the shape, bf16[4,8] to f32[8,4]"),
    ],
)
def test_what_is_not_known_stays(source: Type, result: Type, reason: str) -> None:
    function = Function("main")
    wide = source.with_dtype(f32) if source.is_tensor else source
    producer = Builder(function).insert(TensorCopyOp(function.body.add_argument(wide), result_type=source))
    cast = Builder(function).insert(TensorCopyOp(producer, result_type=result))
    pass_ = NeuronEliminateCasts()
    assert pass_.why_not_eliminate(cast) == reason
    assert pass_.tryEliminateCast(cast) is False


def test_mutate_then_count_then_replace_and_the_caller_erases(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def spy(owner: type, name: str) -> None:
        original: Callable[..., Any] = getattr(owner, name)

        def call(self: Any, *given: Any) -> Any:
            done.append(f"{name} {getattr(self, 'name', None) or ''}".strip())
            return original(self, *given)

        monkeypatch.setattr(owner, name, call)

    spy(ActivationOp, "mutateDstTy")
    spy(NeuronEliminateCasts, "count_cast")
    spy(TensorCopyOp, "replaceAllUsesWith")
    spy(TensorCopyOp, "eraseFromParent")
    assert NeuronEliminateCasts(trn2).runOnModule(chain())
    assert done == ["mutateDstTy p", "count_cast", "replaceAllUsesWith c", "eraseFromParent c"]


def test_count_cast_is_the_formula_of_the_source() -> None:
    before = NeuronEliminateCasts.eliminated_casts
    seven = Type.tensor(f4e2m1, (2, 7))  # 14 elements of four bits: 7 bytes over 2 partitions
    cast: Any = SimpleNamespace(type=seven, parent=None, num_dynamic_instances=3)
    assert NeuronEliminateCasts().count_cast(cast) is cast
    assert NeuronEliminateCasts.eliminated_casts - before == 9, "7 // 2 * 3"


def test_a_cast_that_runs_nobody_knows_how_often_counts_once() -> None:
    before = NeuronEliminateCasts.eliminated_casts
    for times in (None, 0):
        cast: Any = SimpleNamespace(type=Type.tensor(f32, (2, 5)), parent=None, num_dynamic_instances=times)
        NeuronEliminateCasts().count_cast(cast)
        assert NeuronEliminateCasts.eliminated_casts - before == 20, "0 runs are known to be none"


def test_a_cast_can_be_tried_by_itself() -> None:
    module = chain()
    cast = list(module.insts)[1]
    assert isinstance(cast, TensorCopyOp)
    pass_ = NeuronEliminateCasts(trn2)
    assert pass_.tryEliminateCast(cast) is True
    assert cast.parent is None and [inst.name for inst in pass_.removed_roundings] == ["p"]


def test_a_judgement_is_not_remembered_after_the_run() -> None:
    module = hub(1, last="f16")
    pass_ = NeuronEliminateCasts(trn2)
    assert pass_.runOnModule(module) is False
    producer, cast, other, _ = module.insts
    other.replaceAllUsesWith(cast)
    other.eraseFromParent()
    assert isinstance(cast, TensorCopyOp) and pass_.tryEliminateCast(cast) is True
    assert producer.dtype is f32


@pytest.mark.parametrize("program", [hub, tensor_hub])
def test_casts_of_one_source_are_judged_once(program: Callable[..., Module], monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise 100,000 casts of one value that must stay would be looked at 100,000 times each."""
    judged: list[int] = []
    original = NeuronEliminateCasts._why_not_drop

    def count(self: NeuronEliminateCasts, uses: tuple[Instruction, ...], dtype: DType) -> str | None:
        judged.append(len(uses))
        return original(self, uses, dtype)

    monkeypatch.setattr(NeuronEliminateCasts, "_why_not_drop", count)
    assert NeuronEliminateCasts(trn2).runOnModule(program(50, last="f16")) is False
    assert judged == [51]
    assert NeuronEliminateCasts(trn2).runOnModule(program(50)) is True
    assert judged == [51, 51]


def test_nothing_is_left_of_the_casts_of_a_hub() -> None:
    module = hub(500)
    before = NeuronEliminateCasts.eliminated_casts
    assert NeuronEliminateCasts(trn2).runOnModule(module)
    assert [inst.INFO.mnemonic for inst in module.insts] == ["activation", "return"]
    assert NeuronEliminateCasts.eliminated_casts - before == 501 * 32


def test_a_cast_that_writes_a_tensor_stays_even_when_it_is_tried_by_itself() -> None:
    function = Function("main")
    builder = Builder(function)
    narrow = builder.insert(ActivationOp(argument(), "relu", dtype=bf16))
    out = builder.tensor("o", f32, (4, 8), "dram", isOutput=True)
    stored = builder.insert(TensorCopyOp(narrow, dst=NeuronAP(out)))
    elimination = NeuronEliminateCasts()
    assert elimination.why_not_eliminate(stored) == "it writes %o, so it stays"
    assert not elimination.tryEliminateCast(stored)
    assert out.n_stores == 1
