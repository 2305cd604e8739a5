"""The table from mnemonic to class: what parsers, readers and passes get as an argument.

This is the one module of `runtime` that knows of `generated`. It imports a class when somebody asks for it, so a tool
that uses three instructions loads three.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module

from runtime.builtin import Opaque, Return, Yield
from runtime.instructions import Instruction


class InstructionSet(Mapping[str, type[Instruction]]):
    """A lazy mapping from mnemonic to the most derived class of the instruction."""

    def __init__(self, modules: Mapping[str, tuple[str, str]], own: tuple[type[Instruction], ...] = ()) -> None:
        """Take `mnemonic -> (module, class)` as the brewed table has it, and classes that are at hand already."""
        self._modules = modules
        self._classes: dict[str, type[Instruction]] = {}
        for cls in own:
            assert cls.INFO.mnemonic is not None
            self._classes[cls.INFO.mnemonic] = cls

    def __getitem__(self, mnemonic: str) -> type[Instruction]:
        found = self._classes.get(mnemonic)
        if found is None:
            module, name = self._modules[mnemonic]
            found = self._classes[mnemonic] = getattr(import_module(module), name)
        return found

    def __contains__(self, mnemonic: object) -> bool:
        return mnemonic in self._classes or mnemonic in self._modules

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._classes, *self._modules}))

    def __len__(self) -> int:
        return len({*self._classes, *self._modules})


@cache
def standard() -> InstructionSet:
    """Return every brewed instruction, and those that belong to the IR itself."""
    return InstructionSet(import_module("generated").INSTRUCTIONS, (Opaque, Return, Yield))
