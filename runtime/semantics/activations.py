"""Functions of the scalar engine whose results are reduced, too.

All is computed in f32: a product and a sum are rounded once each, a function once.
Source: AWS Neuron documentation, `nki.isa.activation`, `nki.isa.activation_reduce`, `nki.isa.activate2`.
"""

from __future__ import annotations

from typing import Any

from runtime.arithmetic import FUNCTIONS, evaluate, widen, word
from runtime.engines import NeuronEngine
from runtime.interpreter.errors import InterpreterError
from runtime.semantics import Array, Machine, uses_machine
from runtime.semantics.accumulators import accumulate
from runtime.semantics.engines import activation
from runtime.semantics.scalars import operate, scalars


@uses_machine
def activation_accumulation(inst: Any, machine: Machine) -> tuple[Array, Array | None]:
    """Return what `activation` does, and the sums of it and the accumulators."""
    operands = [_read(operand, machine) for operand in (inst.src, inst.bias, inst.scale_vector)]
    result = activation(inst, operands)
    return result, accumulate(result, inst, "add", machine, NeuronEngine.SCALAR)


@uses_machine
def activate2(inst: Any, machine: Machine) -> tuple[Array, Array | None]:
    """Return `function((src op0 scalar0) op1 scalar1)`, and the reduction of it and the accumulators."""
    argument = widen(machine.value(inst.src))
    for op, operand, constant, reverse in (
        (inst.op0, inst.operand0, inst.scalar0, inst.reverse0),
        (inst.op1, inst.operand1, inst.scalar1, inst.reverse1),
    ):
        if op is not None:
            right = scalars(_read(operand, machine), constant, argument)
            argument = operate(op, argument, right, reverse=reverse)
    result = evaluate(word(FUNCTIONS, inst.function), argument)
    if inst.reduce_op is None and inst.reduce_cmd != "idle":
        raise InterpreterError(f"reduce_cmd is {inst.reduce_cmd}, and there is no reduce_op")
    return result, accumulate(result, inst, inst.reduce_op or "add", machine, NeuronEngine.SCALAR)


def _read(operand: Any, machine: Machine) -> Any:
    return None if operand is None else machine.value(operand)
