"""What holds for every program and every pass, and the one run of a pass in which all of it is checked.

- The program verifies before and after.
- A second run changes nothing, and counts nothing.
- The pass says that it changed something exactly where the text of the program changed.
- Text and BIR of the result read back to an equal program.
- On inputs with all kinds of values, the result computes bit for bit what the program computed before, with the
  roundings skipped that the pass says it removed, and no others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from passes.build import build_pipeline
from passes.eliminate_casts import NeuronEliminateCasts
from runtime.bir import bir_text, read_bir
from runtime.dtypes import f64
from runtime.equality import why_different
from runtime.functions import Module
from runtime.instruction_set import standard
from runtime.instructions import Instruction
from runtime.interpreter import run
from runtime.rounding import cast_array
from runtime.statistics import snapshot, statistics_of
from runtime.targets import parse_target
from runtime.text.parser import parse
from runtime.text.printer import print_module
from runtime.types import Type
from runtime.verifier import verify

SPECIAL = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.00390625,
    0.1,
    65504.0,
    65520.0,
    3.4e38,
    -3.4e38,
    1e-40,
    6e-8,
    np.inf,
    -np.inf,
    np.nan,
)
"""Among them: halfway between two bf16, around the largest f16, finite ones that round to infinity, subnormals."""


@dataclass(frozen=True)
class Outcome:
    """What one run of a pass did."""

    before: Module
    after: Module
    transform: NeuronEliminateCasts
    changed: bool
    counted: dict[str, int]  # by label
    skipped: tuple[Instruction, ...]  # the instructions of `before` whose roundings the pass removed


def run_under_laws(text: str, pipeline: str) -> Outcome:
    """Run the one pass of `pipeline` on the program `text`, and check every law."""
    before, after = parse(text, standard()), parse(text, standard())
    assert print_module(before) == text, "the program must be written in the canonical form"
    assert not verify(before), str(verify(before)[0])
    outcome = _run(before, after, pipeline)
    assert not verify(after), f"the pass broke the program: {verify(after)[0]}"
    changed_text = print_module(after)
    assert outcome.changed == (changed_text != text), f"the pass says changed={outcome.changed}"
    assert outcome.changed or not any(outcome.counted.values()), "it counts, and changes nothing"
    check_forms(after)
    if outcome.changed:
        check_same_results(before, after, outcome.skipped)
    again = _run(after, after, pipeline)
    assert not again.changed and print_module(after) == changed_text, "a second run changes something"
    assert not any(again.counted.values()), "a second run counts something"
    return outcome


def check_forms(module: Module) -> None:
    """Check that text and BIR say all there is to a program."""
    text = print_module(module)
    assert print_module(parse(text, standard())) == text
    assert why_different(parse(text, standard()), module) is None
    assert why_different(read_bir(bir_text(module), standard()), module) is None


def check_same_results(before: Module, after: Module, skipped: tuple[Instruction, ...]) -> None:
    """Check that `after` computes, bit for bit, what `before` does with the roundings of `skipped` left out."""
    given = inputs_for(before)
    expected = run(before, given, skip_rounding=frozenset(skipped))
    found = run(after, given)
    assert len(expected) == len(found)
    for (name, wanted), got in zip(expected.items(), found.values(), strict=True):
        assert wanted.dtype == got.dtype and wanted.shape == got.shape, name
        assert wanted.tobytes() == got.tobytes(), f"{name} was\n{wanted}\nand is\n{got}"


def inputs_for(module: Module) -> Mapping[str, Any]:
    """Return inputs for the root function: special values and random ones over the whole range of each dtype."""
    function = module.root_function
    random = np.random.default_rng(7)
    wanted = {str(value.name): value.type for value in (*function.args, *function.inputs)}
    return {name: _array(type, random) for name, type in wanted.items()}


def _array(type: Type, random: np.random.Generator) -> Any:
    dtype, shape = type.dtype, type.shape
    assert dtype is not None and shape is not None
    extents = tuple(dim for dim in shape if isinstance(dim, int))
    if not dtype.is_float:
        return random.integers(0, 2, extents).astype(dtype.numpy)
    count = int(np.prod(extents, dtype=int))
    values = random.standard_normal(count) * 2.0 ** random.integers(-20, 20, count)
    values[::3] = np.resize(np.array(SPECIAL), len(values[::3]))
    return cast_array(values, f64, dtype).reshape(extents)


def _run(before: Module, after: Module, pipeline: str) -> Outcome:
    (transform,) = build_pipeline(pipeline, None if before.target is None else parse_target(before.target))
    assert isinstance(transform, NeuronEliminateCasts)
    originals = dict(zip(after.insts, before.insts, strict=True))
    counts = snapshot(statistics_of([type(transform)]))
    changed = transform.runOnModule(after)
    counted = {statistic.label: statistic.value - count for statistic, count in counts.items()}
    skipped = tuple(originals[inst] for inst in transform.removed_roundings)
    return Outcome(before, after, transform, changed, counted, skipped)
