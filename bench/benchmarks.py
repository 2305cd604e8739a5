"""The benchmarks: what is prepared, what is measured, and how the result is checked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bench.contender import Contender

AnyContender = Contender[Any]

INSTRUCTIONS_PER_ROUND_TRIP = 3


@dataclass(frozen=True)
class Benchmark:
    """One kind of work, the same for every contender."""

    summary: str
    prepare: Callable[[AnyContender, int], Any]
    """Makes what the work is done on, from a size in instructions; not measured."""
    run: Callable[[AnyContender, str, Any], Any]
    """The work that is measured, given the way to do it and what was prepared."""
    check: Callable[[AnyContender, int, Any, Any], None]
    """Raises AssertionError unless the work was done; given size, what was prepared, and the result of `run`."""
    ways: Callable[[AnyContender], tuple[str, ...]] = lambda contender: ("",)
    """The ways in which a contender can do it, one row each."""
    size: int = 100_000
    """The size, in instructions, of the figure in the first table of the results."""
    of_memory: bool = False
    """Whether the memory of what `run` gives is measured, at one size, and not its time, over many."""

    @property
    def unit(self) -> str:
        return "bytes an instruction" if self.of_memory else "CPU µs an instruction"


def _nothing(contender: AnyContender, size: int) -> int:
    return size


def _check_size(contender: AnyContender, size: int, prepared: Any, program: Any) -> None:
    assert contender.count_instructions(program) == size


def _check_text(contender: AnyContender, size: int, prepared: Any, text: str) -> None:
    assert text.count("\n") >= size, "a text form has a line for each instruction"


def _check_operands(contender: AnyContender, size: int, prepared: Any, operands: int) -> None:
    assert operands == 2 * size


def _check_verified(contender: AnyContender, size: int, program: Any, mistakes: int) -> None:
    assert mistakes == 0


def _check_erased(contender: AnyContender, size: int, program: Any, result: None) -> None:
    assert contender.count_instructions(program) == 0


def _check_eliminated(contender: AnyContender, size: int, program: Any, eliminated: int) -> None:
    round_trips = size // INSTRUCTIONS_PER_ROUND_TRIP
    assert eliminated == round_trips
    left = contender.count_instructions(program)
    assert round_trips <= left < INSTRUCTIONS_PER_ROUND_TRIP * round_trips, f"{left} instructions left of {size}"


BENCHMARKS: Mapping[str, Benchmark] = {
    "build": Benchmark(
        summary="building a chain of additions",
        prepare=_nothing,
        run=lambda contender, way, size: contender.builders[way](size),
        check=_check_size,
        ways=lambda contender: tuple(contender.builders),
    ),
    "print": Benchmark(
        summary="printing the chain as text",
        prepare=lambda contender, size: contender.build_chain(size),
        run=lambda contender, way, program: contender.print_text(program),
        check=_check_text,
    ),
    "parse": Benchmark(
        summary="parsing that text",
        prepare=lambda contender, size: contender.print_text(contender.build_chain(size)),
        run=lambda contender, way, text: contender.parse_text(text),
        check=_check_size,
    ),
    "walk": Benchmark(
        summary="visiting every instruction and operand of the chain",
        prepare=lambda contender, size: contender.build_chain(size),
        run=lambda contender, way, program: contender.walk(program),
        check=_check_operands,
    ),
    "verify": Benchmark(
        summary="verifying the chain: structure, definitions before uses, types of operands and results",
        prepare=lambda contender, size: contender.build_chain(size),
        run=lambda contender, way, program: contender.verifications[way](program),
        check=_check_verified,
        ways=lambda contender: tuple(contender.verifications),
    ),
    "eliminate-casts": Benchmark(
        summary="removing bf16 round trips (f32 -> bf16, bf16 -> f32, consumer)",
        prepare=lambda contender, size: contender.build_round_trips(size // INSTRUCTIONS_PER_ROUND_TRIP),
        run=lambda contender, way, program: contender.eliminations[way](program),
        check=_check_eliminated,
        ways=lambda contender: tuple(contender.eliminations),
    ),
    "erase-users": Benchmark(
        summary="erasing, one by one, the users of one value",
        prepare=lambda contender, size: contender.build_fan(size),
        run=lambda contender, way, program: contender.erase_users(program),
        check=_check_erased,
        size=100_000,
    ),
    "memory": Benchmark(
        summary="memory of the chain",
        prepare=_nothing,
        run=lambda contender, way, size: contender.build_chain(size),
        check=_check_size,
        of_memory=True,
    ),
}
