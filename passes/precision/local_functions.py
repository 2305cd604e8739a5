"""What the guards find in local functions, callees first, so that whoever calls one knows.

Deliberately absent: changes. A local function stays as it is, since its callers agree on its types.
"""

from __future__ import annotations

from collections.abc import Iterator

from passes.precision.constants import Constants
from passes.precision.guards import CalleeGuards, Guards
from passes.precision.survey import Survey
from runtime.dtypes import DType
from runtime.functions import Function, Module
from runtime.generic import OnnxNode


def guards_of_callees(module: Module, low: DType) -> dict[str, CalleeGuards]:
    """Return what is found about each local function that is called; they do not call each other in circles."""
    found: dict[str, CalleeGuards] = {}
    if "main" in module.functions and len(module.functions) > 1:
        for function in callees_first(module):
            found[function.name] = _guards_of(function, low, found)
    return found


def _guards_of(function: Function, low: DType, known: dict[str, CalleeGuards]) -> CalleeGuards:
    survey = Survey(function, is_callee=True)
    guards = Guards(survey, Constants(survey), low, known)
    end = function.body.terminator
    returned = end.operands() if end is not None else ()
    whys = {at: guards.why_sticky(value) for at, value in enumerate(returned)}
    sticky = {at: why for at, why in whys.items() if why is not None}
    indices = frozenset(at for at, argument in enumerate(function.args) if argument in guards.indices)
    return CalleeGuards(indices, sticky)


def callees_first(module: Module) -> Iterator[Function]:
    """Yield the functions that @main calls, directly or not, each behind those that it calls."""
    main = module.functions["main"]
    done: set[str] = set()
    stack: list[tuple[Function, Iterator[str]]] = [(main, _calls(main, module))]
    while stack:
        function, calls = stack[-1]
        callee = next((name for name in calls if name not in done), None)
        if callee is not None:
            done.add(callee)
            stack.append((module.functions[callee], _calls(module.functions[callee], module)))
            continue
        stack.pop()
        if stack:
            yield function


def _calls(function: Function, module: Module) -> Iterator[str]:
    names = {inst.callee: None for inst in function.insts if isinstance(inst, OnnxNode)}
    return iter([name for name in names if name in module.functions])
