"""A run keeps no value longer than it is needed."""

import weakref
from typing import Any

import numpy as np

from generated.graph.BinaryGen import BinaryGen
from runtime.builtin import Yield
from runtime.generic import OnnxNode
from runtime.wrappers.ActivationOp import ActivationOp
from tests.runtime.interpreter.programs import Program, type_of


class Observed:
    """An evaluator that makes the values of opaque nodes, and knows which of them are alive."""

    uses_machine = True

    def __init__(self) -> None:
        self.made: list[weakref.ref[np.ndarray[Any, Any]]] = []
        self.most = 0

    def __call__(self, inst: Any, operands: Any, machine: Any) -> Any:
        if not isinstance(inst, OnnxNode):
            return None
        if inst.blocks:
            machine.run(inst.blocks[0])
            return machine.run(inst.blocks[0])
        self.most = max(self.most, sum(one() is not None for one in self.made))
        made = np.ones(4, np.float32)
        self.made.append(weakref.ref(made))
        return (made,)


def node(program: Program, *values: Any) -> OnnxNode:
    return program.insert(OnnxNode("Make", values, result_types=[type_of("f32", 4)]))


def test_a_chain_needs_the_memory_of_two_values() -> None:
    program, seen = Program(), Observed()
    last = node(program)
    for _ in range(20):
        last = node(program, last)
    program.returns(last)
    program.run(evaluator=seen)
    assert len(seen.made) == 21 and seen.most == 1  # the operand, while the next one is made


def test_a_value_that_nobody_uses_is_not_kept() -> None:
    program, seen = Program(), Observed()
    for _ in range(20):
        node(program)
    program.run(evaluator=seen)
    assert seen.most == 0


def test_what_a_loop_uses_lives_until_it_ends() -> None:
    program = Program()
    x = program.argument("x", "f32", 2, 2)
    outer = program.insert(ActivationOp(x, "square"), "outer")
    sink = program.output("y", "f32", 2, 2)
    with program.loop("i", 3):
        program.insert(ActivationOp(outer, "copy", dst=sink))
    program.returns(x)
    assert program.run(x=np.full((2, 2), 3, np.float32))["y"].tolist() == [[9, 9], [9, 9]]


def test_what_a_region_uses_lives_until_it_has_run_for_the_last_time() -> None:
    program, seen = Program(), Observed()
    x = program.argument("x", "f32", 4)
    outer = program.insert(BinaryGen(x, x, "add"), "outer")
    region = OnnxNode("Twice", (), result_types=[type_of("f32", 4)], n_regions=1)
    program.insert(region)
    inner = BinaryGen(outer, outer, "add")
    region.blocks[0].append(inner)
    region.blocks[0].append(Yield([inner]))
    program.returns(region)
    assert program.run(evaluator=seen, x=np.ones(4, np.float32))[0].tolist() == [4] * 4
