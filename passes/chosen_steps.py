"""Which passes a command line asks for, in which order: `--auto-cast`, `--passes`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Final

from passes.autocast.shorthand import auto_cast_steps
from passes.build import build_pipeline, open_options
from passes.framework.pass_manager import Step
from passes.measuring.sweep import swept
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.targets import Target, UnknownTargetError, parse_target

_AUTO_CAST: Final = "auto-cast-fp32"


def steps_of(given: argparse.Namespace, target: Target | None) -> tuple[Step, ...]:
    """Return the steps that a command line asks for before a policy.

    `--auto-cast` is a run of `auto-cast-fp32` before all others; a pipeline that has that pass gets the mode instead.

    Raises: DiagnosticsError with what is wrong.
    """
    asked = auto_cast_steps(given.auto_cast, given.auto_cast_type, target)
    open_ones = open_options(given.passes, "--passes").get(_AUTO_CAST) if asked else None
    defaults: dict[str, str] = {}
    if open_ones is not None:
        asked, defaults = (), _handed_on(given, open_ones)
    return (
        *asked,
        *build_pipeline(given.passes, target, "--passes", defaults),
    )


def _handed_on(given: argparse.Namespace, open_ones: Mapping[str, object]) -> dict[str, str]:
    """Return the options of the pipeline's own `auto-cast-fp32` that `--auto-cast` stands for.

    Raises: DiagnosticsError where the pipeline says them itself.
    """
    found = {"mode": given.auto_cast, "type": given.auto_cast_type}
    wrong = [
        Diagnostic("P016", f"{option} and --passes both say the {name} of {_AUTO_CAST}; leave one of them out")
        for (name, value), option in zip(found.items(), ("--auto-cast", "--auto-cast-type"), strict=True)
        if value is not None and name not in open_ones
    ]
    if wrong:
        raise DiagnosticsError(wrong)
    return {name: value for name, value in found.items() if value is not None}


def why_nothing_is_narrowed(given: argparse.Namespace) -> str | None:
    """Return what to say where a pipeline narrows nothing because nobody gave it a mode."""
    names = () if given.sweep is None else swept(given.sweep)
    if names is None or "mode" in names:
        return None
    if given.auto_cast is not None or "mode" not in open_options(given.passes, "--passes").get(_AUTO_CAST, {}):
        return None
    return f"{_AUTO_CAST} narrows nothing, since it is given no mode; give it mode=matmult, mode=all, or mode=none"


def target_named(name: str | None) -> Target | None:
    """Return the target of a name.

    Raises: DiagnosticsError where there is none.
    """
    try:
        return None if name is None else parse_target(name)
    except UnknownTargetError as error:
        message, _, help = str(error).partition("; ")
        raise DiagnosticsError([Diagnostic("P006", message, help=help)]) from error
