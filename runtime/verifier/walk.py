"""One walk over a function in program order: what may be used where, and every check of a single instruction."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from runtime.access import NeuronAP
from runtime.affine import Axis
from runtime.blocks import Block, Loop
from runtime.dominance import blocks_around, is_visible
from runtime.functions import Function
from runtime.generic import GenericInst, Initializer, OnnxNode
from runtime.instructions import Instruction, NeuronInst, Problem
from runtime.predicates import Predicates
from runtime.targets import Target
from runtime.tensors import Tensor
from runtime.values import BlockArgument, Result, Value
from runtime.verifier.accesses import check_access
from runtime.verifier.conditions import check_dependencies, check_predicates
from runtime.verifier.findings import Findings, field_of
from runtime.verifier.generic import (
    check_absent,
    check_carried,
    check_default,
    check_initializer,
    check_open_attributes,
    check_operator_set,
)
from runtime.verifier.on_target import EnginesOn, check_on_target
from runtime.verifier.operands import NONE_WRONG, check_attributes, check_slots
from runtime.verifier.own_fields import check_own_fields
from runtime.verifier.plans import ClassPlan
from runtime.verifier.reach import check_reach
from runtime.verifier.regions import check_region_arguments, check_region_end, check_terminator
from runtime.verifier.results import check_destination, check_engine, check_results
from runtime.verifier.uses import UseCensus


class FunctionWalk:
    """Walks one function; afterwards `defined` holds its SSA values."""

    def __init__(
        self,
        function: Function,
        target: Target | None,
        plans: dict[type[Instruction], ClassPlan],
        census: UseCensus,
        findings: Findings,
    ) -> None:
        self.defined: list[Value] = []
        self._function = function
        self._target = target
        self._engines = None if target is None else EnginesOn(target)
        self._plans = plans
        self._census = census
        self._findings = findings
        self._axes: set[Axis] = set()
        self._where: Predicates | None = ()  # the predicates of the instruction; None where they are wrong
        self._idle = 0  # loops around the statement that never run

    def run(self) -> None:
        """Check everything in the function."""
        self._block(self._function.body, self._function)

    def _block(self, block: Block, holder: Function | Loop | Instruction) -> None:
        block.number(afresh=True)  # what the program says of its order is not trusted
        defined: list[Value] = list(block.arguments)
        check_carried(block.carried, holder, self._findings, "a block")
        for argument in block.arguments:
            if argument.default is not None:
                check_default(argument, self._findings)
        if isinstance(holder, Instruction):
            check_region_arguments(block, holder, self._findings)
        for statement in block:
            if isinstance(statement, Loop):
                self._loop(statement)
                continue
            assert isinstance(statement, Instruction), f"{statement!r} is neither an instruction nor a loop"
            self._instruction(statement)
            if statement.is_terminator:
                check_terminator(statement, block, holder, self._findings)
            for inner in statement.blocks:
                self._block(inner, statement)
            defined.extend(statement.results)
        if isinstance(holder, Instruction):
            check_region_end(block, holder, self._findings)
        self.defined.extend(defined)

    def _loop(self, loop: Loop) -> None:
        axis = loop.axis
        if axis in self._axes:
            self._findings.add("V005", f"the axis %{axis.name} is that of a loop around this one already", loop)
        if axis.trip_count < 0:
            self._findings.add("V005", f"the loop runs {axis.trip_count} times; expected at least 0", loop)
        if axis.step == 0 and axis.trip_count > 1:
            self._findings.add("V005", "the loop has step 0; each iteration must have a value of its own", loop)
        idle = axis.trip_count <= 0 or (axis.step == 0 and axis.trip_count > 1)  # or it says nothing of its iterations
        was_known = axis in self._axes
        self._axes.add(axis)
        self._idle += idle
        self._block(loop.body, loop)
        self._idle -= idle
        if not was_known:
            self._axes.discard(axis)

    def _instruction(self, inst: Instruction) -> None:
        plan = self._plans.get(type(inst))
        if plan is None:
            plan = self._plans[type(inst)] = ClassPlan.of(type(inst))
        before = self._findings.count
        self._where = ()
        whole = check_own_fields(inst, self._findings, has_engine=plan.is_neuron)
        if inst.extras is not None:
            self._conditions(inst)
        holds = check_slots(inst, plan, self._findings)
        wrong = check_attributes(inst, plan, self._findings) if plan.attributes or plan.indices else NONE_WRONG
        sound = holds and not wrong
        if plan.is_generic:
            self._generic(inst, sound)
        elif plan.is_initializer and sound:
            assert isinstance(inst, Initializer)
            check_initializer(inst, self._findings)
        has_accesses = False
        for operand in inst.operands():
            if isinstance(operand, NeuronAP):
                has_accesses = True
                self._access(operand, inst)
            elif isinstance(operand, Value) and not isinstance(operand, Tensor):
                self._use(operand, inst)
        dst = inst.dst
        if dst is not None:
            self._access(dst, inst)
        if not whole:
            return  # nothing can be said of what is no type or no engine
        if plan.is_neuron:
            assert isinstance(inst, NeuronInst)
            check_engine(inst, plan, self._target, self._findings)
            if has_accesses or dst is not None:
                check_reach(inst, plan, self._target, self._findings)
        if not sound:
            if holds and plan.brewed_rules is not None:
                self._rules_without(wrong, inst, plan.brewed_rules)
            return  # what stands on its operands is asked only of an instruction that has them
        sound = check_destination(inst, plan, self._findings)
        if plan.has_own_rules:
            sound &= self._own_rules(inst, plan)
        if sound:  # where its own rules say what does not fit, a result that does not follow would be the same mistake
            check_results(inst, plan, self._findings)
        if isinstance(inst, NeuronInst) and self._engines is not None and self._findings.count == before:
            check_on_target(inst, plan, self._engines, self._where or (), self._findings, runs=not self._idle)

    def _conditions(self, inst: Instruction) -> None:
        """Check when an instruction runs."""
        self._where = inst.predicates
        if inst.is_predicated and not check_predicates(inst, self._axes, self._findings, runs=not self._idle):
            self._where = None
        check_dependencies(inst, self._function, self._findings)

    def _generic(self, inst: Instruction, sound: bool) -> None:
        """Check what is open about a generic instruction; `sound`: whether its declared attributes are right."""
        assert isinstance(inst, GenericInst)
        check_open_attributes(inst, self._findings)
        check_carried(inst.carried, inst, self._findings)
        if sound and inst.absent:
            check_absent(inst, self._findings)
        if sound and isinstance(inst, OnnxNode):
            check_operator_set(inst, self._function, self._findings)

    def _own_rules(self, inst: Instruction, plan: ClassPlan) -> bool:
        """Report what an instruction says of itself; return whether there was nothing."""
        sound = True
        for problem in inst.verify():
            sound = False
            no_dst = problem.field == "dst" and inst.dst is None
            if not (no_dst and plan.requires_dst):  # said already
                self._findings.add("V051" if no_dst else "V090", problem.message, inst, problem.field)
        return sound

    def _rules_without(
        self, wrong: Mapping[str, str], inst: Instruction, rules: Callable[[Instruction], Iterator[Problem]]
    ) -> None:
        """Report the rules of the definition that an instruction breaks whatever its attributes out of bounds are."""
        if any(code != "V041" for code in wrong.values()):
            return  # a rule compares values of the right type
        for problem in rules(inst):
            words = re.findall(r"\w+", problem.message)
            if problem.field not in wrong and wrong.keys().isdisjoint(words):
                self._findings.add("V090", problem.message, inst, problem.field)

    def _use(self, value: Value, inst: Instruction) -> None:
        self._census.add_use(value, inst)
        if not is_visible(value, inst):
            code, message = self._why_not_visible(value, inst)
            self._findings.add(code, message, inst, field_of(value, inst), value)

    def _access(self, access: NeuronAP, inst: Instruction) -> None:
        self._census.add_access(access, inst)
        tensor = access.tensor
        if tensor.function is not self._function:
            home = "no function" if tensor.function is None else f"@{tensor.function.name}"
            self._findings.add("V022", f"the tensor {{value}} belongs to {home}", inst, field_of(access, inst), tensor)
        foreign = [axis.name for axis, _ in access.offset.terms if axis not in self._axes]
        for name in foreign:
            message = f"the offset of {{value}} uses the axis %{name}, whose loop is not around the instruction"
            self._findings.add("V023", message, inst, field_of(access, inst), access)
        if not foreign and self._where is not None:
            check_access(access, inst, self._where, self._findings, runs=not self._idle)

    def _why_not_visible(self, value: Value, at: Instruction) -> tuple[str, str]:
        """Return code and message for a value that may not be used by the instruction `at`."""
        producer = value.owner if isinstance(value, Result) else value
        if isinstance(producer, Instruction):
            if value not in producer.results:
                return "V022", f"{{value}} is no value: {producer!r} writes a tensor or gives nothing"
            block = producer.parent
        else:
            block = producer.block if isinstance(producer, BlockArgument) else None
        if block is None:
            return "V022", f"{value!r} stands in no block"
        home = block.parent_function
        if home is not self._function:
            where = "no function" if home is None else f"@{home.name}"
            return "V022", f"{{value}} belongs to {where}"
        if any(around is block for around in blocks_around(at)):
            return "V020", "{value} is used before it is defined"
        return "V021", "{value} is used outside of the block that defines it"
