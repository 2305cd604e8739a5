"""What is known of a function before anything is decided: its nodes with their facts, what of them is f32, and how
values pass between nodes and their regions.

A node is any instruction that has no memory: of ONNX, of the graph, of neuron where it gives a value and reads values.

Deliberately absent: decisions. Also absent: guesses about types. In a local function the types of arguments depend on
the caller, so there what has no type counts as f32.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from passes.precision.arithmetic import CONVERT
from passes.precision.forms import Form, Forms
from passes.precision.groups import Group, Groups
from passes.precision.regions import Gate, gates_of
from runtime.blocks import Loop
from runtime.dtypes import DType, f32
from runtime.functions import Function
from runtime.generic import GenericInst, OnnxNode
from runtime.instructions import Instruction
from runtime.onnx_codes import DTYPE_OF_CODE
from runtime.operand_slots import Values, values_of
from runtime.precision_facts import PrecisionFacts
from runtime.values import Operand, Result, Value


@dataclass(slots=True, eq=False)  # nobody changes it
class SurveyedNode:
    """A node, and what of it may become another float, which f32 is and maybe others."""

    inst: Instruction
    form: Form
    facts: PrecisionFacts | None
    values: Values  # what the slots of operands hold
    data: tuple[int, ...]  # the slots of operands that may be converted; none where there are regions
    results: tuple[Value, ...]

    @property
    def operands(self) -> list[Operand]:
        """What the data slots hold, one of them maybe several times."""
        values = self.values
        return [value for at in self.data if (value := values[at]) is not None]

    @property
    def moves_elements(self) -> bool:
        """Whether it works element by element, or moves elements: nothing is accumulated."""
        return self.form.moves_elements

    @property
    def callee(self) -> str | None:
        """The name that the local function has which this calls, where there is one."""
        return self.inst.callee if isinstance(self.inst, OnnxNode) else None

    def attribute(self, name: str, default: object = None) -> Any:
        """Return what an attribute holds, `default` where the node does not say."""
        inst = self.inst
        return inst.attributes.get(name, default) if isinstance(inst, GenericInst) else getattr(inst, name)


class Nodes:
    """The nodes of a function by instruction; the object for one is made when somebody asks for it."""

    def __init__(self, groups: dict[Instruction, Group]) -> None:
        self._groups = groups
        self._made: dict[object, SurveyedNode] = {}

    def __contains__(self, inst: object) -> bool:
        return inst in self._groups

    def __getitem__(self, inst: Instruction) -> SurveyedNode:
        node = self._made.get(inst)
        if node is None:
            node = self._made[inst] = _surveyed(inst, self._groups[inst].form)
        return node

    def get(self, inst: object) -> SurveyedNode | None:
        """Return the node that an instruction is, if it is one."""
        node = self._made.get(inst)
        return node if node is not None or inst not in self._groups else self[inst]

    def values(self) -> Iterator[SurveyedNode]:
        """Yield all of them, in program order."""
        return map(self.__getitem__, self._groups)


class Survey:
    """The nodes of a function in program order, and the gates between them and their regions."""

    def __init__(
        self,
        function: Function,
        floats: tuple[DType, ...] = (f32,),
        is_callee: bool = False,
        insts: Iterable[Instruction] | None = None,
    ) -> None:
        self.function = function
        self.floats = floats
        self.is_callee = is_callee
        self._converted: tuple[DType | None, ...] = (*floats, None) if is_callee else floats
        self.insts: list[Instruction] = list(function.insts if insts is None else insts)
        self._forms = Forms(function.operator_sets, self._converted)
        self._groups = Groups(self.insts, self._forms)
        self.initializers, self.others = self._groups.initializers, self._groups.others
        self.group_of = self._groups.of  # by node, in program order
        self.values = self._groups.values  # what the slots of each node hold, in the same order
        self.nodes = Nodes(self.group_of)
        self.with_memory = dict(self._find_values_from_memory())  # what is no node, and still gives values
        self.gates: list[Gate] = []
        self.gates_from: dict[Operand, list[Gate]] = {}
        self.gate_to: dict[Operand, Gate] = {}
        if any(form.has_regions for form in self.forms):
            self._find_gates()

    @property
    def forms(self) -> Iterable[Form]:
        """The forms of the nodes, each once."""
        return self._forms.all

    @property
    def groups(self) -> Iterable[Group]:
        """The nodes in groups, in the order of the first one of each."""
        return self._groups.all

    @cached_property
    def places(self) -> dict[Instruction, int]:
        """Which instruction of the function each is, before anything is changed."""
        return dict(zip(self.insts, range(len(self.insts)), strict=True))

    @cached_property
    def runs_once(self) -> bool:
        """Whether nothing says that an instruction of the function runs any other number of times than once."""
        blocks = {inst.parent for inst in self.insts}
        if any(block is not None and isinstance(block.owner, Loop) for block in blocks):
            return False
        return not any([inst.is_predicated for inst in self.insts if inst.extras is not None])

    def is_converted(self, value: Operand) -> bool:
        """Whether a value holds a float that may become another one."""
        return value.type.dtype in self._converted

    def is_container(self, value: Operand) -> bool:
        """Whether a value is a sequence of f32 tensors, or an optional one."""
        element = value.type.element
        return element is not None and element.dtype in self.floats

    def converts_to(self, inst: Instruction) -> DType | None:
        """Return the dtype that a conversion gives, which its attribute says where no type does; None: not known."""
        if inst.type.dtype is not None or not isinstance(inst, OnnxNode):
            return inst.type.dtype
        code = inst.attributes.get("to")
        return DTYPE_OF_CODE.get(code) if isinstance(code, int) else None

    def dtype_of(self, value: Operand) -> DType | None:
        """Return the dtype of a value, where no type says it that of the cast which it comes from; None: not known."""
        producer = self.producer(value) if value.type.dtype is None else None
        while producer is not None and producer.facts is not None and producer.facts.op_kind == "data_movement":
            if producer.facts.computes == CONVERT:
                return self.converts_to(producer.inst)
            source = producer.values[0] if producer.values else None
            producer = None if source is None else self.producer(source)
        return value.type.dtype

    def producer(self, value: Operand) -> SurveyedNode | None:
        """Return the node that gives a value, if one does."""
        return self.nodes.get(value.owner if isinstance(value, Result) else value)

    def group_that_gives(self, value: Operand) -> Group | None:
        """Return the group of the node whose first result a value is; that makes no object for the node."""
        return self.group_of.get(value) if isinstance(value, Instruction) else None

    def nodes_of(self, forms: Container[Form]) -> list[SurveyedNode]:
        """Return the nodes of some forms in program order."""
        found = [group.insts for group in self.groups if group.form in forms]
        insts = found[0] if len(found) == 1 else sorted(chain.from_iterable(found), key=self.places.__getitem__)
        return [self.nodes[inst] for inst in insts]

    def forget(self, gone: Container[Instruction]) -> None:
        """Leave out nodes that were taken out of the function, and look at what the others read."""
        self.insts = [inst for inst in self.insts if inst not in gone]
        for group in self.groups:
            group.insts = [inst for inst in group.insts if inst not in gone]
            group.values = [values_of(inst) for inst in group.insts]

    def _find_values_from_memory(self) -> Iterator[tuple[Operand, SurveyedNode]]:
        for inst in self.others:
            if inst.results and not inst.is_terminator:
                yield inst, _surveyed(inst, self._forms.of(inst, values_of(inst), inst.results))

    def _find_gates(self) -> None:
        for inst, group in self.group_of.items():
            if not group.form.has_regions:
                continue
            for gate in gates_of(inst, group.form.facts):
                self.gates.append(gate)
                for value in gate.sources:
                    self.gates_from.setdefault(value, []).append(gate)
                self.gate_to.update(dict.fromkeys(gate.targets, gate))


def _surveyed(inst: Instruction, form: Form) -> SurveyedNode:
    results = inst.results
    if form.results is not None:
        results = tuple([results[at] for at in form.results])
    return SurveyedNode(inst, form, form.facts, values_of(inst), form.data, results)
