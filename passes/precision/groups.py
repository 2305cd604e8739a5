"""The nodes of a function in groups: those of one form whose operands and results have the same types.

    %s: f32[2,4] = Softmax %x {axis = 1}     %t: f32[2,4] = Softmax %y {axis = 0}     one group

What is decided about a form is done to a group at once, and what its nodes come to in bytes is one number. So a node
that nothing stands against costs a place in a few lists and dictionaries, and no object of its own.

Deliberately absent: what makes a form (`passes/precision/forms.py`), and instructions that have memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from passes.precision.forms import Form, Forms, is_rounded_as_asked, words_of
from passes.precision.labels import label_of
from runtime.access import NeuronAP
from runtime.generic import Initializer, OnnxNode
from runtime.instructions import Instruction
from runtime.operand_slots import Values, values_of
from runtime.types import Type


@dataclass(slots=True, eq=False)
class Group:
    """Nodes in program order, what their operand slots hold, and the types that all of these have."""

    form: Form
    operands: tuple[Type | None, ...]  # by slot, None where it is empty
    results: tuple[Type, ...]  # of those that are there
    insts: list[Instruction] = field(default_factory=list)
    values: list[Values] = field(default_factory=list)  # of each, before anything is changed


class Groups:
    """The groups of one function, the one of each node, and what is no node."""

    def __init__(self, insts: Iterable[Instruction], forms: Forms) -> None:
        self.of: dict[Instruction, Group] = {}
        self.values: list[Values] = []  # of the nodes in `of`, in its order
        self.initializers: list[Initializer] = []
        self.others: list[Instruction] = []  # what ends blocks, and what has memory
        self._forms = forms
        self._known: dict[object, Group] = {}
        for inst in insts:
            if isinstance(inst, OnnxNode):
                values, key = inst.values, inst.likeness
            elif isinstance(inst, Initializer):
                self.initializers.append(inst)
                continue
            else:
                values = values_of(inst)
                if inst.is_terminator or has_memory(inst, values):
                    self.others.append(inst)
                    continue
                key = _likeness(inst, values)
            group = self._known.get(key)
            if group is None:
                group = self._known[key] = self._make(inst, values)
            group.insts.append(inst)
            group.values.append(values)
            self.of[inst] = group
            self.values.append(values)

    @property
    def all(self) -> Iterable[Group]:
        """The groups in the order of their first nodes."""
        return self._known.values()

    def _make(self, inst: Instruction, values: Values) -> Group:
        results = inst.results
        types = tuple([None if value is None else value.type for value in values])
        return Group(self._forms.of(inst, values, results), types, tuple([result.type for result in results]))


def has_memory(inst: Instruction, values: Values) -> bool:
    """Whether an instruction reads or writes tensors, or gives no value."""
    if isinstance(inst, OnnxNode):
        return False
    return not inst.results or any(isinstance(value, NeuronAP) for value in values)


def _likeness(inst: Instruction, values: Values) -> tuple[object, ...]:
    """Return what instructions of one class share that have one form, and operands and results of the same types."""
    given = tuple([result.type for result in inst.results])
    read = tuple([None if value is None else value.type for value in values])
    return (type(inst), label_of(inst), words_of(inst), is_rounded_as_asked(inst), not inst.blocks, given, read)
