"""Rules that several instructions of the engines have for their tiles; wrappers yield what these find.

A tile has its partitions along the first dimension. What is not known violates nothing.

Deliberately absent: which instruction has which rule, and what depends on the target.

Units: elements.
Source: AWS Neuron documentation, `nki.isa`; its release notes of NKI 0.4 on operations of trn3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Protocol

from runtime.access import NeuronAP
from runtime.arithmetic import ALU_OF_ONE, BITVEC
from runtime.dtypes import DType
from runtime.engines import NeuronEngine
from runtime.instructions import NeuronInst, Problem
from runtime.targets import Target, trn2, trn3
from runtime.types import Shape, Type
from runtime.values import Operand

LONGEST_PATTERN = 4
OF_WHOLE_WORDS = ("bitwise_not", "logical_shift_left", "logical_shift_right")
_FROM_TRN3 = ("abs_max", "abs_min", "relu", "square")


def elements_in_partition(type: Type) -> int | None:
    """Return how many elements a tile has in each partition; None where that is not known."""
    inner = type.shape[1:] if type.shape else ()
    known = [extent for extent in inner if isinstance(extent, int)]
    return prod(known) if type.shape and len(known) == len(inner) else None


def shown(shape: Shape) -> str:
    """Return a shape as it is printed."""
    return f"[{','.join('?' if extent is None else str(extent) for extent in shape)}]"


def why_not_pattern(steps: Sequence[int], counts: Sequence[int], tile: Type) -> Iterator[Problem]:
    """Yield why lists of steps and counts do not walk the elements of one partition of a tile."""
    if len(steps) != len(counts):
        yield Problem(f"there are {len(steps)} steps and {len(counts)} counts; each step has a count", "counts")
        return
    if not 1 <= len(counts) <= LONGEST_PATTERN:
        yield Problem(f"the pattern has {len(counts)} dimensions; expected 1 to {LONGEST_PATTERN}", "counts")
        return
    walked, present = prod(counts), elements_in_partition(tile)
    if present is not None and walked != present:
        yield Problem(
            f"the pattern gives {walked} elements for each partition of {tile}, which has {present}", "counts"
        )


def why_not_one_a_partition(name: str, operand: Operand | None, tile: Type) -> Iterator[Problem]:
    """Yield why an operand does not hold one element for each partition of a tile, [P, 1]."""
    if operand is None or operand.type.shape is None or not tile.shape:
        return
    expected = (tile.shape[0], 1)
    if operand.type.shape != expected and isinstance(tile.shape[0], int):
        yield Problem(
            f"{name} is {shown(operand.type.shape)}; one element for each partition is {shown(expected)}", name
        )


def why_not_alike(name: str, operand: Operand | None, other: str, tile: Type) -> Iterator[Problem]:
    """Yield why an operand has not as many partitions, and elements in each, as a tile."""
    if operand is None or not operand.type.shape or not tile.shape:
        return
    here = (operand.type.shape[0], elements_in_partition(operand.type))
    there = (tile.shape[0], elements_in_partition(tile))
    if any(isinstance(one, int) and isinstance(two, int) and one != two for one, two in zip(here, there, strict=True)):
        yield Problem(
            f"{name} is {operand.type} and {other} is {tile}; both have as many partitions and elements", name
        )


def why_not_count(name: str, type: Type, least: int, most: int) -> Iterator[Problem]:
    """Yield why the number of elements in a partition is not within bounds."""
    count = elements_in_partition(type)
    if count is not None and not least <= count <= most:
        expected = f"{least} to {most}" if least < most else f"{least}"
        yield Problem(f"{name} has {count} elements in a partition; expected {expected}", name)


def why_both_in_psum(first: str, one: Operand | None, second: str, other: Operand | None) -> Iterator[Problem]:
    """Yield that two operands are both accesses to PSUM, of which the vector engine reads one at most."""
    if all(isinstance(operand, NeuronAP) and operand.tensor.memory == "psum" for operand in (one, other)):
        yield Problem(f"{first} and {second} are both in psum; one of them at most may be", second)


def why_not_an_element(name: str, value: float, dtype: DType | None) -> Iterator[Problem]:
    """Yield why a number is no element of a tile of integers or truth values; to a float it is rounded."""
    if dtype is None:
        return
    if dtype.is_int and not (dtype.lowest <= value <= dtype.largest and value == int(value)):
        yield Problem(f"{name} is {value}, which is no element of {dtype}", name)
    if dtype.is_bool and value not in (0, 1):
        yield Problem(f"{name} is {value}; a tile of truth values is filled with 0 or 1", name)


class HasPattern(Protocol):
    """An instruction with the numbers of an affine expression."""

    @property
    def steps(self) -> tuple[int, ...]: ...
    @property
    def counts(self) -> tuple[int, ...]: ...
    @property
    def offset(self) -> int: ...
    @property
    def channel_multiplier(self) -> int: ...


def why_not_in_i32(inst: HasPattern, tile: Type) -> Iterator[Problem]:
    """Yield that a pattern reaches a number that i32 does not hold."""
    partitions = tile.shape[0] if tile.shape else 1
    last = partitions - 1 if isinstance(partitions, int) else 0
    reach = [inst.channel_multiplier * last]
    reach += [step * (count - 1) for step, count in zip(inst.steps, inst.counts, strict=False)]
    low = inst.offset + sum(part for part in reach if part < 0)
    high = inst.offset + sum(part for part in reach if part > 0)
    if low < -(1 << 31) or high >= 1 << 31:
        yield Problem(f"the pattern reaches {low} to {high}; expected numbers of i32", "steps")


def why_not_scalar_of(number: int, op: str, operand: Operand | None, constant: float | None) -> Iterator[Problem]:
    """Yield why an operation of an instruction that computes in f32 does not go with its scalar, or the lack of one."""
    field = f"op{number}"
    if op in BITVEC:
        yield Problem(f"{field} is {op}, which works on bits; expected one that computes", field)
    elif op in ALU_OF_ONE and (operand is not None or constant):
        yield Problem(f"{field} is {op}, which takes no scalar", field)
    elif op not in ALU_OF_ONE and operand is None and constant is None:
        yield Problem(f"{field} is {op}, and there is no scalar for it", field)


def why_not_of_two(field: str, op: str) -> Iterator[Problem]:
    """Yield why an operation is none that computes something of two numbers."""
    if op in BITVEC:
        yield Problem(f"{field} is {op}, which works on bits; expected one that computes", field)
    elif op in ALU_OF_ONE:
        yield Problem(f"{field} is {op}, which takes one number; there are two", field)


def why_not_alu_on(target: Target, **ops: str | None) -> Iterator[Problem]:
    """Yield which operations, by field, a generation does not have."""
    for field, op in ops.items():
        if op in _FROM_TRN3 and target < trn3:
            yield Problem(f"{field} is {op}, which engines have from trn3 on, and not on {target}", field)


def why_not_on_bits(op: str, *sides: tuple[str, Type]) -> Iterator[Problem]:
    """Yield which of some operands and results, by name, have no bits of integers, or would have to be cast."""
    first = next((type.dtype for _, type in sides if type.dtype is not None), None)
    for name, type in sides:
        dtype = type.dtype
        if dtype is None or first is None:
            continue
        if not (dtype.is_int or dtype.is_bool):
            yield Problem(f"{name} has elements of {dtype}; {op} works on the bits of integers", name)
        elif dtype.is_bool and op in OF_WHOLE_WORDS:
            yield Problem(f"{name} has truth values, which have one bit; {op} works on the bits of integers", name)
        elif dtype is not first:
            yield Problem(f"{name} has elements of {dtype} beside {first}; an operation on bits casts none", name)


class Accumulates(Protocol):
    """An instruction that may combine its results with the accumulators of its engine."""

    @property
    def reduce_cmd(self) -> str: ...
    @property
    def initial(self) -> Operand | None: ...
    @property
    def initial_scalar(self) -> float | None: ...


def why_not_start(inst: Accumulates, tile: Type) -> Iterator[Problem]:
    """Yield why the initial value of accumulators does not go with the command, or with the tile."""
    yield from why_not_one_a_partition("initial", inst.initial, tile)
    if inst.reduce_cmd != "load_reduce" and (inst.initial is not None or inst.initial_scalar is not None):
        yield Problem(f"reduce_cmd is {inst.reduce_cmd}; an initial value is for load_reduce", "reduce_cmd")


def why_not_read_out(reduce_cmd: str, reduce_res: Operand | None, tile: Type) -> Iterator[Problem]:
    """Yield why the accumulators cannot be written to an operand."""
    yield from why_not_one_a_partition("reduce_res", reduce_res, tile)
    if reduce_res is not None and reduce_cmd == "idle":
        yield Problem("reduce_cmd is idle, which leaves nothing to write to reduce_res", "reduce_cmd")


def why_not_states(inst: NeuronInst, name: str, type: Type) -> Iterator[Problem]:
    """Yield why a tile does not hold the states of the random generator for each lane of the engine."""
    count = elements_in_partition(type)
    sizes = {NeuronEngine.GPSIMD: (6,), NeuronEngine.VECTOR: (24,)}
    expected = (6, 24) if inst.assigned_engine is None else sizes.get(inst.assigned_engine, (6, 24))
    if count is not None and count not in expected:
        wanted = " or ".join(map(str, expected))
        yield Problem(f"{name} has {count} elements in a partition; the states of a lane have {wanted}", name)


class Activates(Protocol):
    """An activation, with its scale and bias."""

    @property
    def src(self) -> Operand: ...
    @property
    def function(self) -> str: ...
    @property
    def bias(self) -> Operand | None: ...
    @property
    def bias_scalar(self) -> float | None: ...
    @property
    def scale(self) -> float: ...
    @property
    def scale_vector(self) -> Operand | None: ...


def why_not_activation(inst: Activates) -> Iterator[Problem]:
    """Yield why scale and bias do not go with the tile, or with each other."""
    for name, operand in (("bias", inst.bias), ("scale_vector", inst.scale_vector)):
        if operand is None or operand.type.shape is None or inst.src.type.shape is None:
            continue
        expected = (*(inst.src.type.shape[:1] or (1,)), 1)
        if operand.type.shape != expected:
            found = shown(operand.type.shape)
            yield Problem(f"{name} is {found}; one element for each partition of src is {shown(expected)}", name)
    if inst.scale_vector is not None and inst.scale != 1.0:
        yield Problem(f"scale is {inst.scale}, and there is a scale_vector in its place", "scale")


def why_not_activation_on(inst: Activates, target: Target) -> Iterator[Problem]:
    """Yield why a generation has no such bias."""
    if target >= trn2:
        return
    if inst.bias_scalar is not None:
        yield Problem(f"{target} takes a bias for each partition, and no constant", "bias_scalar")
    if inst.function == "reciprocal" and inst.bias is not None:
        yield Problem(f"the reciprocal has no bias on {target}", "bias")
