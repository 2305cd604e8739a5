"""What `--auto-cast` and `--auto-cast-type` stand for: one run of `auto-cast-fp32`, before all other passes."""

from __future__ import annotations

from passes.autocast.modes import UnknownCastModeError, mode_of
from passes.build import build_pipeline
from passes.framework.pass_manager import Step
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.targets import Target


def auto_cast_steps(mode: str | None, type: str | None, target: Target | None) -> tuple[Step, ...]:
    """Return the pass that the two options ask for; nothing where neither is given.

    Raises: DiagnosticsError where there is no such mode or type, or a type alone.
    """
    if mode is None and type is None:
        return ()
    try:
        mode_of(mode or "none", type or "bf16")
    except UnknownCastModeError as error:
        message, _, help = str(error).partition("; ")
        raise DiagnosticsError([Diagnostic("P020", message, help=help)]) from error
    if mode is None:
        message = f"--auto-cast-type {type} says to which float, and nothing says what is cast"
        raise DiagnosticsError([Diagnostic("P020", message, help="add --auto-cast matmult, or all")])
    return build_pipeline(f"auto-cast-fp32{{mode={mode}, type={type or 'bf16'}}}", target, "--auto-cast")
