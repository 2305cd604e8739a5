"""`--policy NAME|FILE.yaml`: the step that applies a precision policy."""

from __future__ import annotations

from collections.abc import Mapping

from passes.auto_mixed_precision import AutoMixedPrecision
from passes.framework.pass_manager import Step
from passes.precision.policy import UnknownPolicyError, policy_named
from passes.precision.policy_file import ReadTree, is_policy_file, read_policy
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.instructions import Instruction


def precision_steps(
    policy: str | None, read_tree: ReadTree | None, classes: Mapping[str, type[Instruction]]
) -> tuple[Step, ...]:
    """Return what the option asks for: no step, or one.

    Raises: DiagnosticsError where no policy has the name, or a file is wrong.
    """
    if policy is None:
        return ()
    if is_policy_file(policy) and read_tree is not None:
        made = AutoMixedPrecision.of(read_policy(policy, read_tree, classes))
    else:
        try:
            made = AutoMixedPrecision.of(policy_named(policy))
        except UnknownPolicyError as error:
            message, _, help = str(error).partition("; ")
            raise DiagnosticsError([Diagnostic("P007", message, help=help)]) from error
    made.pipeline_text = f"{made.pass_name}{{policy={policy}}}"
    return (made,)
