"""The reference of a program: the same program with every float widened to f64, run on the same values.

    %h: bf16[4,8] = activation gelu %x bias %b        ->        %h: f64[4,8] = activation gelu %x bias %b

Inputs, constants and scalars keep their values, all of which f64 holds. What is computed from them is computed in f64,
by the semantics of the program's own instructions: engines and graph operations compute in f64 what has an operand of
f64. So the reference is what the program means, but for 53 significant bits in place of its own, and roundings that its
author wrote are not in it either.

What cannot be widened stays as it is, and is said:
- a tensor whose bits are accessed under another dtype;
- what an instruction reads or gives that may be no f32 by its definition (codes, scales), or is about the bits;
- what an instruction computes in a narrower float whatever its operands are, which shows when it runs.

Deliberately absent: a reference of foreign operators. What their evaluator does with other dtypes is its own affair.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from passes.numerics.runs import Outputs
from runtime.access import NeuronAP
from runtime.constants import Constant
from runtime.dtypes import DType, f64, holds
from runtime.functions import Function, Module
from runtime.instructions import Instruction
from runtime.interpreter.errors import InterpreterError, shown
from runtime.interpreter.inputs import inputs_of
from runtime.interpreter.machine import Interpreter, Watcher
from runtime.interpreter.run import function_named, start
from runtime.lazy_tensors import LazyTensor
from runtime.names import Names
from runtime.rounding import Array, Cast, Rounding, cast_array, natural_dtype
from runtime.types import Type
from runtime.values import Value


@dataclass(frozen=True)
class Reference:
    """What the reference of a program gives, and what of it is no f64."""

    outputs: Outputs
    not_widened: tuple[str, ...]


def reference_of(module: Module, function: str, inputs: Mapping[str, Any]) -> Reference:
    """Run the reference of a function on what the function itself takes.

    Raises: InterpreterError where it cannot be run.
    """
    twin, kept = widened(module)
    chosen = function_named(twin, function)
    wide = {one.name: one.type.dtype for one in inputs_of(chosen, Names(chosen)) if one.type.is_tensor}
    given = {name: _as_wide(array, wide.get(name)) for name, array in inputs.items()}
    seen = _Narrow()
    try:
        started = start(twin, given, function, watcher=seen, rounding=_Watched(seen=seen))
        outputs = started.finish()
    except MemoryError as error:
        raise InterpreterError("it needs more memory than there is") from error
    narrow = [f"{shown(inst)} computes in {dtype}" for inst, dtype in seen.found.items()]
    return Reference(outputs, (*kept, *narrow))


def widened(module: Module) -> tuple[Module, tuple[str, ...]]:
    """Return a copy of a program with every float widened to f64, and what of it could not be, with reasons."""
    twin = module.clone()
    kept: dict[Value, str] = {}
    for function in twin.functions.values():
        for tensor in function.tensors.values():
            if _is_widened(tensor.type) and tensor.is_reinterpreted:
                kept[tensor] = "its bits are accessed under another dtype"
        for inst in function.insts:
            kept.update((value, why) for value, why in _fixed(inst) if _is_widened(value.type))
    for function in twin.functions.values():
        _widen(function, kept)
    return twin, tuple(f"{value.use_str()}: {why}" for value, why in kept.items())


def _fixed(inst: Instruction) -> Iterator[tuple[Value, str]]:
    """Yield what an instruction reads or gives, and writes, that must be what it is."""
    info, name = inst.INFO, inst.INFO.mnemonic
    about_bits = any(result.precision == "keep" for result in info.results)
    for slot in info.operands:
        held = getattr(inst, slot.name)
        for one in held if isinstance(held, tuple) else (held,):
            value = one.tensor if isinstance(one, NeuronAP) else one
            if isinstance(value, Value) and (about_bits or not _takes_f32(slot.dtypes)):
                yield value, f"{name} takes its bits" if about_bits else f"{name} takes no f32 there"
    for at, value in enumerate(inst.results):
        result = info.results[min(at, len(info.results) - 1)] if info.results else None
        if result is not None and (about_bits or not _takes_f32(result.dtypes)):
            yield value, f"{name} gives its bits" if about_bits else f"{name} gives no f32"
    if inst.dst is not None:
        of_dst = info.dst.dtypes if info.dst is not None else ()
        of_result = info.results[0].dtypes if info.results else ()
        if about_bits or not (_takes_f32(of_dst) and _takes_f32(of_result)):
            yield inst.dst.tensor, f"{name} writes no f32"


def _takes_f32(dtypes: tuple[str, ...]) -> bool:
    return not dtypes or "f32" in dtypes


def _widen(function: Function, kept: Mapping[Value, str]) -> None:
    for tensor in function.tensors.values():
        if tensor not in kept and _is_widened(tensor.type):
            tensor.mutateTensorTy(f64)
            if tensor.init is not None:
                tensor.init = _wide_constant(tensor.init)
    for argument in function.args:
        if _is_widened(argument.type) and argument.default is not None:
            argument.default = _wide_constant(argument.default)
    _widen_values(function.args, kept)
    for inst in function.insts:
        for block in inst.blocks:
            _widen_values(block.arguments, kept)
        if inst.dst is None:
            _widen_values(inst.results, kept)
        else:
            inst.type = inst.type.with_dtype(inst.dst.dtype)


def _widen_values(values: Any, kept: Mapping[Value, str]) -> None:
    for value in values:
        if value not in kept and _is_widened(value.type):
            value.type = value.type.with_dtype(f64)


def _is_widened(type: Type) -> bool:
    """Whether the elements are floats, of a dtype that f64 holds."""
    return type.is_tensor and type.dtype is not None and type.dtype.is_float and holds(f64, type.dtype)


def _wide_constant(constant: Constant | LazyTensor) -> Constant:
    assert constant.dtype is not None, "a default of a float type has elements of one"
    return Constant(cast_array(constant.array, constant.dtype, f64), f64)


def _as_wide(array: Any, dtype: DType | None) -> Any:
    """Return an input in f64 where the reference takes that."""
    own = natural_dtype(array.dtype) if dtype is f64 and hasattr(array, "dtype") else None
    return cast_array(array, own, f64) if own is not None and own.is_float else array


class _Narrow(Watcher):
    """Sees which instructions compute a result of f64 in something narrower."""

    def __init__(self) -> None:
        self.found: dict[Instruction, DType] = {}
        self._now: Instruction | None = None

    def before(self, inst: Instruction, machine: Interpreter) -> None:
        self._now = inst

    def cast(self, array: Array, source: DType, target: DType) -> Array:
        """Round as ever, and note a float that becomes f64 only now, though something that was read is f64."""
        inst = self._now
        if (
            inst is not None
            and target is f64
            and source.is_float
            and any(operand.type.dtype is f64 for operand in inst.operands())
        ):
            self.found.setdefault(inst, source)
        return cast_array(array, source, target)


@dataclass(frozen=True)
class _Watched(Rounding):
    """Rounding to nearest, under the eyes of `_Narrow`."""

    seen: _Narrow = field(default_factory=_Narrow)

    def start(self) -> Cast:
        return self.seen.cast
