"""What folding offloaded copies rests on, each held against something else: enumeration, numpy, every bit pattern."""

from math import prod
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from passes.cast_op_elimination import CastOpElimination
from passes.eliminate_copies import EliminateCopies
from passes.framework.pass_manager import PassManager
from passes.framework.rewrite_limit import RewriteLimit
from passes.offloaded.converted import is_exact
from passes.offloaded.joins import Slabs
from passes.offloaded.permutations import Permutation
from passes.offloaded.views import Aim, View, coalesced
from runtime.access import NeuronAP, whole_pairs
from runtime.affine import Affine, Axis
from runtime.arithmetic import widen
from runtime.dtypes import DTYPES, DType, bf16, f16, f32, f64, i32, i64, u8
from runtime.instruction_set import standard
from runtime.rounding import cast_array
from runtime.tensors import DRAMTensor, Tensor
from runtime.text.parser import parse
from runtime.text.printer import print_module
from runtime.verifier import verify
from runtime.wrappers.OffloadedConcat import OffloadedConcat
from runtime.wrappers.OffloadedMemCast import OffloadedMemCast
from tests.passes.laws import check_same_results, run_under_laws
from tests.passes.random_offloaded import random_offloaded

Array = NDArray[Any]
NAMES = ("eliminate-copies", "cast-op-elimination")


@pytest.mark.parametrize("first", NAMES)
def test_one_pass_may_follow_the_other(first: str) -> None:
    second = NAMES[1 - NAMES.index(first)]
    for seed in range(2000, 2010):
        run_under_laws(print_module(run_under_laws(random_offloaded(seed, 8), first).after), second)


@pytest.mark.parametrize("transform", [EliminateCopies, CastOpElimination])
def test_the_program_is_whole_after_any_rewrite(transform: type[EliminateCopies | CastOpElimination]) -> None:
    for seed in (1, 5, 8):
        before = parse(random_offloaded(seed, 12), standard())
        for most in range(100):
            after, limit = before.clone(), RewriteLimit(most)
            PassManager([transform()], limit=limit, check=verify).run(after)
            assert limit.done <= most
            check_same_results(before, after, ())
            if limit.done < most:
                break


def _access(random: Random, tensor: DRAMTensor) -> NeuronAP:
    """Return an access within a tensor, with at most one axis, whose values are 0 and 1."""
    size = prod(tensor.known_shape)
    while True:
        pairs = [(random.choice((1, 2, 3, 4, 6, 8, 12, 24)), random.randint(1, 4)) for _ in range(random.randint(1, 3))]
        terms = ((Axis("i", 2), random.choice((1, 2, 4, 6, 12))),) if random.random() < 0.5 else ()
        access = NeuronAP(tensor, pairs, Affine(random.randrange(size), terms))
        if access.bounds[0] >= 0 and access.bounds[1] < size:
            return access


def _walked(aim: Aim | View | NeuronAP, axes: dict[Axis, int]) -> list[int]:
    return list(NeuronAP(aim.tensor, aim.pairs, aim.offset).elements(axes))


def test_an_access_through_a_view_reaches_the_same_elements() -> None:
    random, found = Random(3), 0
    for _ in range(2000):
        source = DRAMTensor("s", f32, random.choice(((6, 8), (48,), (2, 4, 6))))
        view = View.of(_access(random, source))
        shape = tuple(num for _, num in view.pairs)
        access = _access(random, DRAMTensor("t", f32, shape)) if prod(shape) > 4 else None
        aim = access and view.through(access)
        if access is None or aim is None:
            continue
        found += 1
        assert [num for _, num in aim.pairs] == [num for _, num in access.pairs]
        for value in (0, 1):
            axes = dict.fromkeys([axis for axis, _ in (*view.offset.terms, *access.offset.terms)], value)
            places = _walked(view, axes)
            assert _walked(aim, axes) == [places[element] for element in access.elements(axes)]
    assert found > 300, f"only {found} of 2000 accesses have an image"


def test_contiguous_elements_have_an_image_of_every_access() -> None:
    random = Random(4)
    source = DRAMTensor("s", f32, (6, 8))
    for _ in range(300):
        access = _access(random, DRAMTensor("t", f32, (4, 6)))
        assert View(source, Affine(7), whole_pairs((24,))).through(access) is not None


@pytest.mark.parametrize(
    ("pairs", "fewer"),
    [
        ([(6, 4), (1, 6)], ((1, 24),)),
        ([(8, 4), (1, 6)], ((8, 4), (1, 6))),
        ([(24, 1), (12, 2), (2, 6), (9, 1)], ((2, 12),)),
        ([(0, 3), (0, 2)], ((0, 6),)),
        ([(5, 1)], ((1, 1),)),
    ],
)
def test_pairs_that_follow_each_other_are_one(pairs: list[tuple[int, int]], fewer: tuple[tuple[int, int], ...]) -> None:
    assert coalesced(pairs) == fewer


def test_a_permutation_after_a_permutation_is_what_numpy_gives() -> None:
    random, shapes = Random(5), ((4, 6), (2, 3, 4), (24,), (6, 1, 4), (2, 2, 2, 3), (8, 3), (1, 12, 2))
    found = 0
    elements = np.arange(24)
    for _ in range(1500):
        first, second = (Permutation(shape, _shuffled(random, len(shape))) for shape in random.choices(shapes, k=2))
        both = first.then(second)
        expected = _permuted(_permuted(elements, first), second)
        assert first.is_identity == (_permuted(elements, first) == elements).all()
        if both is not None:
            found += 1
            assert (_permuted(elements, both) == expected).all(), (first, second)
    assert found > 800, f"only {found} of 1500 have a common shape"


def _shuffled(random: Random, rank: int) -> tuple[int, ...]:
    return tuple(random.sample(range(rank), rank))


def _permuted(elements: Array, permutation: Permutation) -> Array:
    return elements.reshape(permutation.extents).transpose(permutation.order).reshape(-1)


def test_a_load_of_a_join_reads_what_numpy_joins() -> None:
    random, found = Random(6), 0
    for _ in range(800):
        dim, shape = random.randrange(2), [random.randint(1, 4), random.randint(1, 4)]
        extents = [random.randint(1, 3) for _ in range(random.randint(1, 3))]
        arrays: list[Array] = []
        begin = 0
        for extent in extents:
            own = tuple(extent if at == dim else size for at, size in enumerate(shape))
            arrays.append(np.arange(begin, begin + prod(own)).reshape(own))
            begin += prod(own)
        joined = np.concatenate(arrays, axis=dim)
        tensors: list[Tensor] = [DRAMTensor(f"s{at}", f32, array.shape) for at, array in enumerate(arrays)]
        target = DRAMTensor("t", f32, joined.shape)
        op = OffloadedConcat([NeuronAP(each) for each in tensors], dim, dst=NeuronAP(target))
        slabs = Slabs(op)
        for view, array in zip(slabs.views, arrays, strict=True):
            assert (joined.reshape(-1)[_walked(view, {})] == array.reshape(-1)).all()
        access = _access(random, target) if joined.size > 4 else NeuronAP(target)
        change = slabs.image_of(access)
        if isinstance(change, str):
            continue
        found += 1
        array = arrays[tensors.index(change.aim.tensor)]
        for value in (0, 1):
            axes = dict.fromkeys([axis for axis, _ in access.offset.terms], value)
            read = array.reshape(-1)[_walked(change.aim, axes)]
            assert (read == joined.reshape(-1)[list(access.elements(axes))]).all()
    assert found > 150, f"only {found} of 800 loads read one source"


NARROW = [dtype for dtype in DTYPES if dtype.bits <= 16]


@pytest.mark.parametrize("source", NARROW, ids=str)
def test_a_cast_that_is_exact_may_be_left_out(source: DType) -> None:
    """Every bit pattern, through every dtype that holds it, to every dtype: with and without the first cast."""
    values = _all_of(source)
    for through in DTYPES:
        if through is source or not is_exact(source, through):
            continue
        first = _by_dma(values, source, through)
        for result in DTYPES:
            if result is through:
                continue
            wanted = _by_dma(first, through, result)
            found = values if result is source else _by_dma(values, source, result)
            assert wanted.dtype == found.dtype
            nan = _is_nan(found, result)
            assert (nan == _is_nan(wanted, result)).all()
            assert wanted[~nan].tobytes() == found[~nan].tobytes(), f"{source} to {through} to {result}"


@pytest.mark.parametrize(
    ("source", "result"), [(f32, bf16), (bf16, f16), (f16, bf16), (i32, f32), (i32, i64), (u8, bf16), (f64, f64)]
)
def test_what_is_exact_by_dma(source: DType, result: DType) -> None:
    """Of these only u8 to bf16: 256 values, 8 significant bits. Casts go through f32, which i32 does not fit."""
    assert is_exact(source, result) == (source is u8)


def _all_of(dtype: DType) -> Array:
    """Return every value of a dtype of at most 16 bits."""
    if dtype.bits == 16:
        return np.arange(2**16, dtype=np.uint16).view(dtype.numpy)
    if dtype.bits == 8 and not dtype.is_bool:
        return np.arange(2**8, dtype=np.uint8).view(dtype.numpy)
    low = 0 if dtype.is_float or dtype.is_bool else int(dtype.lowest)
    return np.arange(low, low + 2**dtype.bits).astype(np.float32 if dtype.is_float else np.int32).astype(dtype.numpy)


def _by_dma(array: Array, source: DType, result: DType) -> Array:
    return array if source is result else cast_array(widen(array), f64 if source is f64 else f32, result)


def _is_nan(array: Array, dtype: DType) -> Array:
    with np.errstate(invalid="ignore"):  # signalling ones
        return np.isnan(array.astype(np.float64)) if dtype.is_float else np.zeros(array.shape, bool)


def test_the_pass_hands_each_cast_to_its_optimizer_and_drops_dead_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    text = random_offloaded(3, 12)
    module = parse(text, standard())
    unused = module.root_function.add_tensor(DRAMTensor("unused", f32, (4,)))
    casts = [inst for inst in module.insts if isinstance(inst, OffloadedMemCast)]
    transform = CastOpElimination()
    asked: list[OffloadedMemCast] = []

    def fuse(op: OffloadedMemCast) -> bool:
        asked.append(op)
        return False

    monkeypatch.setattr(transform.optimizer, "fuse", fuse)
    assert transform.runOnModule(module)  # the tensor
    assert asked == casts and casts
    assert unused.function is None and print_module(module) == text
