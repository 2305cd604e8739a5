"""The passes by name. A pass is imported when somebody asks for it, and not before."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Final

from passes.framework.dot_transform import DotTransform

PASSES: Final[Mapping[str, tuple[str, str]]] = {
    "auto-mixed-precision": ("passes.auto_mixed_precision", "AutoMixedPrecision"),
    "eliminate-casts": ("passes.eliminate_casts", "NeuronEliminateCasts"),
}
"""Name in pipelines -> module and class, sorted."""


def load_pass(name: str) -> type[DotTransform]:
    """Return the class of a pass that `PASSES` lists."""
    module, class_name = PASSES[name]
    found: type[DotTransform] = getattr(import_module(module), class_name)
    assert issubclass(found, DotTransform) and found.pass_name == name, f"{module}.{class_name} is not the pass {name}"
    return found


def load_all() -> tuple[type[DotTransform], ...]:
    """Return every pass, in the order of the table."""
    return tuple(load_pass(name) for name in PASSES)
