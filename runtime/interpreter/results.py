"""From what a semantics function computed to the value of a result: the one rounding, or none where it is skipped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.dtypes import DType, f32, f32r, f64, holds, tf32
from runtime.instructions import Instruction
from runtime.interpreter.errors import InterpreterError
from runtime.rounding import Cast, natural_dtype
from runtime.tensors import Tensor, TensorUtils
from runtime.types import Type

Array = NDArray[Any]


def settle(value: Any, type: Type, cast: Cast, *, skip: bool) -> Any:
    """Return the value of a result of this type: `value` rounded once, or left wide where the rounding is skipped.

    Wide is f32: what was computed in f64 for a float that f32 holds is rounded to f32, as it would be for a result of
    f32.

    What is no tensor (a sequence, an absent optional) and what has no known dtype is taken as it is.

    Raises: InterpreterError where there is no value, the shape is not that of the type, or a skipped rounding is not
        from float to float.
    """
    if not type.is_tensor:
        return value
    if value is None:
        raise InterpreterError(f"gives no value for a result of type {type}: does its semantics return one?")
    array = np.asarray(value)
    wanted = type.shape
    if wanted is not None and not _fits(array.shape, wanted):
        raise InterpreterError(f"gives the shape [{','.join(map(str, array.shape))}], which is not that of {type}")
    dtype = type.dtype
    if dtype is None or _has_bits_of(array, dtype):
        return array
    source = dtype_of_array(array)
    if not skip or holds(dtype, source):
        return cast(array, source, dtype)
    if not (source.is_float and dtype.is_float):
        raise InterpreterError(f"skip_rounding is for roundings from float to float, not from {source} to {dtype}")
    return cast(array, source, f32) if source is f64 and holds(f32, dtype) else array


def settled(inst: Instruction, result: Any, cast: Cast, *, skip: bool = False) -> tuple[Any, ...]:
    """Return the values of the SSA results of an instruction whose semantics returned `result`.

    Raises: InterpreterError where there are more or fewer of them.
    """
    results = inst.results
    values = result if isinstance(result, tuple) else (result,) if results else ()
    if len(values) != len(results):
        raise InterpreterError(f"gives {len(values)} results, but has {len(results)}")
    return tuple([settle(value, target.type, cast, skip=skip) for target, value in zip(results, values, strict=True)])


def parted(result: Any, n_stores: int) -> tuple[Any, tuple[Any, ...]]:
    """Return the result of an instruction that writes through operands, too, and what it writes there.

    Raises: InterpreterError where its semantics gives more or fewer of these.
    """
    if not isinstance(result, tuple) or len(result) != 1 + n_stores:
        raise InterpreterError(f"its semantics gives a result, and what is written through {n_stores} operands")
    return result[0], result[1:]


def dtype_of_array(array: Array) -> DType:
    """Return the dtype of the elements of an array; f32 where it could also be f32r or tf32."""
    found = natural_dtype(array.dtype)
    if found is None:
        raise InterpreterError(f"gives elements of {array.dtype}, which is the numpy dtype of no data type")
    return found


def wide_tensors(skipped: Iterable[Instruction]) -> frozenset[Tensor]:
    """Return the tensors that stay in f32 because the roundings of all their writers are skipped.

    Raises: InterpreterError where some writers round and others do not, or one writes under another dtype.
    """
    insts = set(skipped)
    wide = set()
    for inst in insts:
        if inst.dst is None or not _is_narrow(inst.dst.dtype):
            continue
        tensor = inst.dst.tensor
        if inst.dst.reinterpret is not None:
            raise InterpreterError(f"%{tensor.name} cannot stay wide: this writes it as {inst.dst.dtype}", inst)
        rounding = [writer for writer in TensorUtils.store_insts(tensor) if writer not in insts]
        if rounding:
            raise InterpreterError(f"%{tensor.name} cannot stay wide: this writes it too, and rounds", rounding[0])
        wide.add(tensor)
    return frozenset(wide)


def _is_narrow(dtype: DType) -> bool:
    """Whether a float is rounded when it becomes an element of `dtype`, itself a float."""
    return dtype.is_float and dtype is not f32 and holds(f32, dtype)


def _has_bits_of(array: Array, dtype: DType) -> bool:
    """Whether the elements are values of `dtype` already, so that nothing need touch their bits."""
    if array.dtype != dtype.numpy:
        return False
    if dtype is not f32r and dtype is not tf32:
        return True
    dropped = (1 << (f32.mantissa_bits - dtype.mantissa_bits)) - 1
    return not (np.ascontiguousarray(array).view(np.uint32) & np.uint32(dropped)).any()


def _fits(shape: tuple[int, ...], wanted: tuple[int | str | None, ...]) -> bool:
    return len(shape) == len(wanted) and all(
        not isinstance(dim, int) or dim == extent for dim, extent in zip(wanted, shape, strict=True)
    )
