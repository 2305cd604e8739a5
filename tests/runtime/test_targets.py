"""The table of targets: figures copied by hand from the documents, names, aliases, order."""

from __future__ import annotations

import dataclasses
import itertools
import pickle

import pytest

from runtime.targets import TARGETS, Target, UnknownTargetError, inf1, parse_target, trn1, trn2, trn3

KIB, MIB = 1 << 10, 1 << 20


def test_targets_are_listed_oldest_first() -> None:
    assert [target.name for target in TARGETS] == ["inf1", "trn1", "trn2", "trn3"]
    assert [target.arch_level for target in TARGETS] == [10, 20, 30, 40]
    assert [target.generation for target in TARGETS] == [1, 2, 3, 4]


def test_order_is_that_of_generations() -> None:
    for (i, a), (j, b) in itertools.product(enumerate(TARGETS), repeat=2):
        assert (a < b, a <= b, a > b, a >= b, a == b) == (i < j, i <= j, i > j, i >= j, i == j)
    variant = dataclasses.replace(trn2, name="trn2n")
    assert variant != trn2 and not variant < trn2 and not variant > trn2 and variant <= trn2 <= variant


@pytest.mark.parametrize(
    ("target", "sbuf", "sbuf_total", "reserved", "psum_banks", "psum", "psum_total"),
    [
        (trn1, 192 * KIB, 24 * MIB, 0x4000, 8, 16 * KIB, 2 * MIB),
        (trn2, 224 * KIB, 28 * MIB, 0x4008, 8, 16 * KIB, 2 * MIB),
        (trn3, 256 * KIB, 32 * MIB, 0x4008, 8, 16 * KIB, 2 * MIB),
    ],
    ids=str,
)
def test_memories(
    target: Target, sbuf: int, sbuf_total: int, reserved: int, psum_banks: int, psum: int, psum_total: int
) -> None:
    assert (target.sbuf_bytes, target.sbuf_partitions) == (sbuf, 128)
    assert target.sbuf_bytes * target.sbuf_partitions == sbuf_total
    assert (target.sbuf_reserved_bytes, target.sbuf_usable_bytes) == (reserved, sbuf - reserved)
    assert (target.psum_banks, target.psum_bank_bytes, target.psum_bytes) == (psum_banks, 2 * KIB, psum)
    assert (target.psum_bytes * target.psum_partitions, target.psum_partitions) == (psum_total, 128)


def test_memories_of_the_first_generation() -> None:
    assert (inf1.sbuf_bytes, inf1.sbuf_partitions, inf1.psum_banks, inf1.psum_partitions) == (96 * KIB, 128, 4, 64)


def test_matmul_dtypes() -> None:
    first = {"bf16", "f16", "f32", "f32r", "f8e4m3", "f8e5m2", "i8", "u8"}
    assert {dtype.name for dtype in inf1.matmul_dtypes} == first
    for target in (trn1, trn2):
        assert {dtype.name for dtype in target.matmul_dtypes} == first | {"f8e3m4", "tf32"}
    assert {dtype.name for dtype in trn3.matmul_dtypes} == first | {"f8e3m4", "tf32", "f8e4m3fn"}
    assert [dtype.name for dtype in trn3.mx_matmul_dtypes] == ["f8e4m3fn", "f8e5m2", "f4e2m1"]
    assert not any(target.mx_matmul_dtypes for target in (inf1, trn1, trn2))


def test_engines() -> None:
    assert [engine.value for engine in inf1.engines] == ["tensor", "vector", "scalar", "dma", "sync"]
    for target in (trn1, trn2, trn3):
        assert [engine.value for engine in target.engines] == ["tensor", "vector", "scalar", "gpsimd", "dma", "sync"]


@pytest.mark.parametrize(
    ("names", "target"),
    [
        ("inf1 tonga gen1 INF1 Tonga", inf1),
        ("trn1 sunda inf2 gen2 Trn1", trn1),
        ("trn2 cayman trn3pre gen3 CAYMAN", trn2),
        ("trn3 corev4 core_v4 CoreV4 mariana gen4", trn3),
    ],
)
def test_names_and_aliases_in_any_case(names: str, target: Target) -> None:
    for name in names.split():
        assert parse_target(name) is target


def test_no_name_stands_for_two_targets() -> None:
    names = [name for target in TARGETS for name in (target.name, *target.aliases)]
    assert len(names) == len(set(names)) and names == [name.lower() for name in names]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("sundae", 'no target is called "sundae"; did you mean "sunda"?'),
        ("trn4", 'no target is called "trn4"; did you mean "trn1", "trn2" or "trn3"?'),
        ("tpu", 'no target is called "tpu"; known: inf1, trn1, trn2, trn3'),
    ],
)
def test_an_unknown_name_is_answered_with_near_ones(wrong: str, message: str) -> None:
    with pytest.raises(UnknownTargetError) as caught:
        parse_target(wrong)
    assert str(caught.value) == message and isinstance(caught.value, ValueError)


def test_a_target_is_plain_data() -> None:
    assert pickle.loads(pickle.dumps(trn2)) == trn2 and hash(trn2) == hash(pickle.loads(pickle.dumps(trn2)))
    assert str(trn2) == "trn2"
    with pytest.raises(dataclasses.FrozenInstanceError):
        trn2.name = "other"  # type: ignore[misc]


@pytest.mark.parametrize(("n", "multiple"), [(1, 32), (32, 32), (33, 64), (64, 64), (65, 128), (128, 128)])
def test_where_accesses_start(n: int, multiple: int) -> None:
    """As the architecture guides have it: up to 32 partitions at 0, 32, 64, 96, up to 64 at 0, 64, more at 0."""
    assert [target.start_multiple(n) for target in (trn1, trn2, trn3)] == [multiple] * 3
    assert inf1.start_multiple(n) == 1


def test_faster_modes_of_the_tensor_engine() -> None:
    assert [target.dtypes_in("double_row") is not None for target in TARGETS] == [False, False, True, True]
    assert {dtype.bits for dtype in trn2.dtypes_in("double_row") or ()} == {8}
    assert trn2.dtypes_in("quad_row") is None
