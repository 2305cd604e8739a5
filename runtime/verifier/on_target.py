"""An instruction against its target: where its partitions start, what the tensor engine multiplies and where to.

Where no engine was assigned, something is said only if it holds for every engine that the instruction may run on.

Deliberately absent: addresses. A tensor has none yet, so the partition at which an access starts is known up to where
the tensor will start, and that is taken to be a place at which an access to all of it may start.
"""

from __future__ import annotations

from math import prod

from runtime.access import NeuronAP
from runtime.affine import Affine, Axis
from runtime.dtypes import f8e8m0
from runtime.engines import NeuronEngine
from runtime.instructions import NeuronInst
from runtime.iterations import Undecided, witness
from runtime.predicates import AffinePredicate, Predicates
from runtime.targets import Target
from runtime.verifier.findings import Findings, field_of
from runtime.verifier.plans import ClassPlan

_COMPUTE = (NeuronEngine.TENSOR, NeuronEngine.VECTOR, NeuronEngine.SCALAR, NeuronEngine.GPSIMD)


class EnginesOn:
    """Where instructions may run on one target: few answers for many of them."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._known: dict[tuple[type[NeuronInst], NeuronEngine | None], tuple[NeuronEngine, ...]] = {}

    def of(self, inst: NeuronInst, plan: ClassPlan) -> tuple[NeuronEngine, ...]:
        """Return the engine of an instruction, or those that it may get."""
        key = type(inst), inst.assigned_engine
        found = self._known.get(key)
        if found is None:
            legal = plan.info.engines_on(self.target.name)
            found = self._known[key] = _engines_of(inst.assigned_engine, inst.engine_hint, legal, self.target)
        return found


def check_on_target(
    inst: NeuronInst, plan: ClassPlan, on: EnginesOn, predicates: Predicates, findings: Findings, *, runs: bool
) -> None:
    """Check one instruction whose operands are sound; `runs` says whether the loops around it run at all."""
    target, engines = on.target, on.of(inst, plan)
    if not engines:
        return  # which is said already
    for problem in plan.target_rules(inst, target):
        findings.add("V068", problem.message, inst, problem.field)
    accesses = [operand for operand in (*inst.operands(), inst.dst) if isinstance(operand, NeuronAP)]
    on_data_path = not plan.info.is_control and all(engine in _COMPUTE for engine in engines)
    if runs and on_data_path:
        for access in accesses:
            _check_start(access, inst, target, predicates, findings)
    if engines == (NeuronEngine.TENSOR,):
        _check_tensor_engine(inst, plan, target, findings)


def unaligned_start(access: NeuronAP, target: Target, predicates: Predicates) -> tuple[int, str] | None:
    """Return the partition at which an access starts and none of a compute engine may on a target, and when.

    None where it may, or nobody can say.
    """
    tensor = access.tensor
    if not target.start_partitions or tensor.memory == "dram" or not access.pairs or not tensor.known_shape:
        return None
    multiple = target.start_multiple(access.pairs[0][1])
    row = prod(tensor.known_shape[1:]) * tensor.dtype.bits // access.dtype.bits
    return _unaligned_start(access.offset, row, multiple, tensor.known_shape[0], predicates) if row else None


def _engines_of(
    assigned: NeuronEngine | None, hint: NeuronEngine, legal: tuple[str, ...], target: Target
) -> tuple[NeuronEngine, ...]:
    """Return the engine of an instruction, or those that it may get; its hint first."""
    if assigned is not None and assigned is not NeuronEngine.UNKNOWN:
        return (assigned,) if assigned in target.engines else ()
    found = [engine for engine in target.engines if engine.value in legal]
    return tuple(sorted(found, key=lambda engine: engine is not hint))


def _check_start(
    access: NeuronAP, inst: NeuronInst, target: Target, predicates: Predicates, findings: Findings
) -> None:
    found = unaligned_start(access, target, predicates)
    if found is not None:
        n_partitions = access.pairs[0][1]
        multiple = target.start_multiple(n_partitions)
        slot = field_of(access, inst)
        legal = " or ".join(str(at) for at in range(0, target.sbuf_partitions, multiple))
        message = f"{{value}} starts at partition {found[0]} of its tensor{found[1]}; {n_partitions} start at {legal}"
        findings.add("V065", message, inst, slot, access)


def _unaligned_start(
    offset: Affine, row: int, multiple: int, n_partitions: int, predicates: Predicates
) -> tuple[int, str] | None:
    """Return a partition at which an access starts that is no multiple, and in which iteration; None for none."""
    whole = row * multiple
    if not offset.terms:
        first = offset.constant // row
        return (first, "") if first % multiple else None
    moving = [
        (axis, factor) for axis, factor in offset.terms if factor * axis.lower % whole or factor * axis.step % whole
    ]
    low, high = Affine(offset.constant, tuple(moving)).bounds
    if low // row == high // row and not low // row % multiple:
        return None
    at, beyond = Axis("", n_partitions // multiple + 1, 0, multiple), Axis("", multiple - 1, 1)
    within = offset + Affine(0, ((at, -row), (beyond, -row)))
    starts_there = (AffinePredicate.pred_ge(within), AffinePredicate.pred_lt(within, row))
    try:
        values = witness((*predicates, *starts_there))
    except Undecided:
        return None
    if values is None:
        return None
    named = " and ".join(f"%{axis.name} is {value}" for axis, value in values.items() if axis.name)
    return values[at] + values[beyond], f" where {named}" if named else ""


def _check_tensor_engine(inst: NeuronInst, plan: ClassPlan, target: Target, findings: Findings) -> None:
    of_groups = (*target.mx_matmul_dtypes, f8e8m0) if target.mx_matmul_dtypes else ()  # and their scales
    legal = (*target.matmul_dtypes, *of_groups)
    mode = getattr(inst, "perf_mode", None) if any(one.enum == "perf_mode" for one in plan.info.attributes) else None
    in_mode = None if mode is None else target.dtypes_in(mode)
    if mode is not None and in_mode is None:
        findings.add("V066", f"the tensor engine of {target} has no mode {mode}", inst, "perf_mode")
    for operand in inst.operands():
        dtype = operand.type.dtype
        if dtype is None:
            continue
        slot = field_of(operand, inst)
        if dtype not in legal:
            message = f'the operand "{slot}" is {{value}} of {dtype}, which the tensor engine of {target} does not take'
            findings.add("V066", message, inst, slot, operand)
        elif in_mode is not None and dtype not in in_mode:
            expected = " or ".join(one.name for one in in_mode)
            message = f'the operand "{slot}" is {{value}} of {dtype}; the mode {mode} takes {expected}'
            findings.add("V066", message, inst, slot, operand)
    dst = inst.dst
    if dst is not None and dst.tensor.memory == "psum":
        reached = 1 + sum(abs(step) * (num - 1) for step, num in dst.pairs[1:])
        size = (reached * dst.dtype.bits + 7) // 8
        most = target.matmul_banks * target.psum_bank_bytes
        if size > most:
            banks = "one bank" if target.matmul_banks == 1 else f"{target.matmul_banks} banks"
            message = f"{{value}} spans {size} bytes of a partition; a result lies in {banks}, of {most}"
            findings.add("V067", message, inst, "dst", dst)
