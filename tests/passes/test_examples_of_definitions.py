"""Every instruction of the chip, in the example of its definition, under every pass of the chain.

The example as it stands, and with its floats of one width in place of the other, so that there is something to narrow,
to fold and to promote. What passes leave verifies, for the target that the program came with; what can be run gives
what it gave but for the roundings that passes state. A new definition is here from its first day.
"""

import re
from collections.abc import Iterator

import pytest

from passes.build import build_pipeline
from passes.framework.dot_transform import DotTransform
from runtime.diagnostics import DiagnosticsError
from runtime.functions import Module
from runtime.instruction_set import standard
from runtime.interpreter.errors import InterpreterError
from runtime.targets import TARGETS, parse_target
from runtime.text.parser import parse
from runtime.text.printer import print_module
from runtime.verifier import verify
from tests.definition_examples import programs_of
from tests.passes.laws import Original, run_on
from tests.tree import ROOT

NAMES = sorted(path.stem for path in (ROOT / "defs/neuron").glob("*.yaml"))
PIPELINES = (
    *(
        f"auto-cast-fp32{{mode=all,type={type},inline={word}}}"
        for type in ("bf16", "fp8_e4m3")
        for word in ("true", "false")
    ),
    *(f"auto-cast-fp32{{mode=matmult,type={type}}}" for type in ("fp16", "tf32", "fp8_e4m3")),
    *(f"auto-cast-inputs{{inline={word}}}" for word in ("true", "false")),
    "auto-mixed-precision{policy=autocast-bf16}",
    "auto-mixed-precision{policy=always-f16}",
    "cast-op-elimination",
    "dtype-mutator",
    "eliminate-casts",
    "eliminate-copies",
    "enforce-alu-dt-acc",
    "fold-casts",
    "share-casts",
)
SWAPS = ((r"\b(bf16|f16)\[", "f32["), (r"\bf32\[", "bf16["))


@pytest.mark.parametrize("name", NAMES)
def test_passes_leave_legal_programs(name: str) -> None:
    for module in _programs(name):
        original = Original.of(print_module(module))
        for pipeline in PIPELINES:
            try:
                _run(original, pipeline)
            except AssertionError as error:
                error.add_note(f"{pipeline} on\n{original.text}")
                raise


def test_nearly_all_examples_can_be_run() -> None:
    found = [_is_run(Original.of(print_module(module))) for name in NAMES for module in _programs(name)]
    assert len(found) > 100 and sum(found) > 100, f"{sum(found)} of {len(found)}"


def _run(original: Original, pipeline: str) -> None:
    if _is_run(original):
        run_on(original, pipeline, thorough=False)
        return
    module = original.module.clone()
    (transform,) = build_pipeline(pipeline, parse_target(module.target or ""))
    assert isinstance(transform, DotTransform)
    transform.runOnModule(module)
    assert not verify(module), f"the pass broke the program: {verify(module)[0].render()}"


def _is_run(original: Original) -> bool:
    try:
        return original.results is not None
    except InterpreterError:
        return False


def _programs(name: str) -> Iterator[Module]:
    """Yield the examples of a definition and their twins, where some target takes them."""
    for text in programs_of("neuron", name):
        yield from filter(None, map(_for_a_target, dict.fromkeys((text, *(re.sub(*swap, text) for swap in SWAPS)))))


def _for_a_target(text: str) -> Module | None:
    for target in reversed(TARGETS):
        head = "" if text.startswith("target") else f"target {target.name}\n\n"
        try:
            module = parse(head + text, standard())
        except DiagnosticsError:
            return None  # a twin may have fields that such an element type does not take
        if not verify(module):
            return module
    return None
