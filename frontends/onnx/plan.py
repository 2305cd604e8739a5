"""What of a function is written where: its graphs, each with initializers, nodes in a legal order, and shell.

Statements keep their order unless one stands before what it uses, as passes may leave it; then the graph is sorted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from onnx import FunctionProto, GraphProto

from frontends.onnx.errors import ExportError
from frontends.onnx.shells import parse_shell
from frontends.onnx.sorting import CircleError, stable_order
from runtime.blocks import Block, Statement
from runtime.builtin import Terminator
from runtime.functions import Function
from runtime.generic import Initializer, OnnxNode
from runtime.instructions import Instruction
from runtime.values import BlockArgument, Operand, Result, Value


@dataclass(slots=True, eq=False)
class GraphPlan:
    """One graph, or the body of a local function. Compared by identity, so it can be a key."""

    block: Block
    shell: GraphProto | FunctionProto
    initializers: list[Initializer]
    nodes: list[OnnxNode]
    outputs: tuple[Operand, ...]
    inner: dict[OnnxNode, tuple[GraphPlan, ...]]
    results: list[Value]  # of the nodes, in order, those that are there

    @property
    def values(self) -> list[Value]:
        """The values that the graph defines, in order; not those of the graphs inside."""
        return [*self.block.arguments, *self.initializers, *self.results]

    @property
    def all(self) -> Iterator[GraphPlan]:
        """This graph and those inside."""
        yield self
        for plans in self.inner.values():
            for plan in plans:
                yield from plan.all


def plan_of(function: Function) -> GraphPlan:
    """Return the plan of a function.

    Raises: ExportError where it has what no ONNX graph has, or uses a value that is not there.
    """
    if function.tensors:
        raise ExportError(f"@{function.name}: has the tensor %{next(iter(function.tensors))}, which no ONNX graph has")
    is_graph = function.name == "main" or function.module is None or function is function.module.root_function
    return _Planner(function.name, GraphProto if is_graph else FunctionProto).plan(function.body, ())


def present_results(node: OnnxNode) -> Sequence[Value]:
    """Return the results of a node that are there."""
    results, absent = node.results, node.absent
    return [result for at, result in enumerate(results) if at not in absent] if absent else results


class _Unsorted(Exception):
    def __init__(self, block: Block) -> None:
        super().__init__()
        self.block = block


class _Planner:
    def __init__(self, function: str, cls: type[GraphProto] | type[FunctionProto]) -> None:
        self.place = f"@{function}"
        self.cls: type[GraphProto] | type[FunctionProto] = cls  # of the outermost shell
        self.visible: set[Operand | None] = {None}  # an operand that is absent is no mistake

    def plan(self, block: Block, around: tuple[Block, ...]) -> GraphPlan:
        """Return the plan of a block; `around`: the blocks that hold it, outermost first."""
        around = (*around, block)
        statements = list(block)
        try:
            return self._fill(block, statements, around)
        except _Unsorted as error:
            if error.block is not block:
                raise
            self.visible.difference_update(*(statement.results for statement in statements))
            return self._fill(block, self._sorted(block, statements), around)

    def _fill(self, block: Block, statements: Sequence[Statement], around: tuple[Block, ...]) -> GraphPlan:
        shell = parse_shell(self.cls if len(around) == 1 else GraphProto, block.carried)
        plan = GraphPlan(block, shell, [], [], (), {}, [])
        visible, nodes, results = self.visible, plan.nodes, plan.results
        visible.update(block.arguments)
        ended = False
        for statement in statements:
            if isinstance(statement, OnnxNode):
                if not visible.issuperset(statement.values):
                    raise self._out_of_order(statement, around)
                if statement.blocks:
                    plan.inner[statement] = tuple([self.plan(inner, around) for inner in statement.blocks])
                nodes.append(statement)
                given = statement.results
                visible.update(given)
                results += present_results(statement) if statement.absent else given
                continue
            if isinstance(statement, Instruction) and not visible.issuperset(statement.operands()):
                raise self._out_of_order(statement, around)
            if isinstance(statement, Initializer):
                plan.initializers.append(statement)
                visible.add(statement)
            elif isinstance(statement, Terminator) and not ended:
                plan.outputs = statement.operands()
                ended = True
            else:
                raise ExportError(f"{self.place}: {statement!r} is no part of an ONNX graph")
        if not ended:
            raise ExportError(f"{self.place}: a block has no terminator")
        if len(around) > 1:
            visible.difference_update(plan.values)
        return plan

    def _out_of_order(self, user: Instruction, around: tuple[Block, ...]) -> Exception:
        """Return what to raise for an instruction of which not all operands are visible."""
        operand = next(operand for operand in user.operands() if operand not in self.visible)
        home = _home(operand)
        if home in around and isinstance(operand, Value) and not isinstance(operand, BlockArgument):
            return _Unsorted(home)
        return ExportError(f"{self.place}: {user!r} uses {operand!r}, which is not defined where it stands")

    def _sorted(self, block: Block, statements: Sequence[Statement]) -> list[Statement]:
        at = {statement: position for position, statement in enumerate(statements)}
        needs = []
        for statement in statements:
            used = {_statement_in(block, operand) for inner in statement.blocks for operand in _operands(inner)}
            used.discard(statement)  # what is defined in a region and used there
            if isinstance(statement, Instruction):
                used.update(_statement_in(block, operand) for operand in statement.operands())
            needs.append({at[one] for one in used if one is not None})
        if isinstance(statements[-1], Terminator):
            needs[-1] = set(range(len(statements) - 1))
        try:
            return [statements[position] for position in stable_order(needs)]
        except CircleError as error:
            circle = " -> ".join(repr(statements[position]) for position in [*error.circle, error.circle[0]])
            raise ExportError(f"{self.place}: instructions need each other in a circle: {circle}") from None


def _operands(block: Block) -> Iterator[Operand]:
    """Yield what the instructions in a block use, those in regions inside included."""
    for inst in block.walk():
        yield from inst.operands()


def _home(operand: Operand) -> Block | None:
    if isinstance(operand, BlockArgument):
        return operand.block
    if isinstance(operand, Result):
        return operand.owner.parent
    return operand.parent if isinstance(operand, Instruction) else None


def _statement_in(block: Block, operand: Operand) -> Statement | None:
    """Return the statement of `block` that defines a value, or holds the one that does; None where none does."""
    if isinstance(operand, BlockArgument):
        return None
    statement: object = operand.owner if isinstance(operand, Result) else operand
    while isinstance(statement, Statement):
        if statement.parent is block:
            return statement
        statement = None if statement.parent is None else statement.parent.owner
    return None
