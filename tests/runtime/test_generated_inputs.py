"""Inputs that are made up: the same for the same seed, of the right types, ordinary or with all that is special."""

import numpy as np
import pytest

from runtime.dtypes import DTYPES, f64
from runtime.functions import Module
from runtime.generated_inputs import KINDS, Kind, generated_inputs
from runtime.instruction_set import standard
from runtime.interpreter import InputError, run
from runtime.rounding import cast_array
from runtime.text.parser import parse


def taking(type: str) -> Module:
    return parse(f"func @main(%x: {type}) {{\n  return %x\n}}\n", standard())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_can_be_run(dtype: object, kind: Kind) -> None:
    module = taking(f"{dtype}[3,50]")
    given = generated_inputs(module.root_function, 1, kind)
    assert run(module, given)[0].shape == (3, 50)


def test_ordinary_ones_are_finite_and_special_ones_are_not() -> None:
    function = taking("f32[1000]").root_function
    ordinary = generated_inputs(function, 0)["x"]
    assert np.isfinite(ordinary).all() and abs(ordinary.mean()) < 0.2 and 0.8 < ordinary.std() < 1.2
    special = generated_inputs(function, 0, "special")["x"]
    assert np.isnan(special).any() and np.isposinf(special).any() and np.isneginf(special).any()
    zeros = special[special == 0]
    assert np.signbit(zeros).any() and not np.signbit(zeros).all()
    subnormal = (special != 0) & (np.abs(special) < np.finfo(np.float32).tiny)
    assert subnormal.any() and (np.abs(special) > 1e38).any()
    halfway = special[special == np.float32(1.00390625)].astype(np.float64)
    narrow = cast_array(halfway, f64, next(one for one in DTYPES if str(one) == "bf16")).astype(np.float64)
    assert halfway.size and np.all(np.abs(narrow - halfway) == 2.0**-8), "half a unit of bf16, which has 8 bits"


def test_the_seed_and_the_name_decide() -> None:
    module = parse("func @main(%x: f32[9], %y: f32[9]) {\n  return %x, %y\n}\n", standard())
    first = generated_inputs(module.root_function, 4)
    assert not np.array_equal(first["x"], first["y"])
    assert not np.array_equal(first["x"], generated_inputs(module.root_function, 5)["x"])
    np.testing.assert_array_equal(first["x"], generated_inputs(taking("f32[9]").root_function, 4)["x"])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("type", ["i32[100]", "u8[100]", "bool[100]", "i64[100]"])
def test_integers_are_legal_indices_of_two(type: str, kind: Kind) -> None:
    assert set(generated_inputs(taking(type).root_function, 0, kind)["x"].astype(int)) == {0, 1}


def test_open_extents_are_the_same_for_all() -> None:
    module = parse("func @main(%x: f32[N,?], %y: i32[N]) {\n  return %x, %y\n}\n", standard())
    given = generated_inputs(module.root_function, 0)
    assert (given["x"].shape, given["y"].shape) == ((2, 2), (2,))
    run(module, given)


@pytest.mark.parametrize("type", ["f32[0]", "f32[]", "f32[1]", "f8e8m0[2]"])
@pytest.mark.parametrize("kind", KINDS)
def test_small_ones(type: str, kind: Kind) -> None:
    module = taking(type)
    run(module, generated_inputs(module.root_function, 0, kind))


def test_all_that_cannot_be_made_up_is_said() -> None:
    module = parse("func @main(%x: seq<f32[2]>, %y: f32[*], %z: f32[2]) {\n  return %z\n}\n", standard())
    with pytest.raises(InputError) as error:
        generated_inputs(module.root_function, 0)
    assert str(error.value).splitlines() == [
        'argument "x": nothing is generated for a seq<f32[2]>',
        'argument "y": its rank is not known',
    ]
