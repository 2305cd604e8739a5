"""What a user asks of a conversion beside a policy: what is to stay f32, by name or by measurement, and the ends.

Deliberately absent: what a program needs by itself, which guards find.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, count
from typing import Final

from passes.precision.labels import label_of
from passes.precision.name_patterns import PatternTable, fits, is_wild
from passes.precision.overrides import names_of as own_names_of
from passes.precision.reasons import Reason, Rule
from runtime.diagnostics import Diagnostic, DiagnosticsError, did_you_mean
from runtime.dtypes import DType, f32
from runtime.functions import Module
from runtime.generic import Initializer, OnnxNode
from runtime.instructions import Instruction
from runtime.values import Operand, Value

_HOW: Final = "patterns are names of nodes or operators; * is any text, ? any character"
_MOST_NAMED: Final = 4  # nodes that are told


@dataclass(frozen=True)
class Requests:
    """The wishes for one conversion; without any, a policy and its guards decide."""

    keep: tuple[str, ...] = ()  # patterns of names of nodes, or of operators
    measured: Mapping[Operand, float] = field(default_factory=dict)  # the largest finite magnitude of values
    exact: frozenset[str] = frozenset()  # names of nodes and first results that a tolerance needs in f32
    keep_io: bool = True  # whether the program takes in and gives what it did
    notes: tuple[str, ...] = ()  # for the report

    @cached_property
    def _kept(self) -> PatternTable[str]:
        return PatternTable((one, one) for one in self.keep)

    @property
    def are_of_values(self) -> bool:
        """Whether any wish is about some instructions or values."""
        return bool(self.keep or self.measured or self.exact)

    def why_f32(self, inst: Instruction, values: Iterable[Operand], low: DType) -> Reason | None:
        """Return why a user wants an instruction in f32, which reads and gives some values; else None."""
        if self.keep:
            found = next(self._kept.of(names_of(inst)), None)
            if found is not None:
                return Reason(Rule.KEPT, f'asked for with the pattern "{found}"')
        if self.exact and not self.exact.isdisjoint(own_names_of(inst)):
            return Reason(Rule.TOLERANCE, Rule.TOLERANCE.value)
        for value in values if self.measured else ():
            largest = self.measured.get(value, 0.0)
            if largest >= beyond(low):
                name = f"%{value.name}" if isinstance(value, Value) and value.name else "a value without a name"
                return Reason(Rule.MEASURED, f"up to {largest:.4g} was measured of {name}, which {low} does not hold")
        return None

    def also(self, other: Requests) -> Requests:
        """Return these wishes and others; what was measured and the notes are those of the others."""
        return replace(other, keep=(*self.keep, *other.keep), keep_io=self.keep_io and other.keep_io)

    def for_copies(self, module: Module, low: DType) -> Requests:
        """Return the same wishes for copies of a module: what was measured of its values is a pattern for each of them.

        An instruction that has no name, and is meant by one, gets it.
        """
        if not self.measured:
            return self
        large = {value for value, largest in self.measured.items() if largest >= beyond(low)}
        found = []
        for function in module.functions.values():
            taken = {result.name for inst in function.insts for result in inst.results}
            for inst in function.insts:
                values = (*inst.results, *(() if inst.blocks else inst.operands()))
                if any(value in large and value.type.dtype is f32 for value in values) and inst.results:
                    first = inst.results[0]
                    if not first.name:
                        first.name = next(name for at in count(1) if (name := f"measured_{at}") not in taken)
                        taken.add(first.name)
                    found.append(first.name)
        return replace(self, keep=(*self.keep, *found), measured={})


def beyond(low: DType) -> float:
    """Return the smallest magnitude that rounds to an infinity: half a unit in the last place beyond the largest."""
    bits = low.mantissa_bits
    return low.largest / (2 - 2.0**-bits) * (2 - 2.0 ** -(bits + 1))


def names_of(inst: Instruction) -> tuple[str, ...]:
    """Return what a pattern may mean an instruction by: its name as a node, its result's, and its operator's."""
    label = label_of(inst)
    own = (inst.node_name, inst.op_type) if isinstance(inst, OnnxNode) else ()
    return tuple(name for name in (*own, inst.name, label) if name)


def check_patterns(patterns: Iterable[str], module: Module) -> None:
    """Refuse patterns that mean no instruction of a module.

    Raises: DiagnosticsError with all of them.
    """
    mistakes = []
    for pattern, names in unmatched(patterns, module):
        message, readers = f'--keep: nothing in the program is called "{pattern}"', _readers_of_constants(
            pattern, module
        )
        if readers:
            message = f'--keep: "{pattern}" means constants only, each of which is as the nodes that read it'
            more = f" and {len(readers) - _MOST_NAMED} more" if len(readers) > _MOST_NAMED else ""
            help = f"keep these: {', '.join(readers[:_MOST_NAMED])}{more}"
        else:
            help = did_you_mean(pattern, names) or _HOW
        mistakes.append(Diagnostic("P066", message, help=help))
    if mistakes:
        raise DiagnosticsError(mistakes)


def unmatched(patterns: Iterable[str], module: Module) -> Iterator[tuple[str, list[str]]]:
    """Yield the patterns that mean no instruction of a module that computes, each with all the names that there are."""
    insts = [inst for function in module.functions.values() for inst in function.insts]
    found = [names_of(inst) for inst in insts if not isinstance(inst, Initializer)]
    known = dict.fromkeys(chain.from_iterable(found))
    names = list(known)
    for pattern in patterns:
        if pattern not in known and not (is_wild(pattern) and any(fits(name, pattern) for name in names)):
            yield pattern, names


def _readers_of_constants(pattern: str, module: Module) -> list[str]:
    """Return the names of what reads the constants that a pattern means."""
    insts = [inst for function in module.functions.values() for inst in function.insts]
    meant = [inst for inst in insts if isinstance(inst, Initializer) and inst.name and fits(inst.name, pattern)]
    return list(dict.fromkeys(name for inst in meant for user in inst.users for name in names_of(user)[:1]))
