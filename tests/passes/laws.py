"""What holds for every program and every pass, and the one run of a pass in which all of it is checked.

They know nothing of any pass: what a pass says of itself is in `DotTransform`.

- The program verifies before and after, and the program that the pass's own is a clone of stays as it is.
- A second run changes nothing, and counts nothing.
- The pass says that it changed something exactly where the text of the program changed.
- The types of what the program gives stay as they are.
- Text and BIR of the result read back to an equal program.
- On inputs with all kinds of values, the result computes bit for bit what the program computed before, but for what the
  pass says of roundings: those of `removed_roundings` are skipped before, those of `added_roundings` after, no others.
- A rounding that the program's author asked for is not among the removed ones, unless options say that it may be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from passes.build import build_pipeline
from passes.framework.dot_transform import DotTransform
from passes.framework.options import describe_options
from passes.framework.pass_manager import PassManager
from passes.registry import load_pass
from runtime.bir import bir_text, read_bir
from runtime.dtypes import f64
from runtime.equality import why_different
from runtime.functions import Module
from runtime.instruction_set import standard
from runtime.instructions import Instruction
from runtime.interpreter import run
from runtime.rounding import cast_array
from runtime.statistics import snapshot, statistics_of
from runtime.targets import Target, parse_target
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
    transform: DotTransform
    changed: bool
    counted: dict[str, int]  # by label
    skipped: tuple[Instruction, ...]  # the instructions of `before` whose roundings the pass removed
    added: tuple[Instruction, ...]  # the instructions of `after` whose roundings the pass added


@dataclass(frozen=True)
class Original:
    """A program that verifies, and that any number of passes start from; each works on a clone of its own."""

    text: str
    module: Module

    @classmethod
    def of(cls, text: str) -> Original:
        """Return the program that a canonical text says."""
        original = cls(text, parse(text, standard()))
        assert print_module(original.module) == text, "the program must be written in the canonical form"
        original.check()
        return original

    @cached_property
    def given(self) -> Mapping[str, Any]:
        return inputs_for(self.module)

    @cached_property
    def results(self) -> Mapping[int | str, Any]:
        """What it computes, with every rounding."""
        return run(self.module, self.given)

    def check(self) -> None:
        """Check that it is what its text says, and verifies: also after passes have worked on clones of it."""
        assert print_module(self.module) == self.text, "a pass changed the program that its own is a clone of"
        assert not verify(self.module), str(verify(self.module)[0])


def run_under_laws(text: str, pipeline: str) -> Outcome:
    """Run the one pass of `pipeline` on the program `text`, and check every law."""
    original = Original.of(text)
    outcome = run_on(original, pipeline)
    original.check()
    return outcome


def run_on(original: Original, pipeline: str, *, thorough: bool = True) -> Outcome:
    """Run the one pass of `pipeline` on a program, and check every law.

    Where not `thorough`, text and BIR are not read back, and what prints as before is not verified again.
    """
    before, text = original.module, original.text
    outcome = _run(before, before.clone(), pipeline)
    after = outcome.after
    changed_text = print_module(after)
    if thorough or changed_text != text:
        assert not verify(after), f"the pass broke the program: {verify(after)[0]}"
    assert outcome.changed == (changed_text != text), f"the pass says changed={outcome.changed}"
    assert outcome.changed or not any(outcome.counted.values()), "it counts, and changes nothing"
    if "{" not in pipeline:
        broken = [inst.rhs_str() for inst in outcome.skipped if inst.rounding == "user"]
        assert not broken, f"the author asked for the roundings of {broken}, which are removed"
    if not outcome.changed:
        return outcome  # a second run would be the first one again
    if thorough:
        check_forms(after, changed_text)
    check_results(original, after, outcome.skipped, outcome.added)
    again = _run(after, after, pipeline)
    assert not again.changed and print_module(after) == changed_text, "a second run changes something"
    assert not any(again.counted.values()), "a second run counts something"
    return outcome


def run_steps_on(original: Original, pipeline: str, *, thorough: bool = True) -> list[Outcome]:
    """Run each pass of a pipeline under the laws, on what the one before has left, and all of them as users do."""
    steps = build_pipeline(pipeline, _target_of(original.module))
    outcomes, given = [], original
    for step in steps:
        assert isinstance(step, DotTransform), f"the laws are about passes, not {step.pipeline_text!r}"
        outcomes.append(run_on(given, step.pipeline_text, thorough=thorough))
        if outcomes[-1].changed:
            given = Original(print_module(outcomes[-1].after), outcomes[-1].after)
    whole = original.module.clone()
    # What each pass has left is verified above. What all of them leave of one program prints as that, and is looked at
    # once more, for links that do not show in a text.
    PassManager(steps, rollback=False, check=None).run(whole)
    assert print_module(whole) == given.text, "the pipeline and its passes, one by one, give different programs"
    if given is not original:
        assert not verify(whole), f"the passes together broke the program: {verify(whole)[0]}"
    return outcomes


def pipelines_of(name: str) -> tuple[str, ...]:
    """Return the pipelines that run a pass: without options, and with each value that an option lists."""
    found = [name]
    for each in describe_options(load_pass(name).Options):
        found += [f"{name}{{{each.name}={word}}}" for word in each.values if word != each.default]
    return tuple(found)


def check_forms(module: Module, text: str) -> None:
    """Check that its text and its BIR say all there is to a program."""
    read = parse(text, standard())
    assert print_module(read) == text
    assert why_different(read, module) is None
    assert why_different(read_bir(bir_text(module), standard()), module) is None


def check_same_results(
    before: Module, after: Module, skipped: tuple[Instruction, ...], added: tuple[Instruction, ...] = ()
) -> None:
    """Check that `after` without the roundings of `added` gives, bit for bit, what `before` gives without `skipped`."""
    check_results(Original("", before), after, skipped, added)


def check_results(
    original: Original, after: Module, skipped: tuple[Instruction, ...], added: tuple[Instruction, ...]
) -> None:
    """Check the same; what the original gives with every rounding is computed once."""
    assert _types_given(original.module) == _types_given(after), "the program gives other types"
    given = original.given
    expected = run(original.module, given, skip_rounding=frozenset(skipped)) if skipped else original.results
    found = run(after, given, skip_rounding=frozenset(added))
    assert len(expected) == len(found)
    for (name, wanted), got in zip(expected.items(), found.values(), strict=True):
        assert wanted.shape == got.shape, name
        if wanted.dtype != got.dtype:  # one of them has a rounding left out
            assert skipped or added, f"{name} was {wanted.dtype} and is {got.dtype}"
            wanted, got = wanted.astype(np.float32), got.astype(np.float32)
        assert wanted.tobytes() == got.tobytes(), different_elements(name, wanted, got)


def different_elements(name: int | str, wanted: NDArray[Any], got: NDArray[Any]) -> str:
    """Return where two outputs differ first, in how many elements, and what finds the rewrite."""
    places = [at for at in np.ndindex(wanted.shape) if wanted[at].tobytes() != got[at].tobytes()]
    first = f"[{','.join(map(str, places[0]))}] was {wanted[places[0]]} and is {got[places[0]]}"
    return (
        f"output {name}: {first}; {len(places)} of {wanted.size} elements differ, and no rounding that the pass states"
        " explains it; `python -m passes FILE --passes ... --verify-numerics --bisect` finds the rewrite"
    )


def _types_given(module: Module) -> list[str]:
    """Return the types of what the root function returns, and of its outputs."""
    function = module.root_function
    end = function.body.terminator
    outputs = [tensor for tensor in function.tensors.values() if tensor.isOutput]
    return [str(value.type) for value in (*(end.operands() if end is not None else ()), *outputs)]


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


def _target_of(module: Module) -> Target | None:
    return None if module.target is None else parse_target(module.target)


def _run(before: Module, after: Module, pipeline: str) -> Outcome:
    steps = build_pipeline(pipeline, _target_of(before))
    transform = steps[0] if len(steps) == 1 else None
    assert isinstance(transform, DotTransform), f"the laws are about one pass, not {pipeline!r}"
    originals = dict(zip(after.insts, before.insts, strict=True))
    counts = snapshot(statistics_of([type(transform)]))
    changed = transform.runOnModule(after)
    counted = {statistic.label: statistic.value - count for statistic, count in counts.items()}
    removed, added = transform.removed_roundings, tuple(transform.added_roundings)
    new = [inst.rhs_str() for inst in removed if inst not in originals]
    assert not new, f"removed_roundings names what was not in the program before: {new}"
    gone = [inst for inst in added if inst.parent_function not in after.functions.values()]
    assert not gone, f"added_roundings names what is not in the program after: {gone}"
    return Outcome(before, after, transform, changed, counted, tuple(originals[inst] for inst in removed), added)
