"""Programs as an engineer writes them for the chip, in `programs/by_hand`, under every pass and pipeline of the chain.

The first line of each says what it shows. The random programs of this folder have few instructions in many orders;
these have what kernels have, in the order in which they have it.
"""

from pathlib import Path

import pytest

from passes.pipelines import PIPELINES
from passes.registry import PASSES
from tests.passes.laws import Original, run_on, run_steps_on

PROGRAMS = sorted((Path(__file__).parent / "programs/by_hand").glob("*.txt"))
TYPES = ("bf16", "fp16", "tf32", "fp8_e4m3")
CASTS = tuple(
    f"{{mode={mode},type={type},inline={inline}}}"
    for mode in ("matmult", "all")
    for type in TYPES
    for inline in ("true", "false")
)
OPTIONS = {
    "auto-cast-fp32": CASTS,
    "auto-cast-inputs": tuple(f"{{type={type},inline={word}}}" for type in TYPES for word in ("true", "false")),
    "numeric-chain": CASTS[::3],
}


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program(path: Path) -> None:
    says, _, text = path.read_text(encoding="utf-8").partition("\n")
    assert says.startswith("// ") and says.endswith(".")
    original = Original.of(text)
    changed = set()
    for name in (*PASSES, *PIPELINES):
        for options in OPTIONS.get(name, ("",)):
            pipeline = name + options
            try:
                if name in PASSES:
                    outcomes = [run_on(original, pipeline, thorough=False)]
                else:
                    outcomes = run_steps_on(original, pipeline, thorough=False)
            except AssertionError as error:
                error.add_note(f"{pipeline} on {path.name}")
                raise
            if any(outcome.changed for outcome in outcomes):
                changed.add(name)
    original.check()
    assert changed, "no pass finds anything to do"
