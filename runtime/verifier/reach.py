"""Whether an engine reads and writes the memories that an instruction accesses.

The sequencer of any engine reaches what the sync engine does, which is nothing but a sequencer.

Deliberately absent: what one instruction may access besides, which its definition says of operands and destination.
"""

from __future__ import annotations

from collections.abc import Sequence

from runtime.access import NeuronAP
from runtime.diagnostics import either, listed
from runtime.engines import NeuronEngine
from runtime.instructions import NeuronInst
from runtime.targets import Target
from runtime.verifier.findings import Findings, field_of
from runtime.verifier.plans import ClassPlan


def check_reach(inst: NeuronInst, plan: ClassPlan, target: Target | None, findings: Findings) -> None:
    """Check the accesses of an instruction against its engine, or against all that it has to choose from."""
    accesses = _accesses(inst, plan)
    if not accesses:
        return
    engine = NeuronEngine.SYNC if plan.info.is_control else inst.assigned_engine
    if engine is not None and engine is not NeuronEngine.UNKNOWN:
        for access in accesses:
            if not _reaches(engine, access, inst.dst):
                _report(inst, access, (engine,), findings)
        return
    names = plan.info.engines_on(target.name if target is not None else None)
    engines = [NeuronEngine(name) for name in names]
    if not engines or any(all(_reaches(engine, access, inst.dst) for access in accesses) for engine in engines):
        return
    out_of_reach = [access for access in accesses if not any(_reaches(engine, access, inst.dst) for engine in engines)]
    for access in out_of_reach:
        _report(inst, access, engines, findings)
    if not out_of_reach:
        message = f"`{plan.info.mnemonic}` runs on {either(names)}, none of which reaches all that it accesses"
        findings.add("V064", message, inst)


def _accesses(inst: NeuronInst, plan: ClassPlan) -> list[NeuronAP]:
    """Return what is accessed, but for what the definition does not let be in its memory, which is said elsewhere."""
    found = []
    for info in plan.operands:
        held = getattr(inst, info.name)
        for operand in held if info.variadic else (held,):
            if isinstance(operand, NeuronAP) and (not info.memory or operand.tensor.memory in info.memory):
                found.append(operand)
    dst = inst.dst
    if dst is not None and (not plan.dst.memory or dst.tensor.memory in plan.dst.memory):
        found.append(dst)
    return found


def _reaches(engine: NeuronEngine, access: NeuronAP, dst: NeuronAP | None) -> bool:
    """Whether an engine reads and writes as an access does; what is added to a destination is added there."""
    memory, mode = access.tensor.memory, access.mode
    is_read = mode.is_load and access is not dst
    return (not is_read or memory in engine.reads) and (not mode.is_store or memory in engine.writes)


def _report(inst: NeuronInst, access: NeuronAP, engines: Sequence[NeuronEngine], findings: Findings) -> None:
    slot, memory, is_written = field_of(access, inst), access.tensor.memory, access.mode.is_store
    what = "the destination" if slot == "dst" else f'the operand "{slot}"'
    does = f"which is not {'written' if is_written else 'read'} by"
    message = f"{what} is {{value}} in {memory}, {does} the {listed([one.value for one in engines])} engine"
    if len(engines) == 1:
        does, reached = ("writes", engines[0].writes) if is_written else ("reads", engines[0].reads)
        message = f"{what} is {{value}} in {memory}; the {engines[0].value} engine {does} {either(reached)}"
    help = "a DMA copies between dram and sbuf" if memory == "dram" else ""
    findings.add("V064", message, inst, slot, access, help)
