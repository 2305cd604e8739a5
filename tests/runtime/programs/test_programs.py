"""Programs for an accelerator, written by hand, against numpy; and what is said of them when they are broken.

`cases/<name>.txt` is a program in canonical text. `broken/<name>_<what>.case` is one change of it:

    // A sentence of intent.
    - a piece of the program, which stands in it once
    + what stands there instead
    // expect
    diagnostics of the parser or the verifier
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import runtime
from runtime.bir import bir_text
from runtime.diagnostics import DiagnosticsError
from runtime.equality import why_different
from tests.case_files import CaseFile, read_case_files

Arrays = Mapping[str, NDArray[Any]]

HERE = Path(__file__).parent
PROGRAMS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((HERE / "cases").glob("*.txt"))}
BROKEN = read_case_files(HERE / "broken")
RANDOM = np.random.default_rng(7)


def uniform(*shape: int) -> NDArray[np.float32]:
    return RANDOM.uniform(-1, 1, shape).astype(np.float32)


def attention(q: NDArray[Any], k: NDArray[Any], v: NDArray[Any]) -> Arrays:
    """Softmax over the keys of the scaled scores, times the values, in f64.

    The program computes in f32. A score is a sum of 64 products, each at most 1 in size: it is wrong by at most
    64 * 64 * 2**-24, an exponent by an eighth of that and three roundings, in all less than 5e-5. So each weight and
    their sum are wrong by that part of themselves and, for the sum, 256 roundings more. The result is a mean of values
    of size 1 at most with these weights: it is wrong by less than 2 * 5e-5 + 600 * 2**-24 < 2e-4.
    """
    scores = q.T.astype(np.float64) @ k.astype(np.float64) / 8
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return {"o": weights / weights.sum(axis=1, keepdims=True) @ v.astype(np.float64)}


def tiles(x: NDArray[Any]) -> Arrays:
    """Three roundings to f32 in both, so that all bits are the same."""
    return {"y": np.maximum(x, np.float32(0)) * np.float32(3) + np.float32(1)}


REFERENCES: Mapping[str, tuple[Callable[..., Arrays], float, Arrays]] = {
    "attention": (attention, 2e-4, {"q": uniform(64, 256), "k": uniform(64, 256), "v": uniform(256, 64)}),
    "tiles": (tiles, 0.0, {"x": uniform(128, 1000)}),
}
"""Of each program: what it computes, how far from that it may be, and inputs."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_verifies_prints_and_reads_back(name: str) -> None:
    module = runtime.parse(PROGRAMS[name], f"{name}.txt")
    assert runtime.verify(module) == []
    assert runtime.print_module(module) == PROGRAMS[name]
    assert why_different(runtime.read_bir(bir_text(module)), module) is None
    assert why_different(module.clone(), module) is None


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_computes_what_numpy_does(name: str) -> None:
    reference, tolerance, inputs = REFERENCES[name]
    found = runtime.run(runtime.parse(PROGRAMS[name]), inputs)
    expected = reference(**inputs)
    assert set(found) == set(expected)
    for key, array in expected.items():
        assert np.abs(found[key].astype(np.float64) - array).max() <= tolerance


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case.path.stem)
def test_a_broken_program_is_refused(case: CaseFile, update: bool) -> None:
    name = case.path.stem.partition("_")[0]
    text, (_, *edit) = PROGRAMS[name], case.text.splitlines()
    for old, new in zip(edit[::2], edit[1::2], strict=True):
        assert old.startswith("- ") and re.match(r"\+( |$)", new), "an edit is two lines, `- old` and `+ new`"
        assert text.count(old[2:]) == 1, f"{old[2:]!r} stands {text.count(old[2:])} times in the program"
        text = text.replace(old[2:], new[2:])
    case.check("\n\n".join(diagnostics_of(text, name)) + "\n", update)
    assert case.expected.count("error[") >= 1


def diagnostics_of(text: str, name: str) -> list[str]:
    try:
        module = runtime.parse(text, f"{name}.txt")
    except DiagnosticsError as error:
        return list(map(str, error.diagnostics))
    return list(map(str, runtime.verify(module)))


def test_there_are_twenty_ways_to_break_them() -> None:
    assert len(BROKEN) >= 20
