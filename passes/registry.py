"""The passes by name. A pass is imported when somebody asks for it, and not before."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Final

from passes.framework.dot_transform import DotTransform
from passes.framework.failure import failure_of
from runtime.statistics import statistics_of

PASSES: Final[Mapping[str, tuple[str, str]]] = {
    "auto-cast-fp32": ("passes.auto_cast_fp32", "AutoCastFP32"),
    "auto-cast-inputs": ("passes.auto_cast_inputs", "AutoCastInputs"),
    "auto-cast-tc-inputs": ("passes.auto_cast_tc_inputs", "AutoCastTCInputs"),
    "auto-mixed-precision": ("passes.auto_mixed_precision", "AutoMixedPrecision"),
    "cast-op-elimination": ("passes.cast_op_elimination", "CastOpElimination"),
    "dtype-mutator": ("passes.dtype_mutator", "MutateDTypes"),
    "eliminate-casts": ("passes.eliminate_casts", "NeuronEliminateCasts"),
    "eliminate-copies": ("passes.eliminate_copies", "EliminateCopies"),
    "eliminate-dead-code": ("passes.eliminate_dead_code", "EliminateDeadCode"),
    "enforce-alu-dt-acc": ("passes.enforce_alu_dt_acc", "EnforceAluDTAcc"),
    "fold-casts": ("passes.fold_casts", "FoldCasts"),
    "share-casts": ("passes.share_casts", "ShareCasts"),
}
"""Name in pipelines -> module and class, sorted."""


def load_pass(name: str) -> type[DotTransform]:
    """Return the class of a pass that `PASSES` lists.

    Raises: PassFailure where its module cannot be imported, or has no such pass.
    """
    module, class_name = PASSES[name]
    try:
        found: type[DotTransform] = getattr(import_module(module), class_name)
        if not (isinstance(found, type) and issubclass(found, DotTransform)):
            raise TypeError(f"{module}.{class_name} is no DotTransform")
        if found.pass_name != name:
            raise ValueError(f'{module}.{class_name} has the pass_name "{found.pass_name}"')
        statistics_of([found])
    except Exception as error:
        raise failure_of(name, error, module, did="cannot be loaded as passes/registry.py says") from error
    return found


def load_all() -> tuple[type[DotTransform], ...]:
    """Return every pass, in the order of the table."""
    return tuple(load_pass(name) for name in PASSES)
