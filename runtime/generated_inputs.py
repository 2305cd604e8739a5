"""Inputs for a program for which nobody has any: random, and the same for the same seed.

Two kinds. `ordinary` ones are what programs compute with: floats of magnitude one, so that what comes out is neither
infinite nor NaN and a difference in one element shows. `special` ones are what rewrites get wrong: zeros of both signs,
infinities, NaN, subnormals, the largest values and those halfway between two narrower ones, among random ones over the
whole range. Integers are 0 and 1, which are legal as indices nearly everywhere.

Deliberately absent: knowledge of what an input means. A program that takes lengths, or indices beyond 1, needs inputs
of its own.
"""

from __future__ import annotations

import math
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from runtime.dtypes import DType, f64
from runtime.functions import Function
from runtime.interpreter.errors import InputError
from runtime.interpreter.inputs import Input, inputs_of
from runtime.names import Names
from runtime.rounding import cast_array
from runtime.values import BlockArgument

Kind = Literal["ordinary", "special"]
KINDS: Final[tuple[Kind, ...]] = ("ordinary", "special")

_EXTENT: Final = 2  # of what the program leaves open
_SPECIAL: Final = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.00390625,  # halfway between two bf16
    1.00048828125,  # halfway between two f16
    0.1,
    240.0,
    448.0,
    65504.0,
    65520.0,  # the first that is no f16 any more
    3.4e38,
    -3.4e38,
    1e-40,
    6e-8,
    np.inf,
    -np.inf,
    np.nan,
)


def generated_inputs(function: Function, seed: int, kind: Kind = "ordinary") -> dict[str, NDArray[Any]]:
    """Return inputs for a function, as `runtime.run` takes them; an argument that has a default keeps it.

    Each input depends on the seed, its name and its type, so that it stays what it is when others go.

    Raises: InputError with all inputs for which there can be none.
    """
    inputs = [one for one in inputs_of(function, Names(function)) if not _has_default(one)]
    problems = [f"{one.kind} {one.called}: {reason}" for one in inputs if (reason := _why_not(one)) is not None]
    if problems:
        raise InputError("\n".join(problems))
    return {one.name: _made(one, seed, kind) for one in inputs}


def _has_default(one: Input) -> bool:
    return isinstance(one.value, BlockArgument) and one.value.default is not None


def _why_not(one: Input) -> str | None:
    if not one.type.is_tensor:
        return f"nothing is generated for a {one.type}"
    if one.type.dtype is None:
        return "its elements are of no known dtype"
    return "its rank is not known" if one.type.shape is None else None


def _made(one: Input, seed: int, kind: Kind) -> NDArray[Any]:
    try:
        return _array(one, seed, kind)
    except (MemoryError, OverflowError, ValueError) as error:  # numpy has one for each way of being too large
        raise InputError(f"{one.kind} {one.called}: {one.type} needs more memory than there is") from error


def _array(one: Input, seed: int, kind: Kind) -> NDArray[Any]:
    dtype, shape = one.type.dtype, one.type.shape
    assert dtype is not None and shape is not None
    extents = tuple(dim if isinstance(dim, int) else _EXTENT for dim in shape)
    random = np.random.default_rng([seed, *one.name.encode("utf-8", "surrogatepass")])
    if not dtype.is_float:
        return random.integers(0, 2, extents).astype(dtype.numpy)
    count = math.prod(extents)
    values = random.standard_normal(count) if kind == "ordinary" else _special(random, count, dtype)
    return cast_array(values, f64, dtype).reshape(extents)


def _special(random: np.random.Generator, count: int, dtype: DType) -> NDArray[np.float64]:
    reach = min(20, dtype.bias)
    values = random.standard_normal(count) * 2.0 ** random.integers(-reach, reach + 1, count)
    at = random.permutation(count)[: (count + 2) // 3]
    values[at] = np.resize(random.permutation(_SPECIAL), at.size)
    return values
