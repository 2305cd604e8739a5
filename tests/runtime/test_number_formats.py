"""The page on number formats says what the code does: its tables of formats, and its examples of casts."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import runtime.dtypes
from runtime.dtypes import DTYPES, DType, dtype_of, f32, f64
from runtime.rounding import cast_array

PAGE = Path(runtime.dtypes.__file__).with_name("number_formats.md")
FLOATS = "| dtype | bits | exponent bits |"
INTEGERS = "| dtype | bits | lowest | largest |"
EXAMPLES = "| value | to | result | with `saturate` |"


def rows_below(header: str) -> list[str]:
    """Return the rows of the table whose header begins so."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    (start,) = (at for at, line in enumerate(lines) if line.startswith(header))
    end = next(at for at in range(start, len(lines) + 1) if at == len(lines) or not lines[at].startswith("|"))
    return lines[start + 2 : end]


def test_the_table_of_floats_is_that_of_the_code(update: bool) -> None:
    check_rows(FLOATS, [float_row(dtype) for dtype in DTYPES if dtype.is_float], update)


def test_the_table_of_integers_is_that_of_the_code(update: bool) -> None:
    rows = [row(d.name, d.bits, d.lowest, d.largest, d.numpy.name) for d in DTYPES if d.is_int]
    check_rows(INTEGERS, rows, update)


def examples() -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in rows_below(EXAMPLES)]


def test_the_page_has_examples_of_every_kind_of_target() -> None:
    targets = {dtype_of(target) for _, target, _, _ in examples()}
    assert {d.kind for d in targets} == {d.kind for d in DTYPES} and len(targets) >= 8


@pytest.mark.parametrize(("value", "target", "result", "saturated"), examples(), ids=" ".join)
def test_an_example_of_a_cast_is_as_the_page_says(value: str, target: str, result: str, saturated: str) -> None:
    dtype, array = dtype_of(target), np.array([float(value)])
    for saturate, expected in ((False, result), (True, saturated)):
        (found,) = cast_array(array, f64, dtype, saturate=saturate).astype(np.float64 if dtype.is_float else object)
        assert str(found) == expected


def float_row(dtype: DType) -> str:
    yes = ("no", "yes")
    powers = (power_of_two(dtype.smallest_normal), subnormal(dtype))
    shape = (dtype.exponent_bits, dtype.mantissa_bits, dtype.bias)
    specials = (yes[dtype.has_infinity], yes[dtype.has_nan], yes[dtype.is_signed])
    return row(dtype.name, dtype.bits, *shape, largest(dtype), *powers, *specials, dtype.numpy.name)


def largest(dtype: DType) -> str:
    """Write the largest value: as a number where that is short, else as the product that it is."""
    mantissa, exponent = math.frexp(dtype.largest)
    if dtype.largest < 1e5:
        return f"{dtype.largest:g}"
    return power_of_two(dtype.largest) if mantissa == 0.5 else f"(2 - 2^-{dtype.mantissa_bits}) * 2^{exponent - 1}"


def subnormal(dtype: DType) -> str:
    return "none" if dtype.smallest_subnormal == dtype.smallest_normal else power_of_two(dtype.smallest_subnormal)


def power_of_two(value: float) -> str:
    mantissa, exponent = math.frexp(value)
    assert mantissa == 0.5
    return f"2^{exponent - 1}"


def test_a_product_on_the_page_is_the_largest_value() -> None:
    assert largest(f32) == "(2 - 2^-23) * 2^127" and float(np.finfo(np.float32).max) == (2 - 2.0**-23) * 2.0**127


def row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def check_rows(header: str, rows: list[str], update: bool) -> None:
    """Compare the rows of a table with what the code gives, or write them where it is asked for."""
    written = rows_below(header)
    if update and written != rows:
        lines = PAGE.read_text(encoding="utf-8").splitlines()
        start = 2 + next(at for at, line in enumerate(lines) if line.startswith(header))
        lines[start : start + len(written)] = rows
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
        written = rows
    assert written == rows, f"run `pytest {Path(__file__).name} --update`, and read the diff"
