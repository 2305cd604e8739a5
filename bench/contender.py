"""What a library must be able to do to take part: build the same programs, and do the same work on them.

Deliberately absent: any help for one side. A contender is written the way an expert in its library would write it, with
the library as it is shipped. What a library offers about the garbage collector is a way of its own, in its own row.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, ClassVar, Generic, TypeVar

ProgramT = TypeVar("ProgramT")

CONTENDERS: Mapping[str, str] = {
    "brewer": "bench.ours",
    "xdsl": "bench.peer_xdsl",
    "onnx-ir": "bench.peer_onnx_ir",
}
"""Name -> module with a function `contender()`, imported only in the process that measures it."""

SHAPE = (128, 512)
"""The shape of every tensor in every program."""


class Contender(ABC, Generic[ProgramT]):
    """One library's side of every benchmark."""

    distribution: ClassVar[str]
    """The name under which the library is installed, for its version."""

    @abstractmethod
    def build_chain(self, size: int) -> ProgramT:
        """Builds `size` additions, each of the two f32 tensors before it, in a function of two arguments."""

    @property
    def builders(self) -> Mapping[str, Callable[[int], ProgramT]]:
        """The ways to build that chain, the plain one first; a second one where the library offers one to its users."""
        return {"": self.build_chain}

    @abstractmethod
    def count_instructions(self, program: ProgramT) -> int:
        """Counts the instructions of the function, without what ends or surrounds it."""

    @abstractmethod
    def print_text(self, program: ProgramT) -> str:
        """Prints the whole program in the library's text form."""

    @abstractmethod
    def parse_text(self, text: str) -> ProgramT:
        """Parses what `print_text` printed, to a program of the same kind."""

    @abstractmethod
    def walk(self, program: ProgramT) -> int:
        """Visits every instruction, nested ones too, and its operands; returns how many operands it saw."""

    @property
    @abstractmethod
    def verifications(self) -> Mapping[str, Callable[[ProgramT], int]]:
        """The ways to verify a whole program, as shipped; each returns the number of mistakes, all or the first."""

    @abstractmethod
    def build_fan(self, users: int) -> ProgramT:
        """Builds one value and `users` negations of it."""

    @abstractmethod
    def erase_users(self, program: ProgramT) -> None:
        """Erases the instructions of a fan one by one, first to last, each checked for users of its own."""

    @abstractmethod
    def build_round_trips(self, count: int) -> ProgramT:
        """Builds, `count` times in a row: f32 -> bf16, bf16 -> f32, and an addition that consumes the result."""

    @property
    @abstractmethod
    def eliminations(self) -> Mapping[str, Callable[[ProgramT], int]]:
        """The ways to remove the bf16 round trips of a program; each returns how many it removed."""


def load_contender(name: str) -> Contender[Any]:
    """Imports a contender's library and gives its side of the benchmarks.

    Raises: ModuleNotFoundError where the library is not installed.
    """
    contender: Contender[Any] = import_module(CONTENDERS[name]).contender()
    return contender
