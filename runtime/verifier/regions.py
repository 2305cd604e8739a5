"""Where `return` and `yield` stand, and what a region hands to its instruction."""

from __future__ import annotations

from runtime.blocks import Block, Loop
from runtime.builtin import Return, Yield
from runtime.functions import Function
from runtime.generic import GenericInst
from runtime.instructions import Instruction
from runtime.ports import Expected, expected_arguments, expected_yields
from runtime.types import Type
from runtime.verifier.findings import Findings, counted
from runtime.verifier.operands import any_of
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
    """Check that a region receives what its definition gives it; a generic one may receive anything.

    A front end knows what the regions of its operators receive.
    """
    if isinstance(holder, GenericInst):
        return
    expected = expected_arguments(holder, block)
    named = f'the region "{_region_name(block, holder)}" of `{holder.INFO.mnemonic}`'
    for argument in block.arguments[len(expected) :]:
        findings.add("V008", f"{named} receives {{value}}; nothing gives it a value", argument, None, argument)
    if len(block.arguments) < len(expected):
        lacking = expected[len(block.arguments)].port.name
        message = f"{named} receives {counted(len(block.arguments), 'value')}, and lacks the next one, of {lacking}"
        findings.add("V008", message, holder)
    for argument, one in zip(block.arguments, expected, strict=False):
        if why := _why_not_port(argument.type, one):
            message = f"{named} receives {{value}}, {argument.type}; expected {why} of {one.port.name}"
            findings.add("V008", message, argument, None, argument)


def check_region_end(block: Block, holder: Instruction, findings: Findings) -> None:
    """Check that a region yields what its definition says; of a generic one, that it yields at all.

    What a region of a foreign operator hands out need not be what the instruction gives: that of a loop adds a
    condition, and its last values are collected.
    """
    is_generic = isinstance(holder, GenericInst)
    expected = [] if is_generic else expected_yields(holder, block)
    end = block.terminator
    if end is None:
        if expected or is_generic:
            named = _region_name(block, holder)
            message = f'the region "{named}" has no `yield`'
            if not is_generic:
                message += f"; `{holder.INFO.mnemonic}` {_wants(holder, block, len(expected))}"
            findings.add("V003", message, holder, f"end of {named}")
        return
    if is_generic:
        return
    if not isinstance(end, Yield):
        return  # another terminator has its own rule, and a `return` is reported where it stands
    values = end.values
    if len(values) != len(expected):
        wants = f"`{holder.INFO.mnemonic}` {_wants(holder, block, len(expected))}"
        findings.add("V004", f"`yield` hands out {counted(len(values), 'value')}; {wants}", end)
        return
    for index, (value, one) in enumerate(zip(values, expected, strict=True)):
        if why := _why_not_port(value.type, one):
            whose = "the result" if one.port.name.startswith("result ") else one.port.name
            message = f"{{value}} is {value.type}; expected {why} of {whose}"
            findings.add("V004", message + (f", {one.type}" if one.type else ""), end, f"values[{index}]", value)


def _wants(holder: Instruction, block: Block, count: int) -> str:
    ports = holder.INFO.regions[holder.blocks.index(block)].yields
    return f"has {counted(count, 'result')}" if ports is None else f"expects {counted(count, 'value')}"


def _why_not_port(found: Type, one: Expected) -> str | None:
    """Return what of a port a type has not, or None."""
    if one.type is not None:
        part = why_not_type(found, one.type)
        return f"the {part}" if part else None
    port = one.port
    if port.dtypes and found.dtype is not None and found.dtype.name not in port.dtypes:
        return f"elements of {any_of(port.dtypes)}"
    if port.rank and found.rank is not None and found.rank not in port.rank:
        return f"rank {' or '.join(map(str, port.rank))}"
    return None


def _region_name(block: Block, holder: Instruction) -> str:
    at = next(at for at, inner in enumerate(holder.blocks) if inner is block)
    try:
        names = holder.region_names if isinstance(holder, GenericInst) else holder.INFO.region_names
    except IndexError:  # an attribute names a region that is not there, which is reported by itself
        names = ()
    return names[at] if at < len(names) else str(at)
