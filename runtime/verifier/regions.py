"""Where `return` and `yield` stand, and what a region hands to its instruction."""

from __future__ import annotations

from runtime.blocks import Block, Loop
from runtime.builtin import Return, Yield
from runtime.functions import Function
from runtime.generic import GenericInst
from runtime.instructions import Instruction
from runtime.verifier.findings import Findings, counted
from runtime.verifier.results import why_not_type


def check_terminator(
    inst: Instruction, block: Block, holder: Function | Loop | Instruction, findings: Findings
) -> None:
    """Check that a terminator ends its block, and one of the kind that it may end."""
    name = inst.INFO.mnemonic
    if inst is not block.last:
        findings.add("V003", f"`{name}` is not the last statement of its block", inst)
    elif isinstance(holder, Loop):
        findings.add("V003", f"`{name}` ends the body of a loop; a loop hands out nothing", inst)
    elif isinstance(holder, Function) and isinstance(inst, Yield):
        findings.add("V003", f"`{name}` ends a function; expected `return`", inst)
    elif isinstance(holder, Instruction) and isinstance(inst, Return):
        findings.add("V003", f"`{name}` ends a region of `{holder.INFO.mnemonic}`; expected `yield`", inst)


def check_region_arguments(block: Block, holder: Instruction, findings: Findings) -> None:
    """Check that a region receives what its definition gives it, which is nothing; a generic one may receive anything.

    A front end knows what the regions of its operators receive.
    """
    if block.arguments and not isinstance(holder, GenericInst):
        named = _region_name(block, holder)
        message = f'the region "{named}" of `{holder.INFO.mnemonic}` receives {{value}}; nothing gives it a value'
        for argument in block.arguments:
            findings.add("V008", message, argument, None, argument)


def check_region_end(block: Block, holder: Instruction, findings: Findings) -> None:
    """Check that a region yields a value for each result of its instruction; of a generic one, that it yields at all.

    What a region of a foreign operator hands out need not be what the instruction gives: that of a loop adds a
    condition, and its last values are collected.
    """
    results = holder.results
    is_generic = isinstance(holder, GenericInst)
    end = block.terminator
    if end is None:
        if results or is_generic:
            named = _region_name(block, holder)
            message = f'the region "{named}" has no `yield`'
            if not is_generic:
                message += f"; `{holder.INFO.mnemonic}` has {counted(len(results), 'result')}"
            findings.add("V003", message, holder, f"end of {named}")
        return
    if is_generic:
        return
    if not isinstance(end, Yield):
        return  # another terminator has its own rule, and a `return` is reported where it stands
    values = end.values
    if len(values) != len(results):
        has = f"`{holder.INFO.mnemonic}` has {counted(len(results), 'result')}"
        message = f"`yield` hands out {counted(len(values), 'value')}; {has}"
        findings.add("V004", message, end)
        return
    for index, (value, result) in enumerate(zip(values, results, strict=True)):
        if part := why_not_type(value.type, result.type):
            message = f"{{value}} is {value.type}; expected the {part} of the result, {result.type}"
            findings.add("V004", message, end, f"values[{index}]", value)


def _region_name(block: Block, holder: Instruction) -> str:
    at = next(at for at, inner in enumerate(holder.blocks) if inner is block)
    try:
        names = holder.region_names if isinstance(holder, GenericInst) else holder.INFO.regions
    except IndexError:  # an attribute names a region that is not there, which is reported by itself
        names = ()
    return names[at] if at < len(names) else str(at)
