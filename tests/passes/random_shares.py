"""How many random programs of which kind each pass and each named pipeline meets, in one table.

A kind of programs is cut in ten parts of as many programs; whoever has a share of three meets the first three. Each
program is parsed, verified and run once for all who meet it. The shares of a pass add up to ten, so everybody meets as
many programs: 500 in the default suite, 10,000 in the long one.

A pass that the table does not name has two parts of each kind.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Final

from passes.build import open_options
from passes.pipelines import PIPELINES
from passes.registry import PASSES
from tests.passes.laws import Original, run_on, run_steps_on
from tests.passes.random_chains import random_program
from tests.passes.random_graphs import random_graph
from tests.passes.random_kernels import random_kernel
from tests.passes.random_offloaded import random_offloaded
from tests.passes.random_snapshots import random_snapshots

PARTS: Final = 10
BY_DEFAULT: Final = 50  # programs in a part
LONG: Final = 1_000
THOROUGH: Final = 0.25  # in the default suite; all in the long one

KINDS: Final[Mapping[str, Callable[[int, int], str]]] = {
    "chains": random_program,
    "graphs": random_graph,
    "kernels": random_kernel,
    "offloaded": random_offloaded,
    "snapshots": random_snapshots,
}

SHARES: Final[Mapping[str, Mapping[str, int]]] = {
    # pass or pipeline: parts of each kind that it meets
    "auto-cast-fp32": {"kernels": 7, "chains": 1, "graphs": 1, "snapshots": 1},
    "auto-cast-inputs": {"kernels": 7, "chains": 1, "graphs": 1, "snapshots": 1},
    "auto-cast-tc-inputs": {"kernels": 6, "chains": 1, "graphs": 2, "snapshots": 1},
    "auto-mixed-precision": {"graphs": 4, "kernels": 3, "chains": 2, "snapshots": 1},
    "cast-op-elimination": {"offloaded": 10},
    "dtype-mutator": {"kernels": 4, "chains": 3, "snapshots": 3},
    "eliminate-casts": {"chains": 5, "snapshots": 3, "kernels": 1, "graphs": 1},
    "eliminate-copies": {"offloaded": 10},
    "eliminate-dead-code": {"chains": 2, "graphs": 2, "kernels": 2, "offloaded": 2, "snapshots": 2},
    "enforce-alu-dt-acc": {"kernels": 10},
    "fold-casts": {"snapshots": 4, "kernels": 2, "graphs": 2, "chains": 2},
    "share-casts": {"snapshots": 4, "kernels": 2, "graphs": 2, "chains": 2},
    "clean-casts": {"kernels": 3, "chains": 3, "snapshots": 3, "graphs": 1},
    "numeric-chain": {"kernels": 7, "chains": 2, "snapshots": 1},
}

EVERY_KIND: Final = dict.fromkeys(KINDS, PARTS // len(KINDS))


def shares_of(name: str) -> Mapping[str, int]:
    """Return how many parts of each kind a pass or a pipeline meets."""
    return SHARES.get(name, EVERY_KIND)


@dataclass(frozen=True)
class Part:
    """The programs of a kind that the same passes and pipelines meet."""

    kind: str
    number: int

    def __str__(self) -> str:
        return f"{self.kind}-{self.number}"

    @property
    def names(self) -> tuple[str, ...]:
        """The passes and pipelines whose share reaches so far."""
        return tuple(name for name in (*PASSES, *PIPELINES) if self.number < shares_of(name).get(self.kind, 0))

    def seeds(self, count: int, first: int) -> range:
        return range(first + self.number * count, first + (self.number + 1) * count)


PARTS_THAT_RUN: Final = tuple(part for kind in KINDS for number in range(PARTS) if (part := Part(kind, number)).names)


def run_part(
    part: Part,
    count: int,
    first: int,
    statements: int,
    names: tuple[str, ...] | None = None,
    *,
    thorough: float = THOROUGH,
) -> dict[str, int]:
    """Run everybody, or `names`, on the programs of a part, under the laws; return how many each of them changed.

    `thorough` is the share of runs whose text and BIR are read back, and which are verified whatever they changed.
    """
    changed = dict.fromkeys(part.names if names is None else names, 0)
    for seed in part.seeds(count, first):
        random = Random(seed)
        original = Original.of(KINDS[part.kind](seed, random.randint(2, statements)))
        for name in changed:
            pipeline = random_pipeline(name, random)
            try:
                changed[name] += _run(original, name, pipeline, thorough=random.random() < thorough)
            except AssertionError as error:
                error.add_note(f"{pipeline} on {part.kind} {seed}:\n{original.text}")
                raise
        original.check()
    return changed


def _run(original: Original, name: str, pipeline: str, *, thorough: bool) -> bool:
    if name in PASSES:
        return run_on(original, pipeline, thorough=thorough).changed
    return any(outcome.changed for outcome in run_steps_on(original, pipeline, thorough=thorough))


OTHER_TYPES: Final = ("keep_io",)
"""Options that are there to change the types of inputs and outputs, which no law allows."""


def random_pipeline(name: str, random: Random) -> str:
    """Return a pass or a pipeline with options: each that lists its values has one of them, or none is given."""
    options = _words_of(name)
    if not options or random.random() < 0.2:
        return name
    drawn = {option: random.choice(words) for option, words in options.items()}
    return f"{name}{{{' '.join(f'{option}={word}' for option, word in drawn.items())}}}"


@cache
def _words_of(name: str) -> Mapping[str, tuple[str, ...]]:
    """Return the options that list their values, worked out once for thousands of programs."""
    found = {option: words for each in open_options(name).values() for option, words in each.items() if words}
    return {option: words for option, words in found.items() if option not in OTHER_TYPES}
