"""Accesses against the tensors that they reach into, over all iterations of the loops around them.

On chip a tensor's first extent lies across the partitions, and its elements of one partition are a row. The partition
pair walks whole rows; the free pairs stay within one, the same for every partition.

Units: elements of the access's own dtype.
Source: AWS Neuron documentation, access patterns: the partition step is the number of elements of one partition.
"""

from __future__ import annotations

from math import prod

from runtime.access import NeuronAP, Pairs
from runtime.affine import Affine, Axis
from runtime.instructions import Instruction
from runtime.iterations import Undecided, witness
from runtime.predicates import AffinePredicate, Predicates
from runtime.verifier.findings import Findings, field_of


def check_access(
    access: NeuronAP, inst: Instruction, predicates: Predicates, findings: Findings, *, runs: bool
) -> None:
    """Check one access of an instruction, in the iterations where its predicates hold.

    `runs` says whether the loops around it run at all.
    """
    tensor, offset = access.tensor, access.offset
    if access.indices and len(access.indices) != len(access.pairs):
        slot = field_of(access, inst)
        message = f"{_shown(slot)} names {len(access.indices)} indices for {len(access.pairs)} pairs of {{value}}"
        findings.add("V075", message, inst, None, tensor, "one index a pair, or none at all")
        return
    if access.reinterpret is None and not offset.terms and offset.constant == 0 and access.is_whole:
        return
    width = tensor.dtype.bits
    own = width if access.reinterpret is None else access.reinterpret.bits
    if width % own:
        slot = field_of(access, inst)
        message = f"{_shown(slot)} reads {{value}} of {tensor.dtype} as {access.reinterpret}"
        findings.add("V074", message, inst, slot, tensor, f"an element of {own} bits is no part of one of {width}")
        return
    empty = next((pair for pair in access.pairs if pair[1] < 1), None)
    if empty is not None:
        slot = field_of(access, inst)
        message = f"{_shown(slot)} has the pair {empty[0]}:{empty[1]} in {{value}}; expected num of at least 1"
        findings.add("V071", message, inst, slot, access)
        return
    if runs:
        row = prod(tensor.known_shape[1:]) * (width // own)
        size = row * (tensor.known_shape[0] if tensor.known_shape else 1)
        if size:  # a tensor without elements is reported itself
            _check_reach(access, inst, predicates, size, row, findings)


def _check_reach(
    access: NeuronAP, inst: Instruction, predicates: Predicates, size: int, row: int, findings: Findings
) -> None:
    found = _outside(access, size, predicates)
    if found is not None:
        slot = field_of(access, inst)
        message = f"{_shown(slot)} reaches {found[0]} of {{value}}, which has {size}{found[1]}"
        findings.add("V070", message, inst, slot, access.tensor)
        return
    if access.tensor.memory == "dram" or not access.pairs:
        return
    step, num = access.pairs[0]
    if num > 1 and step != row:
        slot = field_of(access, inst)
        message = f"{_shown(slot)} has the partition pair {step}:{num} in {{value}}; expected step {row}"
        help = "partitions are contiguous: the step is the number of elements in one"
        findings.add("V072", message, inst, slot, access, help)
        return
    found = _across(access, size, row, predicates)
    if found is not None:
        slot = field_of(access, inst)
        message = f"{_shown(slot)} reaches {found[0]} of a partition of {{value}}, which has {row}{found[1]}"
        findings.add("V073", message, inst, slot, access.tensor)


def _outside(access: NeuronAP, size: int, predicates: Predicates) -> tuple[str, str] | None:
    """Return which elements are reached, and in which iteration, where some of them are not within `size`."""
    low, high = access.bounds
    if low >= 0 and high < size:
        return None
    if not predicates:
        return f"elements {low} to {high}", ""
    least, most = _reach(access.pairs)
    return _first_beyond(access.offset + least, access.offset + most, size, predicates)


def _across(access: NeuronAP, size: int, row: int, predicates: Predicates) -> tuple[str, str] | None:
    """Return the same of elements of a partition, which has `row` elements, where the free pairs leave it.

    Whole rows in the offset move along the partitions. What is left where they are taken out of each term is less than
    a row nearly always, and then it is where in a partition the access starts; else each row is tried.
    """
    offset, (least, most) = access.offset, _reach(access.pairs[1:])
    low = high = offset.constant % row
    for axis, factor in offset.terms:
        rest = factor - row * int(factor / row)
        ends = (rest * axis.lower, rest * (axis.lower + max(axis.trip_count - 1, 0) * axis.step))
        low, high = low + min(ends), high + max(ends)
    if low + least >= 0 and high + most < row:
        return None
    at_row = Axis("", size // row)
    within = offset + Affine(0, ((at_row, -row),))
    starts_there = (AffinePredicate.pred_ge(within), AffinePredicate.pred_lt(within, row))
    return _first_beyond(within + least, within + most, row, (*predicates, *starts_there))


def _reach(pairs: Pairs) -> tuple[int, int]:
    """Return how far pairs go back and forth from where they start."""
    ends = [step * (num - 1) for step, num in pairs]
    return sum(end for end in ends if end < 0), sum(end for end in ends if end > 0)


def _first_beyond(lowest: Affine, highest: Affine, size: int, where: Predicates) -> tuple[str, str] | None:
    """Return an element that is not within `size`, and in which iteration it is reached; None where there may be none.

    `lowest` and `highest` are the ends of what is reached, in the iterations in which all of `where` hold.
    """
    for reached, is_beyond in (
        (highest, AffinePredicate.pred_ge(highest, size)),
        (lowest, AffinePredicate.pred_lt(lowest, 0)),
    ):
        try:
            values = witness((*where, is_beyond))
        except Undecided:
            continue
        if values is not None:
            named = " and ".join(f"%{axis.name} is {value}" for axis, value in values.items() if axis.name)
            return f"element {reached.evaluate(values)}", f", where {named}" if named else ""
    return None


def _shown(field: str) -> str:
    return f'the {"destination" if field == "dst" else "operand"} "{field}"'
