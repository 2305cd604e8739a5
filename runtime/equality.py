"""Whether two programs are the same, and where not: for tests, and for whoever must know whether a pass changed one.

Deliberately absent: meaning. `x + y` and `y + x` differ. Equal are programs of the same statements in the same order,
over values that correspond, with the same attributes, types, engines and source places. Floats and constants are
compared to the bit. An access that names no dimension is equal to one that names each of them with nothing. A tensor
that is read when it is needed is fetched, and equal to a constant of the same dtype, shape and bytes; what two front
ends keep beside two such tensors counts.
"""

from __future__ import annotations

import struct
from typing import Any

from runtime.access import NeuronAP
from runtime.affine import Axis
from runtime.blocks import Block, Loop, Statement
from runtime.builtin import Opaque
from runtime.constants import Constant
from runtime.functions import Function, Module
from runtime.generic import GenericInst
from runtime.instructions import Instruction, NeuronInst
from runtime.lazy_tensors import LazyTensor
from runtime.text.contents import first_element, is_stored_once
from runtime.values import Value

Named = Value | Axis

_TENSORS = (Constant, LazyTensor)


def why_different(a: Module | Function, b: Module | Function, *, names: bool = True) -> str | None:
    """Return the first difference between two modules or two functions, or None where they are equal.

    `names`: whether those of values, tensors and axes count; those of functions always do.
    """
    if isinstance(a, Function) and isinstance(b, Function):
        return _first(_Comparison(a, b, names))
    if not isinstance(a, Module) or not isinstance(b, Module):
        return f"a {type(a).__name__} and a {type(b).__name__}"
    if a.target != b.target:
        return f"target: {a.target} and {b.target}"
    if list(a.functions) != list(b.functions):
        return f"functions: {_listed(a.functions)} and {_listed(b.functions)}"
    if a.carried != b.carried:
        return f"carried: {_carried(a.carried)} and {_carried(b.carried)}"
    for name, function in a.functions.items():
        reason = _first(_Comparison(function, b.functions[name], names))
        if reason is not None:
            return reason
    return None


class _Different(Exception):
    """Two parts differ."""


def _first(comparison: _Comparison) -> str | None:
    try:
        comparison.run()
    except _Different as found:
        return f"@{comparison.a.name}: {found}"
    return None


class _Comparison:
    """Walks two functions side by side: first what stands where, then what uses what, so that order does not matter."""

    def __init__(self, a: Function, b: Function, names: bool) -> None:
        self.a = a
        self.b = b
        self.names = names
        self.partner: dict[Named, Named] = {}  # of a value, tensor or axis of `a`, the one in `b`
        self.instructions: list[tuple[str, Instruction, Instruction]] = []

    def run(self) -> None:
        """Raise _Different at the first difference."""
        _same("name", self.a.name, self.b.name)
        _same("operator sets", self.a.operator_sets, self.b.operator_sets)
        self._pair_tensors()
        self._pair_blocks("body", self.a.body, self.b.body)
        for path, a, b in self.instructions:
            self._compare_fields(path, a, b)

    def _pair_tensors(self) -> None:
        _same("number of tensors", len(self.a.tensors), len(self.b.tensors))
        for a, b in zip(self.a.tensors.values(), self.b.tensors.values(), strict=True):
            path = f"tensor %{a.name}"
            self._pair(path, a, b)
            for what in ("memory", "isInput", "isOutput"):
                _same(f"{path}: {what}", getattr(a, what), getattr(b, what))
            _same_tensor(f"{path}: contents", a.init, b.init)

    def _pair(self, path: str, a: Named, b: Named) -> None:
        """Remember that `b` is to `b`'s function what `a` is to `a`'s."""
        if self.names:
            _same(f"{path}: name", a.name, b.name)
        if isinstance(a, Value) and isinstance(b, Value) and a.type is not b.type:
            raise _Different(f"{path}: type: {a.type} and {b.type}")
        self.partner[a] = b

    def _pair_blocks(self, path: str, a: Block, b: Block) -> None:
        _same(f"{path}: number of arguments", len(a.arguments), len(b.arguments))
        for index, pair in enumerate(zip(a.arguments, b.arguments, strict=True)):
            self._pair(f"{path}: argument {index}", *pair)
            _same_tensor(f"{path}: argument {index}: default", pair[0].default, pair[1].default)
        if a.carried != b.carried:
            raise _Different(f"{path}: carried: {_carried(a.carried)} and {_carried(b.carried)}")
        left, right = list(a), list(b)
        for index, (one, other) in enumerate(zip(left, right, strict=False)):
            self._pair_statements(f"{path}[{index}]", one, other)
        if len(left) != len(right):
            at = min(len(left), len(right))
            raise _Different(f"{path}[{at}]: {_described(left[at:])} and {_described(right[at:])}")

    def _pair_statements(self, path: str, a: Statement, b: Statement) -> None:
        if type(a) is not type(b):
            raise _Different(f"{path}: {_described([a])} and {_described([b])}")
        if isinstance(a, Loop) and isinstance(b, Loop):
            self._pair(path, a.axis, b.axis)
            for what in ("lower", "step", "trip_count"):
                _same(f"{path}: {what}", getattr(a.axis, what), getattr(b.axis, what))
            _same(f"{path}: loc", a.loc, b.loc)
            self._pair_blocks(path, a.body, b.body)
        elif isinstance(a, Instruction) and isinstance(b, Instruction):
            self._pair_instructions(f"{path} {_described([a])}", a, b)

    def _pair_instructions(self, path: str, a: Instruction, b: Instruction) -> None:
        if a.type is not b.type:
            raise _Different(f"{path}: type: {a.type} and {b.type}")
        _same(f"{path}: number of results", len(a.results), len(b.results))
        _same(f"{path}: results that are there", *([r is not None for r in one.all_results] for one in (a, b)))
        for index, pair in enumerate(zip(a.results, b.results, strict=True)):
            self._pair(f"{path}: result {index}", *pair)
        self.partner[a] = b  # also of one that gives no value: others may come after it
        self.instructions.append((path, a, b))
        _same(f"{path}: number of regions", len(a.blocks), len(b.blocks))
        names = a.region_names if isinstance(a, GenericInst) else a.INFO.region_names
        for name, one, other in zip(names, a.blocks, b.blocks, strict=True):
            self._pair_blocks(f"{path}.{name}", one, other)

    def _compare_fields(self, path: str, a: Instruction, b: Instruction) -> None:
        for name in a.INFO.fields:
            self._compare(f"{path}: {name}", getattr(a, name), getattr(b, name))
        if isinstance(a, Opaque) and isinstance(b, Opaque):
            _same(f"{path}: label", a.label, b.label)
            self._compare_attributes(path, a.attributes, b.attributes)
        if isinstance(a, GenericInst) and isinstance(b, GenericInst):
            self._compare_attributes(path, a.attributes, b.attributes)
            if a.carried != b.carried:
                raise _Different(f"{path}: carried: {_carried(a.carried)} and {_carried(b.carried)}")
        if isinstance(a, NeuronInst) and isinstance(b, NeuronInst):
            self._compare(f"{path}: dst", a.dst, b.dst)
            _same(f"{path}: engine", a.assigned_engine, b.assigned_engine)
        self._compare_conditions(path, a, b)
        _same(f"{path}: rounding", a.rounding, b.rounding)
        _same(f"{path}: keep_alu_dtype", a.keep_alu_dtype, b.keep_alu_dtype)
        _same(f"{path}: loc", a.loc, b.loc)

    def _compare_attributes(self, path: str, a: dict[str, Any], b: dict[str, Any]) -> None:
        _same(f"{path}: attributes", list(a), list(b))
        for name, value in a.items():
            self._compare(f"{path}: {name}", value, b[name])

    def _compare(self, path: str, a: Any, b: Any) -> None:
        if isinstance(a, Value) or isinstance(b, Value):
            if self.partner.get(a, a) is not b:
                raise _Different(f"{path}: {_shown(a)} and {_shown(b)}")
        elif isinstance(a, NeuronAP) and isinstance(b, NeuronAP):
            self._compare_accesses(path, a, b)
        elif isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
            _same(f"{path}: length", len(a), len(b))
            for index, (one, other) in enumerate(zip(a, b, strict=True)):
                self._compare(f"{path}[{index}]", one, other)
        elif isinstance(a, _TENSORS) or isinstance(b, _TENSORS):
            _same_tensor(path, a, b)
        else:
            _same(path, a, b)

    def _compare_conditions(self, path: str, a: Instruction, b: Instruction) -> None:
        """Compare when two instructions run: predicates, and the edges from what they come after."""
        _same(f"{path}: number of predicates", len(a.predicates), len(b.predicates))
        for one, other in zip(a.predicates, b.predicates, strict=True):
            _same(f"{path}: predicates", one.with_axes({axis: self._axis(axis) for axis, _ in one.expr.terms}), other)
        _same(f"{path}: number of dependencies", len(a.dependencies), len(b.dependencies))
        for index, (edge, partner) in enumerate(zip(a.dependencies, b.dependencies, strict=True)):
            _same(f"{path}: dependencies[{index}]: kind", edge.kind.value, partner.kind.value)
            self._compare(f"{path}: dependencies[{index}]", edge.src, partner.src)

    def _compare_accesses(self, path: str, a: NeuronAP, b: NeuronAP) -> None:
        self._compare(f"{path}: tensor", a.tensor, b.tensor)
        moved = a.offset.with_axes({axis: self._axis(axis) for axis, _ in a.offset.terms})
        _same(f"{path}: offset", moved, b.offset)
        _same(f"{path}: pairs", a.pairs, b.pairs)
        _same(f"{path}: indices", a.indices if any(a.indices) else (), b.indices if any(b.indices) else ())
        _same(f"{path}: read as", a.reinterpret, b.reinterpret)
        _same(f"{path}: mode", a.mode, b.mode)

    def _axis(self, axis: Axis) -> Axis:
        partner = self.partner.get(axis, axis)
        assert isinstance(partner, Axis), f"{axis!r} was paired with {partner!r}"
        return partner


def _same(path: str, a: object, b: object) -> None:
    if _key(a) != _key(b):
        raise _Different(f"{path}: {a!r} and {b!r}")


def _key(value: object) -> object:
    """What must be equal of two plain values: the type too (1 is not True), and of a float the bits."""
    if isinstance(value, float):
        return (float, struct.pack("<d", value))
    return (type(value), value)


def _same_tensor(path: str, a: Constant | LazyTensor | None, b: Constant | LazyTensor | None) -> None:
    """Compare two tensors; of lazy ones, what is fetched is forgotten again."""
    if a is b:
        return
    if not isinstance(a, _TENSORS) or not isinstance(b, _TENSORS) or a.type is not b.type:
        raise _Different(f"{path}: {a!r} and {b!r}")
    (contents, carried), (others, other_carried) = _parts(a), _parts(b)
    if carried is not None and other_carried is not None and carried != other_carried:
        raise _Different(f"{path}: carried: {_carried(carried)} and {_carried(other_carried)}")
    if contents is None or others is None:
        if carried != other_carried:  # they hold the elements
            raise _Different(f"{path}: {a!r} and {b!r}")
        return
    if is_stored_once(contents) and is_stored_once(others):  # a splat may have more elements than fit the memory
        contents, others = (Constant(first_element(one.array), one.dtype) for one in (contents, others))
    if contents != others:
        raise _Different(f"{path}: two constants of type {a.type} differ in their elements")


def _parts(tensor: Constant | LazyTensor) -> tuple[Constant | None, bytes | None]:
    return (tensor, None) if isinstance(tensor, Constant) else tensor.parts


def _carried(data: bytes | None) -> str:
    return "nothing" if data is None else "1 byte" if len(data) == 1 else f"{len(data)} bytes"


def _shown(value: object) -> str:
    return f"%{value.name}" if isinstance(value, (Value, Axis)) and value.name else repr(value)


def _described(statements: list[Statement]) -> str:
    if not statements:
        return "nothing"
    first = statements[0]
    if isinstance(first, Loop):
        return f"for %{first.axis.name}"
    return str(first.INFO.mnemonic) if isinstance(first, Instruction) else repr(first)


def _listed(functions: dict[str, Function]) -> str:
    return ", ".join(f"@{name}" for name in functions) or "none"
