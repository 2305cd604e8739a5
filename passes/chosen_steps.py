"""Which passes a command line asks for, in which order: `--auto-cast`, `--passes`; and what to say of those for f32."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from typing import Final

from passes.autocast.shorthand import auto_cast_steps
from passes.build import build_pipeline, open_options
from passes.framework.dot_transform import DotTransform
from passes.framework.options import OptionFiles
from passes.framework.pass_manager import Step, passes_of
from passes.measuring.sweep import swept
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.functions import Function, Module
from runtime.generic import Initializer, OnnxNode
from runtime.targets import Target, UnknownTargetError, parse_target

_AUTO_CAST: Final = "auto-cast-fp32"
_AUTO_CASTS: Final = (_AUTO_CAST, "auto-cast-inputs", "auto-cast-tc-inputs")


def steps_of(given: argparse.Namespace, target: Target | None, files: OptionFiles | None) -> tuple[Step, ...]:
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
        *build_pipeline(given.passes, target, "--passes", defaults, files),
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


def why_models_stay(given: argparse.Namespace, steps: Iterable[Step], module: Module) -> str | None:
    """Return what to say where passes that narrow f32 meet functions that hold nodes of ONNX only; they leave those."""
    found = [each for each in passes_of(steps) if each.pass_name in _AUTO_CASTS and _is_to_narrow(each, given)]
    functions = [f"@{name}" for name, f in module.functions.items() if _is_of_nodes(f)] if found else []
    if not functions:
        return None
    names = " and ".join(dict.fromkeys(each.pass_name for each in found))
    if len(functions) == 1:
        which = f"{functions[0]} stays as it is, since it holds"
    else:
        which = f"{functions[0]} and {len(functions) - 1} more stay as they are, since they hold"
    return f"{names}: {which} nodes of ONNX only; use --policy for those, autocast-f16 for one"


def _is_to_narrow(transform: DotTransform, given: argparse.Namespace) -> bool:
    """Whether a pass has a mode in which it narrows something, or somebody has forgotten to give it one."""
    if getattr(transform, "mode").scope != "none":  # noqa: B009  # those that narrow have one
        return True
    return given.auto_cast is None and "mode" in open_options(given.passes, "--passes").get(transform.pass_name, {})


def _is_of_nodes(f: Function) -> bool:
    kinds = {type(inst) for inst in f.insts if not inst.is_terminator}
    return OnnxNode in kinds and kinds <= {OnnxNode, Initializer}


def target_named(name: str | None) -> Target | None:
    """Return the target of a name.

    Raises: DiagnosticsError where there is none.
    """
    try:
        return None if name is None else parse_target(name)
    except UnknownTargetError as error:
        message, _, help = str(error).partition("; ")
        raise DiagnosticsError([Diagnostic("P006", message, help=help)]) from error
