"""The table from mnemonic to class: what parsers, readers and passes get as an argument.

This is the one module of `runtime` that knows of `generated`. It imports a class when somebody asks for it, so a tool
that uses three instructions loads three.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Final

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

    def joined(self, modules: Mapping[str, tuple[str, str]]) -> InstructionSet:
        """Return these instructions and those of another brewed table, `INSTRUCTIONS` of its package.

        Raises: ValueError where the two have a mnemonic in common.
        """
        both = sorted(self._modules.keys() & modules.keys() | self._classes.keys() & modules.keys())
        if both:
            raise ValueError(f"two instructions would have the mnemonic {', '.join(both)}")
        joined = InstructionSet({**self._modules, **modules})
        joined._classes.update(self._classes)
        return joined

    def __contains__(self, mnemonic: object) -> bool:
        return mnemonic in self._classes or mnemonic in self._modules

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._classes, *self._modules}))

    def __len__(self) -> int:
        return len({*self._classes, *self._modules})


_FOREIGN: Final = {
    "onnx.node": ("runtime.generic", "OnnxNode"),
    "onnx.initializer": ("runtime.generic", "Initializer"),
}


@cache
def standard() -> InstructionSet:
    """Return every brewed instruction, those that belong to the IR itself, and those that carry foreign ones."""
    return InstructionSet({**import_module("generated").INSTRUCTIONS, **_FOREIGN}, (Opaque, Return, Yield))
