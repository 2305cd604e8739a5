"""The names of the hooks of a `DotTransform`: one for each class of statement.

An instruction of `neuron`, or of the IR itself, has the hook `transform<Name>` (`transformTensorCopyOp`), those of
other dialects `transform_<dialect>_<Name>` (`transform_graph_Cast`), since a name is unique only within its dialect.
Names are those of the definitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from generated import CLASSES, INSTRUCTIONS
from runtime.blocks import Statement
from runtime.diagnostics import did_you_mean

UNPREFIXED = ("neuron", "builtin")


def hook_name(cls: type) -> str | None:
    """Return the name of the hook for `cls` itself, or None where it is no class of statements."""
    if not issubclass(cls, Statement):
        return None
    info = getattr(cls, "INFO", None)
    return _name("neuron" if info is None else info.dialect, cls.__name__.removesuffix("Gen"))


def why_not_hooks(hooks: Iterable[str]) -> dict[str, str]:
    """Return those of these names that are the hook of nothing, sorted, each with the reason and near names."""
    hooks = {*hooks} - _brewed()
    if not hooks:
        return {}
    known = {*_brewed(), *(name for cls in _subclasses(Statement) if (name := hook_name(cls)) is not None)}
    return {
        hook: f"{hook} is the hook of no statement; {did_you_mean(hook, known) or 'see passes/framework/hooks.py'}"
        for hook in sorted(hooks - known)
    }


@cache
def _brewed() -> frozenset[str]:
    """Asked for by each pass that is made: two thirds of what that took."""
    found = set()
    for module, name in [*INSTRUCTIONS.values(), *((module, name) for name, module in CLASSES.items())]:
        folder, dialect = module.split(".")[:2]
        found.add(_name(dialect if folder == "generated" else "neuron", name.removesuffix("Gen")))
    return frozenset(found)


def _name(dialect: str, name: str) -> str:
    return f"transform{name}" if dialect in UNPREFIXED else f"transform_{dialect}_{name}"


def _subclasses(cls: type) -> Iterator[type]:
    below: type
    for below in cls.__subclasses__():
        yield below
        yield from _subclasses(below)
