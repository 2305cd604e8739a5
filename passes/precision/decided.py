"""What has been decided about the nodes of a function so far: what each runs in, and which values become another float.

Deliberately absent: the decisions themselves (`passes/precision/decide.py`), and changes of the program.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from passes.precision.definitions import Lowered
from passes.precision.plans import Decision
from passes.precision.reasons import FOLLOWS, Reason
from passes.precision.regions import Gate
from runtime.dtypes import DType
from runtime.instructions import Instruction
from runtime.values import Operand, Value


class Decided:
    """The decisions for a function; whole groups of nodes are entered at once."""

    def __init__(self) -> None:
        self.of: dict[Instruction, Decision] = {}
        self.slots: dict[Instruction, frozenset[int]] = {}  # those of a node that are converted
        self.dtypes: dict[Operand, DType] = {}  # of the values that change
        self.gate_slots: dict[tuple[Instruction, int], DType] = {}
        self.low_gates: list[Gate] = []

    def keep(self, insts: Sequence[Instruction], decision: Decision) -> None:
        """Let nodes stay as they are."""
        self.of.update(dict.fromkeys(insts, decision))

    def convert(self, insts: Sequence[Instruction], lowered: Lowered, decision: Decision) -> None:
        """Convert nodes that read and give values of the same types."""
        self.keep(insts, decision)
        self.slots.update(dict.fromkeys(insts, lowered.slots))
        dtype = decision.dtype
        assert dtype is not None
        changes = [at for at, one in enumerate(lowered.results_of(insts[0])) if one.type.dtype is not dtype]
        if changes == [0] and len(insts[0].results) == 1:
            self.dtypes.update(dict.fromkeys(insts, dtype))
            return
        for inst in insts if changes else ():
            results = lowered.results_of(inst)
            self.dtypes.update(dict.fromkeys([results[at] for at in changes], dtype))

    def convert_one(self, inst: Instruction, lowered: Lowered, decision: Decision) -> None:
        """Convert one node."""
        dtype = decision.dtype
        assert dtype is not None
        self.of[inst] = decision
        self.slots[inst] = lowered.slots
        for result in lowered.results_of(inst):
            if result.type.dtype is not dtype:
                self.dtypes[result] = dtype

    def pass_low(self, gate: Gate, dtype: DType) -> list[Value]:
        """Let a float pass through a gate, and return the values that become it."""
        self.low_gates.append(gate)
        return self.open(gate, Decision(dtype, FOLLOWS))

    def open(self, gate: Gate, decision: Decision) -> list[Value]:
        """Let what passes through a gate be the float of a decision, and return the values that become it."""
        dtype = decision.dtype
        assert dtype is not None
        self.gate_slots.update(dict.fromkeys(gate.slots, dtype))
        self.of[gate.inst] = decision
        changed = [one for one in gate.targets if one.type.dtype is not dtype and one not in self.dtypes]
        self.dtypes.update(dict.fromkeys(changed, dtype))
        return changed

    def take_back(self, insts: Collection[Instruction], reason: Reason) -> None:
        """Let what was decided to be low stay as it is."""
        decision = Decision(None, reason)
        for inst in insts:
            self.of[inst] = decision
            self.slots.pop(inst, None)
            for result in inst.results:
                self.dtypes.pop(result, None)
        for gate in self.low_gates if insts else ():
            if gate.inst in insts:
                for slot in gate.slots:
                    self.gate_slots.pop(slot, None)
                for target in gate.targets:
                    self.dtypes.pop(target, None)
