"""What every instruction has beside operands and attributes: its type, engine, place in the source, and rounding.

    y = build.insert(ReciprocalOpGen(x, engine="vector"))
    # V040: the engine is "vector", a str; expected a NeuronEngine or None

A constructor checks nothing, so programs that are built in Python may hold anything here. Deliberately absent: whether
a type or an engine that is one is the right one (`results.py`).
"""

from __future__ import annotations

from typing import Any

from runtime.arguments import meant_engine
from runtime.engines import NeuronEngine
from runtime.instructions import Instruction, NeuronInst
from runtime.quoting import described
from runtime.types import Type
from runtime.verifier.findings import Findings


def check_own_fields(inst: Instruction, findings: Findings, *, has_engine: bool) -> bool:
    """Return whether the fields of an instruction are of the kinds that the other checks count on."""
    loc: Any = inst.loc
    engine: Any = inst._engine if has_engine and isinstance(inst, NeuronInst) else None
    is_usual = inst.type.__class__ is Type and inst.extras is None  # nearly always
    if is_usual and (loc is None or loc.__class__ is str) and (engine is None or engine.__class__ is NeuronEngine):
        return True
    before = findings.count
    if loc is not None and not isinstance(loc, str):
        findings.add("V040", f"the place in the source is {described(loc)}; expected text or None", inst, "loc")
    for index, result in enumerate(inst.results if inst.extras is not None else (inst,)):
        type: Any = result.type
        if not isinstance(type, Type):
            message = f"the type of {f'result {index}' if index else 'the result'} is {described(type)}"
            findings.add("V040", f"{message}; expected a Type, such as Type.tensor(f32, (128, 512))", inst, "result")
    if inst.extras is not None and inst.rounding not in (None, "user"):
        findings.add("V040", f'the rounding is {described(inst.rounding)}; expected "user" or None', inst, "rounding")
    if engine is not None and not isinstance(engine, NeuronEngine):
        message = f"the engine is {described(engine)}; expected a NeuronEngine or None"
        findings.add("V040", message, inst, "engine", help=meant_engine(engine))
    return findings.count == before
