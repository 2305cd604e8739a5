"""The results of an instruction against what the definition says of each: which are there, and what they may be."""

from __future__ import annotations

from collections.abc import Iterator

from runtime.info import ResultInfo
from runtime.instructions import Instruction
from runtime.types import Type
from runtime.verifier.findings import Findings, counted
from runtime.verifier.operands import any_of


def check_result_facts(inst: Instruction, findings: Findings) -> None:
    """Check that each result that must be there is, and that all are of legal element types and ranks."""
    types = [inst.type] if inst.dst is not None else inst.result_types
    infos = inst.INFO.results
    if inst.dst is None and not inst.INFO.has_any_number_of_results and len(types) != len(infos):
        message = f"the instruction has {counted(len(types), 'result')}; `{inst.INFO.mnemonic}` gives {len(infos)}"
        findings.add("V050", message, inst, "result")
        return
    for index, info, type in _by_position(inst, types):
        slot = f"result[{index}]" if inst.dst is None else "dst"
        if type is Type.none():
            if not info.optional:
                findings.add("V057", f'the result "{info.name}" is absent; it must be there', inst, slot)
        elif info.dtypes and type.dtype is not None and type.dtype.name not in info.dtypes:
            message = f'the result "{info.name}" has elements of {type.dtype}; expected {any_of(info.dtypes)}'
            findings.add("V058", message, inst, slot)
        elif info.rank and type.rank is not None and type.rank not in info.rank:
            expected = " or ".join(str(rank) for rank in info.rank)
            message = f'the result "{info.name}" is {type}, rank {type.rank}; expected rank {expected}'
            findings.add("V059", message, inst, slot)


def _by_position(inst: Instruction, types: list[Type]) -> Iterator[tuple[int, ResultInfo, Type]]:
    """Yield each result that there is with what is said of it; those of any number are as many as their operands."""
    index = 0
    for info in inst.INFO.results:
        rest = len(types) - index
        count = min(rest, len(getattr(inst, info.same_as)) if info.same_as else rest) if info.variadic else min(rest, 1)
        for _ in range(count):
            yield index, info, types[index]
            index += 1
