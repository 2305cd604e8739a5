"""What a user asks of a conversion beside a policy: what is to stay f32, by name or by measurement, and the ends.

Deliberately absent: what a program needs by itself, which guards find.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from passes.precision.labels import label_of
from passes.precision.name_patterns import fits
from passes.precision.reasons import Reason, Rule
from runtime.dtypes import DType
from runtime.functions import Module
from runtime.generic import OnnxNode
from runtime.instructions import Instruction
from runtime.values import Operand, Value


@dataclass(frozen=True)
class Requests:
    """The wishes for one conversion; without any, a policy and its guards decide."""

    keep: tuple[str, ...] = ()  # patterns of names of nodes, or of operators
    measured: Mapping[Operand, float] = field(default_factory=dict)  # the largest finite magnitude of values
    keep_io: bool = True  # whether the program takes in and gives what it did
    notes: tuple[str, ...] = ()  # for the report

    def why_f32(self, inst: Instruction, values: Iterable[Operand], low: DType) -> Reason | None:
        """Return why a user wants an instruction in f32, which reads and gives some values; else None."""
        if self.keep:
            names = names_of(inst)
            found = next((one for one in self.keep if any(fits(name, one) for name in names)), None)
            if found is not None:
                return Reason(Rule.KEPT, f'asked for with the pattern "{found}"')
        for value in values if self.measured else ():
            largest = self.measured.get(value, 0.0)
            if largest >= beyond(low):
                name = f"%{value.name}" if isinstance(value, Value) and value.name else "a value without a name"
                return Reason(Rule.MEASURED, f"up to {largest:.4g} was measured of {name}, which {low} does not hold")
        return None


def beyond(low: DType) -> float:
    """Return the smallest magnitude that rounds to an infinity: half a unit in the last place beyond the largest."""
    bits = low.mantissa_bits
    return low.largest / (2 - 2.0**-bits) * (2 - 2.0 ** -(bits + 1))


def names_of(inst: Instruction) -> tuple[str, ...]:
    """Return what a pattern may mean an instruction by: its name as a node, its result's, and its operator's."""
    label = label_of(inst)
    own = (inst.node_name, inst.op_type) if isinstance(inst, OnnxNode) else ()
    return tuple(name for name in (*own, inst.name, label) if name)


def unmatched(patterns: Iterable[str], module: Module) -> Iterator[tuple[str, list[str]]]:
    """Yield the patterns that mean no instruction of a module, each with all the names that there are."""
    found = [names_of(inst) for function in module.functions.values() for inst in function.insts]
    names = list(dict.fromkeys(chain.from_iterable(found)))
    for pattern in patterns:
        if not any(fits(name, pattern) for name in names):
            yield pattern, names
