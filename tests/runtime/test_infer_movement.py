"""What is known of the results of data movement where not all is known of the operands."""

from __future__ import annotations

import pytest

from runtime.dtypes import bf16, f32, i64
from runtime.infer.control import scan_items_type
from runtime.infer.movement import (
    concat_type,
    dynamic_slice_type,
    expand_type,
    gather_nd_type,
    gather_type,
    narrow_type,
    reshape_type,
    scatter_add_type,
    top_k_type,
    transpose_type,
)
from runtime.types import Shape, Type

UNKNOWN = Type.tensor(f32, None)


def of(*shape: int | str | None) -> Type:
    return Type.tensor(f32, shape)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (gather_type(of("N", 4), Type.tensor(i64, (2, None)), 0), of(2, None, 4)),
        (gather_type(of("N", 4), Type.tensor(i64, None), 0), UNKNOWN),
        (gather_type(of(4), Type.tensor(i64, (2,)), 1), UNKNOWN),
        (narrow_type(of("N", 4), 0, 3), of(3, 4)),
        (narrow_type(UNKNOWN, 0, 3), UNKNOWN),
        (narrow_type(of(4), 1, 3), UNKNOWN),
        (transpose_type(of("N", None, 4), [2, 0, 1]), of(4, "N", None)),
        (transpose_type(of(2, 3), [0, 0]), UNKNOWN),
        (transpose_type(of(2, 3), [0]), UNKNOWN),
        (expand_type(of("N", 1), (2, 1, 4)), of(2, "N", 4)),
        (expand_type(UNKNOWN, (2,)), UNKNOWN),
        (expand_type(of(3), (2,)), UNKNOWN),
        (top_k_type(of("N", 4), 2, 1, i64), Type.tensor(i64, ("N", 2))),
        (top_k_type(UNKNOWN, 2, 1, None), Type.tensor(None, None)),
        (scatter_add_type(of(5, "N"), 3), of(3, "N")),
        (scatter_add_type(of(), 3), UNKNOWN),
        (scatter_add_type(UNKNOWN, 3), UNKNOWN),
        (gather_nd_type(of("B", 3, 4), Type.tensor(i64, ("B", 7, 1)), 1), of("B", 7, 4)),
        (gather_nd_type(of(2, 3), Type.tensor(i64, (7, "K")), 0), UNKNOWN),
        (gather_nd_type(of(2, 3), Type.tensor(i64, (7, 3)), 0), UNKNOWN),
        (gather_nd_type(of(2, 3), Type.tensor(i64, ()), 0), UNKNOWN),
        (gather_nd_type(of(2, 3), Type.tensor(i64, (2, 1)), 2), UNKNOWN),
        (dynamic_slice_type(UNKNOWN, [2, 3]), of(2, 3)),
        (scan_items_type((of(4, 2), of("N")), 1), of("N")),
        (scan_items_type((of(4, 2),), 1), Type.tensor(None, None)),
    ],
)
def test_what_is_known_stays_known(found: Type, expected: Type) -> None:
    assert found is expected


@pytest.mark.parametrize(
    ("src", "new", "shape"),
    [
        (of(2, 6), (3, None), (3, 4)),
        (of(2, 6), (5, None), (5, None)),
        (of(2, 6), (0, None), (0, None)),
        (of(2, "N"), (4, None), (4, None)),
        (of(2, 6), ("N", None), ("N", None)),
        (of(2, 6), (None, None), (None, None)),
        (of(2, 6), (12,), (12,)),
        (UNKNOWN, (None, 3), (None, 3)),
    ],
)
def test_one_extent_of_a_new_shape_follows_from_the_others(src: Type, new: Shape, shape: Shape) -> None:
    assert reshape_type(src, new) is Type.tensor(f32, shape)


@pytest.mark.parametrize(
    ("parts", "axis", "expected"),
    [
        ((of(2, 3), of(2, 4)), 1, of(2, 7)),
        ((of("N", 3), of(2, 4)), 1, of(2, 7)),
        ((of("N", 3), of("N", 4)), 1, of("N", 7)),
        ((of("N", 3), of("M", 4)), 1, of(None, 7)),
        ((of(2, "N"), of(2, 4)), 1, of(2, None)),
        ((of(2, "N"),), 1, of(2, "N")),
        ((of(2, 3), UNKNOWN), 1, of(2, None)),
        ((of(2, 3), of(2)), 1, UNKNOWN),
        ((of(2, 3),), 2, UNKNOWN),
        ((), 0, Type.tensor(None, None)),
        ((Type.tensor(bf16, (1,)), of(1)), 0, Type.tensor(bf16, (2,))),
    ],
)
def test_parts_know_together_what_one_of_them_knows(parts: tuple[Type, ...], axis: int, expected: Type) -> None:
    assert concat_type(parts, axis) is expected
