"""What values and nodes are called in the file.

A value keeps its name where the file can have it. It gets another one where it has none; where its graph has another
value of that name; where it would hide one of an outer graph, unless it did so in the model that was read and nothing
there means the outer one; and where a declared output must have the name:

    the returned value is not the one of the declared name   it takes the name over, and who had it gets a new one
    it cannot (an argument, a capture, returned twice)       an Identity gives the name

New names are the operator's with the next number that no value of the function has: `Cast_1`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from onnx import GraphProto

from frontends.onnx.errors import ExportError
from frontends.onnx.plan import GraphPlan, plan_of, present_results
from frontends.onnx.shells import SHADOWS, noted
from runtime.functions import Module
from runtime.generic import OnnxNode
from runtime.instructions import Instruction
from runtime.values import BlockArgument, Operand, Result, Value


@dataclass(slots=True)
class FileNames:
    """The names of one function."""

    values: dict[Operand, str] = field(default_factory=dict)
    nodes: dict[OnnxNode, str] = field(default_factory=dict)  # of new ones only
    identities: dict[GraphPlan, list[tuple[Operand, str]]] = field(default_factory=dict)  # of graphs: value and output


def names_of(plan: GraphPlan) -> FileNames:
    """Return the names of everything in a function.

    Raises: ExportError where an output must have the name of an input.
    """
    return _Namer(plan).run()


def name_as_written(module: Module) -> None:
    """Give each value of a module the name that it has in the file.

    Raises: ExportError where it cannot be written.
    """
    for function in module.functions.values():
        for value, name in names_of(plan_of(function)).values.items():
            if isinstance(value, Value):
                value.name = name


class _Namer:
    def __init__(self, plan: GraphPlan) -> None:
        self.plan = plan
        self.names = FileNames()
        self.pending: dict[Value, None] = {}  # the values that need a new name
        self.hides = False  # whether a value has the name of an outer one

    def run(self) -> FileNames:
        self._keep_names(self.plan, [])
        for plan in self.plan.all:
            self._name_outputs(plan)
        self._give_names()
        while self.hides and self._reveal():
            self._give_names()
        self._name_nodes()
        return self.names

    def _keep_names(self, plan: GraphPlan, outer: list[set[str]]) -> None:
        """Give each value of a graph the name that it has, where nothing is in the way; in the order of the file."""
        hidden = frozenset(noted(plan.shell, SHADOWS)) if outer else frozenset()
        own: set[str] = set()
        declared = _input_names(plan)
        for at, argument in enumerate(plan.block.arguments):
            wanted = argument.name
            if wanted is None and at < len(declared):
                wanted = declared[at]  # it is part of the model's interface
            self._keep(argument, wanted, own, outer, hidden)
        if not outer and not plan.inner:
            self._keep_at_once([*plan.initializers, *plan.results], own)
            return
        for initializer in plan.initializers:
            self._keep(initializer, initializer.name, own, outer, hidden)
        for node in plan.nodes:
            for inner in plan.inner.get(node, ()):
                self._keep_names(inner, [*outer, own])
            for result in present_results(node):
                self._keep(result, result.name, own, outer, hidden)

    def _keep(
        self, value: Value, wanted: str | None, own: set[str], outer: list[set[str]], hidden: frozenset[str]
    ) -> None:
        if wanted and wanted not in own:
            if not outer:
                self.names.values[value] = wanted
                own.add(wanted)
                return
            hides = any(wanted in names for names in outer)
            if not hides or wanted in hidden:
                self.hides |= hides
                self.names.values[value] = wanted
                own.add(wanted)
                return
        self.pending[value] = None

    def _keep_at_once(self, values: Sequence[Value], own: set[str]) -> None:
        """Do as `_keep` of each value does where no graph is around or inside, in a quarter of the time."""
        kept = self.names.values
        for value in values:
            wanted = value.name
            if wanted and wanted not in own:
                kept[value] = wanted
                own.add(wanted)
            else:
                self.pending[value] = None

    def _name_outputs(self, plan: GraphPlan) -> None:
        declared = output_names(plan)
        if len(declared) != len(plan.outputs):
            return
        names = self.names.values
        pairs = list(zip(plan.outputs, declared, strict=True))
        settled = {value for value, name in pairs if names.get(value) == name}
        changed = [(value, name) for value, name in pairs if names.get(value) != name]
        if not changed:
            return
        wanted = {name for _, name in changed}
        holders = {name: value for value in plan.values if (name := names.get(value)) in wanted}
        renamable = {value for value, _ in changed}.intersection([*plan.initializers, *plan.results])
        for value, name in changed:
            holder = holders.get(name)
            if holder is not None and names.get(holder) == name:
                if holder in settled or isinstance(holder, BlockArgument):
                    raise ExportError(f'output "{name}" is another value than the input or output of that name')
                del names[holder]
                self.pending[holder] = None
            if value in renamable and value not in settled:
                assert isinstance(value, Value)
                names[value] = name
                self.pending.pop(value, None)
                settled.add(value)
            else:
                self.names.identities.setdefault(plan, []).append((value, name))

    def _give_names(self) -> None:
        taken = set(self.names.values.values())
        for plan in self.plan.all:
            taken.update(info.name for info in plan.shell.value_info)
            taken.update(_input_names(plan), output_names(plan))
        next_number: dict[str, int] = {}
        for value in self.pending:
            base = _base(value)
            self.names.values[value] = _fresh(base, taken, next_number)
        self.pending.clear()

    def _reveal(self) -> bool:
        """Take the name from each value that hides one which is used; whether there are any."""
        self._look(self.plan, [])
        for value in self.pending:
            del self.names.values[value]
        return bool(self.pending)

    def _look(self, plan: GraphPlan, outer: list[dict[str, Value]]) -> None:
        own: dict[str, Value] = {}
        scopes = [*outer, own]
        names = self.names.values
        for value in (*plan.block.arguments, *plan.initializers):
            own[names[value]] = value
        for node in plan.nodes:
            self._check_uses(node.operands(), scopes)
            for inner in plan.inner.get(node, ()):
                self._look(inner, scopes)
            for result in present_results(node):
                own[names[result]] = result
        self._check_uses(plan.outputs, scopes)

    def _check_uses(self, operands: Iterable[Operand], scopes: list[dict[str, Value]]) -> None:
        for operand in operands:
            name = self.names.values[operand]
            found = next(scope[name] for scope in reversed(scopes) if name in scope)
            if found is not operand:
                self.pending[found] = None

    def _name_nodes(self) -> None:
        nodes = [node for plan in self.plan.all for node in plan.nodes]
        new = [node for node in nodes if node.node_name is None]
        if new:
            taken = {node.node_name for node in nodes if node.node_name}
            next_number: dict[str, int] = {}
            for node in new:
                self.names.nodes[node] = _fresh(node.op_type, taken, next_number)


def output_names(plan: GraphPlan) -> list[str]:
    """Return the names that a graph or function declares for its outputs."""
    shell = plan.shell
    return [info.name for info in shell.output] if isinstance(shell, GraphProto) else list(shell.output)


def _input_names(plan: GraphPlan) -> list[str]:
    shell = plan.shell
    return [info.name for info in shell.input] if isinstance(shell, GraphProto) else list(shell.input)


def _base(value: Value) -> str:
    inst = value.owner if isinstance(value, Result) else value
    if isinstance(inst, OnnxNode):
        return inst.op_type
    return "constant" if isinstance(inst, Instruction) else "input"


def _fresh(base: str, taken: set[str], next_number: dict[str, int]) -> str:
    number = next_number.get(base, 1)
    while f"{base}_{number}" in taken:
        number += 1
    next_number[base] = number + 1
    name = f"{base}_{number}"
    taken.add(name)
    return name
