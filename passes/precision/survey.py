"""What is known of a function before anything is decided: its nodes with their facts, what of them is f32, and how
values pass between nodes and their regions.

A node is any instruction that has no memory: of ONNX, of the graph, of neuron where it gives a value and reads values.

Deliberately absent: decisions. Also absent: guesses about types. In a local function the types of arguments depend on
the caller, so there what has no type counts as f32.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from passes.precision.arithmetic import CONVERT
from passes.precision.forms import Form, Forms
from passes.precision.regions import Gate, gates_of
from runtime.access import NeuronAP
from runtime.dtypes import DType, f32
from runtime.functions import Function
from runtime.generic import GenericInst, Initializer, OnnxNode
from runtime.instructions import Instruction
from runtime.onnx_codes import DTYPE_OF_CODE
from runtime.operand_slots import Values, values_of
from runtime.precision_facts import PrecisionFacts
from runtime.values import Operand, Result, Value


@dataclass(slots=True, eq=False)  # neither frozen nor a tuple, and nobody changes it: that takes 4 % off the whole pass
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
        self.nodes: dict[Operand, SurveyedNode] = {}  # in program order
        self.gates: list[Gate] = []
        self.gates_from: dict[Operand, list[Gate]] = {}
        self.gate_to: dict[Operand, Gate] = {}
        self._forms = Forms(function.operator_sets, self._converted)
        for inst in self.insts:
            if isinstance(inst, OnnxNode) or not (inst.is_terminator or isinstance(inst, Initializer)):
                self._add(inst)

    @property
    def forms(self) -> Iterable[Form]:
        """The forms of the nodes, each once."""
        return self._forms.all

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

    def _add(self, inst: Instruction) -> None:
        values = values_of(inst)
        results = inst.results
        if not isinstance(inst, OnnxNode) and has_memory(inst, values):
            return
        form = self._forms.of(inst, values, results)
        if form.results is not None:
            results = tuple([results[at] for at in form.results])
        self.nodes[inst] = SurveyedNode(inst, form, form.facts, values, form.data, results)
        if form.has_regions:
            for gate in gates_of(inst, form.facts):
                self.gates.append(gate)
                for value in gate.sources:
                    self.gates_from.setdefault(value, []).append(gate)
                self.gate_to.update(dict.fromkeys(gate.targets, gate))


def has_memory(inst: Instruction, values: Values) -> bool:
    """Whether an instruction reads or writes tensors, or gives no value."""
    if isinstance(inst, OnnxNode):
        return False
    return not inst.results or any(isinstance(value, NeuronAP) for value in values)
