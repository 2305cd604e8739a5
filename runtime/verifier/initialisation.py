"""Tensors that are read where nothing can have written them, and outputs of which a part is never written.

What may have been written before a read: whatever a store further up reaches, and whatever one reaches in a loop that
is around both, which may have run in an iteration before. In its first iteration, a read outside of regions comes after
the former only. All that a store reaches, over all iterations in which it runs, is taken to be written: from the first
element to the last, and from the first column to the last. So what is said to be unwritten is so for certain, and more
may be.

Source: the interpreter refuses to read what nothing has written.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from math import prod

from runtime.access import NeuronAP
from runtime.affine import Affine
from runtime.blocks import Loop, Statement
from runtime.builtin import Opaque
from runtime.functions import Function
from runtime.instructions import Instruction
from runtime.iterations import bounds_where
from runtime.tensors import Tensor
from runtime.verifier.findings import Findings, field_of

Span = tuple[int, int]  # bits of a tensor, the last one excluded
Accesses = Mapping[NeuronAP, Instruction]  # in program order, with the instructions that hold them


def check_initialised(function: Function, accesses_of: Callable[[Tensor], Accesses], findings: Findings) -> None:
    """Report the first read of each tensor that comes before any store to what it reads, and unwritten outputs."""
    for tensor in function.tensors.values():
        if tensor.isInput or tensor.init is not None or not all(tensor.known_shape):
            continue
        check = _TensorCheck(tensor, findings)
        for access, inst in accesses_of(tensor).items():
            if all(around.axis.trip_count > 0 for around in inst.enclosing if isinstance(around, Loop)):
                check.access(access, inst)
        check.end()


class _Spans:
    """What has been written, as spans that neither overlap nor touch, in order."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    @property
    def is_any(self) -> bool:
        """Whether anything was written."""
        return bool(self._starts)

    def add(self, span: Span) -> None:
        start, end = span
        first, last = bisect_left(self._ends, start), bisect_right(self._starts, end)
        if first < last:
            start, end = min(start, self._starts[first]), max(end, self._ends[last - 1])
        self._starts[first:last], self._ends[first:last] = [start], [end]

    def touches(self, span: Span) -> bool:
        """Whether any of it was written."""
        at = bisect_right(self._ends, span[0])
        return at < len(self._starts) and self._starts[at] < span[1]

    def first_gap(self, size: int) -> int | None:
        """Return the first bit of `size` that was not written."""
        if self._starts[:1] != [0]:
            return 0
        return self._ends[0] if self._ends[0] < size else None


class _TensorCheck:
    """Goes along the accesses to one tensor, in program order."""

    def __init__(self, tensor: Tensor, findings: Findings) -> None:
        self._tensor = tensor
        self._findings = findings
        self._size = prod(tensor.known_shape) * tensor.dtype.bits
        self._row = prod(tensor.known_shape[1:]) * tensor.dtype.bits
        self._written = _Spans()
        self._columns = _Spans()  # what of any partition, or row, is written
        self._repeating: Statement | None = None  # the outermost statement that repeats what we are at
        self._waiting: list[tuple[NeuronAP, Instruction]] = []  # reads within it, which its stores may come before
        self._is_reported = False

    def access(self, access: NeuronAP, inst: Instruction) -> None:
        repeating = _outermost_repeating(inst)
        if repeating is not self._repeating:
            self._judge_waiting()
            self._repeating = repeating
        if access.mode.is_load and not isinstance(inst, Opaque):  # which may only write
            in_loops = all(isinstance(around, Loop) for around in inst.enclosing)
            if repeating is not None:
                self._waiting.append((access, inst))
            if repeating is None or (in_loops and not inst.is_predicated):
                self._judge(access, inst, at_first=repeating is not None)
        if access.mode.is_store:
            span = self._span(access, inst)
            if span is not None:
                self._written.add(span)
                self._columns.add(self._columns_of(access, inst))

    def end(self) -> None:
        """Judge what has to wait for the last access."""
        self._judge_waiting()
        tensor = self._tensor
        gaps = (self._written.first_gap(self._size), self._columns.first_gap(self._row))
        gap = next((gap for gap in gaps if gap is not None), None)
        if tensor.isOutput and gap is not None and not self._is_reported:
            what = f"element {gap // tensor.dtype.bits} of " if self._written.is_any else ""
            self._findings.add("V085", f"nothing writes {what}the output {{value}}", tensor, "result", tensor)

    def _judge_waiting(self) -> None:
        for access, inst in self._waiting:
            self._judge(access, inst)
        self._waiting.clear()

    def _judge(self, access: NeuronAP, inst: Instruction, *, at_first: bool = False) -> None:
        """Report a read, by default one in any iteration, of what is not written yet."""
        if self._is_reported:
            return
        if _is_moved_at_run_time(inst) or inst.is_predicated:
            if not self._may_be_written(access, inst):
                self._report(access, inst, None)
            return
        bits = access.dtype.bits
        low, high = _first_bounds(access) if at_first else access.bounds
        ends = dict.fromkeys((low, high) if low <= high else ())
        inside = [element for element in ends if 0 <= element * bits < self._size]  # another one is reported itself
        unwritten = [element for element in inside if not self._is_written(element * bits, (element + 1) * bits)]
        if unwritten:
            self._report(access, inst, unwritten[0] if len(unwritten) < len(inside) else None)

    def _is_written(self, start: int, end: int) -> bool:
        column = start % self._row
        return self._written.touches((start, end)) and self._columns.touches((column, column + end - start))

    def _may_be_written(self, access: NeuronAP, inst: Instruction) -> bool:
        """Whether anything that an access may reach is written."""
        span = self._span(access, inst)
        reached = span is None or self._written.touches(span)
        return reached and self._columns.touches(self._columns_of(access, inst))

    def _report(self, access: NeuronAP, inst: Instruction, element: int | None) -> None:
        self._is_reported = True
        what = "" if element is None else f"element {element} of "
        message = f"reads {what}{{value}}, which nothing has written before"
        is_written = self._tensor.n_stores
        help = "it is written here or further down only" if is_written else "it is neither an input nor a constant"
        help = "no store above reaches it" if self._written.is_any else help
        self._findings.add("V084", message, inst, field_of(access, inst), self._tensor, help)

    def _span(self, access: NeuronAP, inst: Instruction) -> Span | None:
        """Return what an access may reach."""
        if _is_moved_at_run_time(inst):
            return 0, self._size
        low, high = access.bounds
        if inst.is_predicated:
            offset = bounds_where(access.offset, inst.predicates)
            if offset is None:
                return None
            first, last = access.offset.bounds
            low, high = low - first + offset[0], high - last + offset[1]
        return (low * access.dtype.bits, (high + 1) * access.dtype.bits) if low <= high else None

    def _columns_of(self, access: NeuronAP, inst: Instruction) -> Span:
        """Return what an access may reach of a row, the same of all rows that it reaches."""
        bits = access.dtype.bits
        row, rest = divmod(self._row, bits)
        if not row or rest:  # elements of that width do not stand in rows, which is reported itself
            return 0, self._row
        pairs = [(step, num) for step, num in access.pairs if step % row and num > 1]
        terms = [
            (axis, factor)
            for axis, factor in access.offset.terms
            if factor * axis.lower % row or factor * axis.step % row
        ]
        within = Affine(access.offset.constant % row, tuple(terms))
        bounds = bounds_where(within, inst.predicates) if inst.is_predicated else within.bounds
        if bounds is not None and not _is_moved_at_run_time(inst):
            low = bounds[0] + sum(step * (num - 1) for step, num in pairs if step < 0)
            high = bounds[1] + sum(step * (num - 1) for step, num in pairs if step > 0)
            if low >= 0 and high < row:
                return low * bits, (high + 1) * bits
        return 0, self._row


def _outermost_repeating(inst: Instruction) -> Statement | None:
    found = None
    for around in inst.enclosing:
        if around.axis.trip_count > 1 if isinstance(around, Loop) else around.may_repeat_regions:
            found = around
    return found


def _first_bounds(access: NeuronAP) -> Span:
    """Return the smallest and the largest element that an access reaches in the first iteration of all loops."""
    low, high = access.bounds
    first, last = access.offset.bounds
    start = access.offset.evaluate({axis: axis.lower for axis, _ in access.offset.terms})
    return low - first + start, high - last + start


def _is_moved_at_run_time(inst: Instruction) -> bool:
    """Whether addresses of an instruction are known at run time only."""
    return any(
        operand.precision == "index" and getattr(inst, operand.name) not in (None, ()) for operand in inst.INFO.operands
    )
