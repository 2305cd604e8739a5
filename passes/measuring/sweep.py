"""`--sweep`: the same pipeline with every value of some options, for one table of what each does to a program.

    --passes numeric-chain --sweep                     every mode, and every type with it
    --passes 'numeric-chain{mode=all}' --sweep         every type; what the pipeline says itself stands
    --passes numeric-chain --sweep=inline              both values of that option

Deliberately absent: what makes no difference. Beside a mode that casts nothing, a type is tried once, under no name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from passes.auto_cast_fp32 import AutoCastFP32
from passes.build import build_pipeline, open_options
from passes.framework.options import OptionFiles, option_name
from passes.framework.pass_manager import Step, passes_of
from runtime.diagnostics import Diagnostic, DiagnosticsError, did_you_mean, either
from runtime.targets import Target

DEFAULT: Final = ("mode", "type")


def swept(sweep: str) -> list[str] | None:
    """Return the options that `--sweep` names; None where it names none."""
    return None if sweep == "*" else [option_name(name.strip()) for name in sweep.split(",")]


Variant = tuple[Mapping[str, str], tuple[Step, ...]]


def variants(
    text: str, names: Sequence[str] | None, target: Target | None, files: OptionFiles | None = None
) -> Iterator[Variant]:
    """Yield the values of some options, and the steps of the pipeline `text` with them; None: those of `DEFAULT`.

    Raises: DiagnosticsError where no pass of the pipeline leaves such an option open.
    """
    known: dict[str, tuple[str, ...]] = {}
    for left_open in open_options(text, "--passes").values():
        known.update((name, values) for name, values in left_open.items() if values)
    chosen = [name for name in DEFAULT if name in known] if names is None else names
    wrong = [name for name in chosen if name not in known]
    if wrong:
        raise DiagnosticsError([_no_option(name, known) for name in wrong])
    if not chosen:
        raise DiagnosticsError([_nothing_by_itself(known)])
    seen: set[tuple[tuple[str, str], ...]] = set()
    for values in product(*(known[name] for name in chosen)):
        options = dict(zip(chosen, values, strict=True))
        steps = build_pipeline(text, target, "--passes", options, files)
        shown = dict(options)
        if "mode" in chosen and _casts_nothing(steps):
            shown.pop("type", None)
        if tuple(shown.items()) not in seen:
            seen.add(tuple(shown.items()))
            yield shown, steps


def _casts_nothing(steps: Sequence[Step]) -> bool:
    modes = [each.mode for each in passes_of(steps) if isinstance(each, AutoCastFP32)]
    return bool(modes) and all(mode.scope == "none" for mode in modes)


def _nothing_by_itself(known: Mapping[str, Sequence[str]]) -> Diagnostic:
    message = '--sweep: the pipeline leaves no option "mode" open, and no option "type"'
    help = "it goes over options of auto-cast-fp32, which numeric-chain has"
    if known:
        help = f"it leaves open {either(known, 'and')}; name one, such as --sweep={next(iter(known))}"
    return Diagnostic("P050", message, help=help)


def _no_option(name: str, known: Mapping[str, Sequence[str]]) -> Diagnostic:
    help = did_you_mean(name, known) or f"it leaves open {either(known, 'and') or 'no option of that kind'}"
    message = f'--sweep: the pipeline leaves no option "{name}" open that has a list of values'
    return Diagnostic("P050", message, help=help)
