"""Results, destinations and engines."""

from __future__ import annotations

from runtime.access import AccessMode
from runtime.diagnostics import either
from runtime.engines import NeuronEngine
from runtime.info import ResultInfo
from runtime.instructions import Instruction, NeuronInst
from runtime.relations import may_be_equal
from runtime.targets import Target
from runtime.types import Type, TypeKind
from runtime.verifier.findings import Findings, counted
from runtime.verifier.operands import any_of
from runtime.verifier.plans import ClassPlan
from runtime.verifier.result_facts import check_result_facts

_NONE = Type.none()


def check_destination(inst: Instruction, plan: ClassPlan, findings: Findings) -> bool:
    """Check that an instruction has the destination that it must have; return whether its type can be right."""
    dst = inst.dst
    if dst is None:
        if plan.requires_dst:
            findings.add("V051", f"`{plan.info.mnemonic}` must write a tensor; it has no destination", inst)
        return not plan.requires_dst
    mode = inst.dst_mode if isinstance(inst, NeuronInst) else AccessMode.STORE
    if dst.mode is not mode:
        findings.add("V012", f"the destination has mode {dst.mode.value}; expected {mode.value}", inst, "dst")
    if plan.dst.memory and dst.tensor.memory not in plan.dst.memory:
        message = f"the destination is {{value}} in {dst.tensor.memory}; expected {either(plan.dst.memory)}"
        findings.add("V055", message, inst, "dst", dst)
    if plan.dst.dtypes and dst.dtype.name not in plan.dst.dtypes:
        message = f"the destination is {{value}} with elements of {dst.dtype}; expected {any_of(plan.dst.dtypes)}"
        findings.add("V056", message, inst, "dst", dst)
        return False
    if inst.type is not dst.type:
        findings.add("V052", f"the instruction is {inst.type}, but its destination is {dst.type}", inst, "result")
    return inst.type is dst.type


def check_results(inst: Instruction, plan: ClassPlan, findings: Findings) -> None:
    """Check the types of all results against the operands."""
    if plan.asks_of_results:
        check_result_facts(inst, findings)
    if plan.infer is None:
        return
    if plan.infer_one is not None and plan.infer_one(inst) is inst.type is not _NONE:
        return  # nearly always, since types are interned
    expected = plan.infer(inst)
    found = (inst.type,) if inst.dst is not None else tuple(inst.result_types)
    if expected == found:
        return
    if len(expected) != len(found) and plan.infers_all:
        what = f"`{plan.info.mnemonic}` gives {len(expected)}"
        findings.add("V050", f"the instruction has {counted(len(found), 'result')}; {what}", inst, "result")
        return
    for index, (here, there) in enumerate(zip(found, expected, strict=False)):
        if here is not _NONE and there is not None:
            info = plan.info.results[min(index, len(plan.info.results) - 1)]
            _check_type(inst, index, here, there, info, plan, findings)


def check_engine(inst: NeuronInst, plan: ClassPlan, target: Target | None, findings: Findings) -> None:
    """Check the engine that an instruction was given, or the engines that it has to choose from."""
    legal, engine = plan.info.engines_on(target.name if target is not None else None), inst.assigned_engine
    if plan.info.engines and not legal:
        findings.add("V060", f"`{plan.info.mnemonic}` is no instruction of {target}", inst)
        return
    if engine is not None and engine is not NeuronEngine.UNKNOWN:
        if legal and engine.value not in legal:
            where = f" of {target}" if legal is not plan.info.engines else ""
            message = f"`{plan.info.mnemonic}` cannot run on the {engine.value} engine{where}; expected {either(legal)}"
            findings.add("V060", message, inst, "engine")
        elif target is not None and engine not in target.engines:
            findings.add("V061", f"{target} has no {engine.value} engine", inst, "engine")
    elif legal and target is not None and not any(known.value in legal for known in target.engines):
        message = f"`{plan.info.mnemonic}` runs on {either(legal)}; {target} has none of these engines"
        findings.add("V061", message, inst)


def why_not_type(found: Type, expected: Type, *, free_dtype: bool = False) -> str | None:
    """Return which part of a type is certainly not the expected one, or None."""
    if found is expected or TypeKind.UNKNOWN in (found.kind, expected.kind):
        return None
    if found.kind is not expected.kind:
        return "kind"
    if found.element is not None and expected.element is not None:
        return why_not_type(found.element, expected.element, free_dtype=free_dtype)
    if not may_be_equal(found.shape, expected.shape):
        return "shape"
    return None if free_dtype or may_be_equal(found.dtype, expected.dtype) else "element type"


def _check_type(
    inst: Instruction,
    index: int,
    found: Type,
    expected: Type,
    info: ResultInfo,
    plan: ClassPlan,
    findings: Findings,
) -> None:
    part = why_not_type(found, expected, free_dtype=info.free_dtype)
    if part is not None:
        message = f"the {part} of {found} does not follow from the operands; expected {expected}"
        findings.add("V050", message, inst, f"result[{index}]" if inst.dst is None else "dst")
    elif expected.is_tensor and expected.shape is None and _all_shapes_known(inst):
        types = " and ".join(str(operand.type) for operand in inst.operands())
        findings.add("V053", f"`{plan.info.mnemonic}` has no result for operands of {types}", inst)


def _all_shapes_known(inst: Instruction) -> bool:
    operands = inst.operands()
    return bool(operands) and all(operand.type.shape is not None for operand in operands)
