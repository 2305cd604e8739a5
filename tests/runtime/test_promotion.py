"""Laws of `promote_type`, and where it differs from numpy and from JAX. Single results are in `test_dtypes.py`."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from runtime.dtypes import (
    DTYPES,
    DType,
    PromotionError,
    bool_,
    dtype_of,
    f8e8m0,
    f32,
    f32r,
    holds,
    promote_type,
    tf32,
    u64,
)

PAIRS = tuple(combinations(DTYPES, 2))
SIGNED = tuple(dtype for dtype in DTYPES if dtype.is_int and dtype.is_signed)
LATTICE = tuple(dtype for dtype in DTYPES if dtype not in (bool_, u64))
"""Without bool, which has no common dtype with an integer but has one with a float, and without u64: see the tests."""


def promoted(a: DType | None, b: DType | None) -> DType | None:
    """Return what two dtypes are promoted to; None where there is no such dtype, or was none before."""
    try:
        return None if a is None or b is None else promote_type(a, b)
    except PromotionError:
        return None


def test_it_is_commutative() -> None:
    assert not [(a, b) for a, b in PAIRS if promoted(a, b) is not promoted(b, a)]


@pytest.mark.parametrize("a", DTYPES, ids=str)
def test_it_is_idempotent_and_absorbs(a: DType) -> None:
    assert promoted(a, a) is a
    for b in LATTICE:
        if a in LATTICE and (common := promoted(a, b)) is not None:
            assert promoted(a, common) is common is promoted(common, b), b


def test_it_is_associative_on_the_lattice() -> None:
    """With `None` as the largest element: then it is a join semilattice."""
    for a, b, c in product(LATTICE, repeat=3):
        assert promoted(promoted(a, b), c) is promoted(a, promoted(b, c)), (a, b, c)


def test_on_the_lattice_it_is_the_least_dtype_that_follows_both() -> None:
    """`a` comes before `b` where they are promoted to `b`: that is an order, and promotion its least upper bound."""
    before = {(a, b) for a, b in product(LATTICE, repeat=2) if promoted(a, b) is b}
    assert not [(a, b) for a, b in before if a is not b and (b, a) in before]
    assert not [(a, b, c) for a, b in before for c in LATTICE if (b, c) in before and (a, c) not in before]
    for a, b in product(LATTICE, repeat=2):
        following = [c for c in LATTICE if (a, c) in before and (b, c) in before]
        common = promoted(a, b)
        assert (common is None) == (not following), (a, b)
        if common is not None:
            assert common in following and all((common, c) in before for c in following), (a, b)


def test_it_is_associative_but_for_bool_with_integers_and_u64_with_signed_ones() -> None:
    def is_known(triple: tuple[DType, ...]) -> bool:
        return (bool_ in triple and any(d.is_int for d in triple)) or (
            u64 in triple and any(d in SIGNED for d in triple)
        )

    wrong = {
        frozenset(triple)
        for triple in product(DTYPES, repeat=3)
        if promoted(promoted(triple[0], triple[1]), triple[2])
        is not promoted(triple[0], promoted(triple[1], triple[2]))
    }
    assert all(is_known(tuple(triple)) for triple in wrong)
    i8, bf16 = dtype_of("i8"), dtype_of("bf16")
    assert {frozenset({bf16, u64, i8}), frozenset({bool_, i8, bf16})} <= wrong
    assert promoted(promoted(bf16, u64), i8) is bf16 and promoted(bf16, promoted(u64, i8)) is f32


def test_an_integer_is_promoted_to_what_holds_it_unless_u64_meets_a_signed_one() -> None:
    for a, b in PAIRS:
        if a.is_int and b.is_int:
            common = promote_type(a, b)
            assert (holds(common, a) and holds(common, b)) is not (u64 in (a, b) and (a in SIGNED or b in SIGNED)), (
                a,
                b,
            )


LOSSES_OF_FLOATS = {
    ("f32", "f32r"),
    ("f16", "bf16"),
    ("f8e4m3", "f8e4m3fn"),
    ("f8e4m3", "f8e5m2"),
    ("f8e4m3", "f8e3m4"),
    ("f8e4m3fn", "f8e5m2"),
    ("f8e4m3fn", "f8e3m4"),
    ("f8e5m2", "f8e3m4"),
}


def test_two_floats_are_promoted_to_what_holds_both_unless_they_are_equally_wide() -> None:
    losses = {
        (a.name, b.name)
        for a, b in PAIRS
        if a.is_float and b.is_float and (common := promoted(a, b)) and not (holds(common, a) and holds(common, b))
    }
    assert losses == LOSSES_OF_FLOATS


def test_a_float_takes_an_integer_whether_it_holds_it_or_not() -> None:
    for a, b in PAIRS:
        if a.is_float is not b.is_float:
            assert promoted(a, b) is (a if a.is_float else b)


NUMPY = tuple(
    dtype for dtype in DTYPES if dtype.bits >= 8 and hasattr(np, dtype.numpy_name) and dtype not in (f32r, tf32)
)
"""The dtypes of numpy itself."""


def test_numpy_differs_where_a_value_would_be_lost_and_for_bool() -> None:
    for a, b in combinations(NUMPY, 2):
        theirs, ours = np.promote_types(a.numpy, b.numpy), promoted(a, b)
        if bool_ in (a, b) and (a.is_int or b.is_int):
            assert ours is None and theirs == max(a, b, key=lambda dtype: dtype.is_int).numpy
        elif ours is not None and holds(ours, a) and holds(ours, b):
            assert theirs == ours.numpy
        else:  # numpy takes a wider float, up to f64, which does not hold all integers of 64 bits either
            assert ours is not None and (theirs == np.float64 or theirs.itemsize > ours.numpy.itemsize), (a, b)


def test_numpy_has_a_common_dtype_for_few_pairs_of_ml_dtypes_and_then_ours_or_a_wider_one() -> None:
    """It follows the casts that ml_dtypes calls safe. One of these is not: from e4m3 to e3m4."""
    for a, b in PAIRS:
        if {f32r, tf32, bool_} & {a, b} or (a in NUMPY and b in NUMPY):
            continue
        try:
            theirs = np.promote_types(a.numpy, b.numpy)
        except TypeError:
            continue
        ours = promoted(a, b)
        if ours is None:
            assert f8e8m0 in (a, b) and theirs in (np.float32, np.float64)
        elif theirs != ours.numpy:
            assert theirs in (np.float32, np.float64) or theirs == dtype_of("f8e3m4").numpy, (a, b)


# The edges of the lattice in JAX's documentation, "Type promotion semantics": from a dtype to the next ones above. `f*`
# is its weakly typed float, which stands alone for f64 where 64-bit types are enabled.
JAX = {
    "bool": "u8 i8",
    "u8": "u16 i16",
    "u16": "u32 i32",
    "u32": "u64 i64",
    "u64": "f*",
    "i8": "i16",
    "i16": "i32",
    "i32": "i64",
    "i64": "f*",
    "f*": "bf16 f16",
    "bf16": "f32",
    "f16": "f32",
    "f32": "f64",
    "f64": "",
}


def above(name: str) -> set[str]:
    return {name}.union(*(above(next_one) for next_one in JAX[name].split()))


def join(a: str, b: str) -> str:
    common = above(a) & above(b)
    (least,) = (name for name in common if common <= above(name))
    return "f64" if least == "f*" else least


def test_jax_differs_for_bool_for_u64_and_for_the_two_16_bit_floats() -> None:
    dtypes = [dtype_of(name) for name in JAX if name != "f*"]
    differences = {}
    for a, b in combinations(dtypes, 2):
        ours = promoted(a, b)
        if (theirs := join(a.name, b.name)) != str(ours):
            differences[frozenset((a.name, b.name))] = (str(ours), theirs)
    integers = [dtype.name for dtype in dtypes if dtype.is_int]
    expected = {frozenset(("bool", name)): ("None", name) for name in integers}
    expected |= {frozenset(("u64", name)): ("f32", "f64") for name in integers if name[0] == "i"}
    expected[frozenset(("f16", "bf16"))] = ("bf16", "f32")
    assert differences == expected
