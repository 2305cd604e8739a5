"""Which nodes a guard may have a reason against: hardly any other costs more than a look at its form and what it reads.

Deliberately absent: reasons (`passes/precision/guards.py`). What is here may be a suspect without one, and never the
other way round.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

from passes.precision.constant_range import ConstantRange
from passes.precision.constants import Constants
from passes.precision.groups import Group
from passes.precision.patterns import Patterns
from passes.precision.runtime_faults import why_it_fails
from passes.precision.survey import Survey, SurveyedNode
from runtime.generic import Initializer
from runtime.instructions import Instruction
from runtime.precision_facts import SCALARS
from runtime.values import BlockArgument, Operand, Result

Reading = tuple[Instruction, Any, str]
"""A node, a constant that it reads as data, and what that serves as."""


def suspects(
    survey: Survey,
    constants: Constants,
    range: ConstantRange,
    patterns: Patterns,
    marked: Set[object],
    read: Sequence[Reading],
    fitting: Set[Operand],
) -> list[SurveyedNode]:
    """Return the nodes that there may be a reason against.

    `marked` are nodes and values of which something is known; `readings` gave `read`, of which `fitting` fits.
    """
    nodes = survey.nodes
    found: set[object] = set()
    judged = [each for each in read if each[1] not in fitting or each[2] in SCALARS]
    found.update([inst for inst, value, role in judged if range.why_unfit(value, role) is not None])
    for group in survey.groups:
        form, insts = group.form, group.insts
        if form.is_suspect:
            found.update(insts)
            continue
        if form.may_fail:
            found.update([one for one in insts if why_it_fails(nodes[one], survey, constants, range.low) is not None])
        if form.computes == "multiply" and len(form.data) == 2:
            first, second = form.data
            squares = [one for one, held in zip(insts, group.values, strict=True) if held[first] is held[second]]
            found.update([one for one in squares if patterns.is_square_of_norm(nodes[one])])
    found.update([one.owner if isinstance(one, Result) else one for one in marked])
    computed = [one.owner if isinstance(one, Result) else one for one in constants.held if not _is_given(one)]
    found.update([one for one in computed if (node := nodes.get(one)) and any(map(range.why_unfit, node.results))])
    insts = [inst for inst in found if isinstance(inst, Instruction) and inst in nodes]
    return [nodes[inst] for inst in sorted(insts, key=survey.places.__getitem__)]


def readings(survey: Survey, constants: Constants) -> list[Reading]:
    """Return the nodes with the constants that they read as data, and what these serve as."""
    return [each for group in survey.groups for each in _reading(group, constants)]


def _is_given(value: Operand) -> bool:
    """Whether a constant is part of the program, and not what a node gives."""
    return isinstance(value, (BlockArgument, Initializer))


def _reading(group: Group, constants: Constants) -> list[Reading]:
    """Return the nodes of a group with the constants that they read as data, and what these serve as."""
    held, roles = constants.held, group.form.roles
    slots = [(at, roles.get(at, "")) for at in group.form.data]
    rows = zip(group.insts, group.values, strict=True)
    return [(inst, one, role) for inst, values in rows for at, role in slots if (one := values[at]) in held]
