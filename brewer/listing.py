"""What the other definitions, and the files that all of them share, need to know of a definition: a few words.

A run keeps them, so that the next one need not read what has not changed.
"""

from __future__ import annotations

from brewer.frozen import frozen
from brewer.load import Brewable
from brewer.python_sources import PythonSources


@frozen
class Listed:
    """A definition in the table of all of them."""

    dialect: str
    name: str
    base: str  # the name that it gives
    bases: str  # the files of the definitions that it stands on, nearest first, a space between two
    kind: str  # `abstract` for one that only serves as a base; else `concrete`
    mnemonic: str  # empty where there is none; that of an abstract one is no other's either
    module: str  # the class that an instruction is built from: the wrapper where there is one
    class_name: str
    package: str  # that of the brewed modules

    @property
    def words(self) -> list[str]:
        """All of it, for the memory of a run: `Listed(*words)` is this again."""
        return [getattr(self, name) for name in self.__match_args__]

    @property
    def generated_class(self) -> str:
        return f"{self.name}Gen"

    @property
    def generated_module(self) -> str:
        return f"{self.package}.{self.dialect}.{self.generated_class}"

    @property
    def output(self) -> str:
        return f"{self.package}/{self.dialect}/{self.generated_class}.py"


def list_definition(brewable: Brewable, sources: PythonSources) -> Listed:
    definition = brewable.definition
    wrapper = sources.wrappers[definition.wrapper.value] if definition.wrapper else None
    generated, package = f"{definition.name}Gen", sources.modules.package
    return Listed(
        dialect=definition.dialect,
        name=definition.name.value,
        base=definition.base.value,
        bases=" ".join(brewable.bases),
        kind="abstract" if definition.abstract else "concrete",
        mnemonic=brewable.rhs.mnemonic.value if brewable.rhs else "",
        module=wrapper.module if wrapper else f"{package}.{definition.dialect}.{generated}",
        class_name=wrapper.name if wrapper else generated,
        package=package,
    )
