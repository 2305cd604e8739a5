"""Running the program before and after a pass, with the roundings that the pass states left out of both.

What a front end's evaluator computes is rounded by the interpreter like everything else, but for two things that a pass
may have rounded itself: a cast node computes its rounding, so where it is left out its operand is handed on; and a
constant that a pass has rounded holds the rounded elements, so where it is left out it holds what it held before.

Deliberately absent: tolerance, and local functions. Nothing can be left out of a function that another one calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from typing import Any

from passes.precision.new_values import contents_of
from runtime.comparison.casts import source_of_cast
from runtime.functions import Function, Module
from runtime.generic import OnnxNode
from runtime.instructions import Instruction
from runtime.interpreter.errors import InterpreterError
from runtime.interpreter.machine import Evaluator
from runtime.interpreter.run import evaluator_of, run

Outputs = Mapping[int | str, Any]
_HELD = "value"  # the attribute of a node that is a constant
_CONSTANT = "graph.constant"  # the semantics of an initializer, and of a constant of the graph


def outputs_of(
    module: Module,
    function: str,
    inputs: Mapping[str, Any],
    skipped: Set[Instruction] = frozenset(),
    originals: Mapping[Instruction, Instruction] | None = None,
) -> Outputs:
    """Run a function without the roundings of `skipped`; `originals` are instructions of before, by those of now.

    Raises: InterpreterError.
    """
    evaluator = evaluator_of(module)
    if evaluator is not None and skipped:
        evaluator = _without_casts(evaluator, skipped)
    try:
        with _constants_of_before(skipped, originals or {}):
            return run(module, inputs, function=function, evaluator=evaluator, skip_rounding=skipped)
    except MemoryError as error:
        raise InterpreterError("it needs more memory than there is") from error


def entries_of(module: Module) -> Iterator[Function]:
    """Yield the functions that no other one calls."""
    called = {getattr(inst, "callee", None) for inst in module.insts} if len(module.functions) > 1 else set()
    for name, function in module.functions.items():
        if name not in called:
            yield function


def _without_casts(evaluator: Evaluator, skipped: Set[Instruction]) -> Evaluator:
    def evaluate(inst: Instruction, operands: tuple[Any, ...], *machine: Any) -> Any:
        if inst in skipped and isinstance(inst, OnnxNode) and source_of_cast(inst) is not None:
            return (operands[0][0],)
        return evaluator(inst, operands, *machine)

    evaluate.uses_machine = getattr(evaluator, "uses_machine", False)  # type: ignore[attr-defined]  # `Evaluator` may have it
    return evaluate


@contextmanager
def _constants_of_before(
    skipped: Iterable[Instruction], originals: Mapping[Instruction, Instruction]
) -> Iterator[None]:
    """Let constants hold what they held before, while the body runs."""
    changed: list[tuple[Instruction, Any]] = []
    try:
        for inst in skipped:
            original, held = originals.get(inst), _held(inst)
            if original is not None and held is not None:
                before = _held(original)
                changed.append((inst, held))
                _hold(inst, contents_of(original) if before is None else before)  # numbers, which were no tensor
        yield
    finally:
        for inst, held in changed:
            _hold(inst, held)


def _held(inst: Instruction) -> Any:
    """Return the tensor that a constant holds; None for any other instruction."""
    if inst.INFO.semantics == _CONSTANT:
        return inst.value  # type: ignore[attr-defined]  # by its semantics it has one
    is_constant = isinstance(inst, OnnxNode) and inst.op_type == "Constant"
    return inst.attributes.get(_HELD) if is_constant else None  # type: ignore[attr-defined]  # a node has them


def _hold(inst: Instruction, held: Any) -> None:
    """Give a constant other contents; its type stays."""
    if inst.INFO.semantics == _CONSTANT:
        type = inst.type
        inst.value, inst.type = held, type  # type: ignore[attr-defined]  # by its semantics it has one
    else:
        inst.attributes[_HELD] = held  # type: ignore[attr-defined]  # a node has them
