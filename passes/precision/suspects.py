"""Which nodes a guard may have a reason against: hardly any other costs more than a look at its form and what it reads.

Deliberately absent: reasons (`passes/precision/guards.py`). What is here may be a suspect without one, and never the
other way round.
"""

from __future__ import annotations

from collections.abc import Set
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

_Reading = tuple[Instruction, Any, str]


def suspects(
    survey: Survey, constants: Constants, range: ConstantRange, patterns: Patterns, marked: Set[object]
) -> list[SurveyedNode]:
    """Return the nodes that there may be a reason against; `marked` are nodes and values that something is known of."""
    nodes = survey.nodes
    found: set[object] = set()
    read = [each for group in survey.groups for each in _reading(group, constants)]
    fitting = range.within([value for _, value, role in read if role not in SCALARS])
    judged = [each for each in read if each[1] not in fitting or each[2] in SCALARS]
    found.update([inst for inst, value, role in judged if range.why_unfit(value, role) is not None])
    for group in survey.groups:
        form, insts = group.form, group.insts
        if form.is_suspect:
            found.update(insts)
            continue
        if form.may_fail:
            found.update([one for one in insts if why_it_fails(nodes[one], survey, constants, range.low) is not None])
        if (form.computes == "multiply" or form.is_product) and len(form.data) == 2:
            first, second = form.data
            rows = zip(insts, group.values, strict=True)
            pairs = [(one, held[first], held[second]) for one, held in rows]
            squares = [one for one, left, right in pairs if left and right and patterns.is_one(left, right)]
            found.update([one for one in squares if patterns.is_square_of_norm(nodes[one])])
    found.update([one.owner if isinstance(one, Result) else one for one in marked])
    computed = [one.owner if isinstance(one, Result) else one for one in constants.held if not _is_given(one)]
    found.update([one for one in computed if (node := nodes.get(one)) and any(map(range.why_unfit, node.results))])
    insts = [inst for inst in found if isinstance(inst, Instruction) and inst in nodes]
    return [nodes[inst] for inst in sorted(insts, key=survey.places.__getitem__)]


def _is_given(value: Operand) -> bool:
    """Whether a constant is part of the program, and not what a node gives."""
    return isinstance(value, (BlockArgument, Initializer))


def _reading(group: Group, constants: Constants) -> list[_Reading]:
    """Return the nodes of a group with the constants that they read as data, and what these serve as."""
    held, roles = constants.held, group.form.roles
    slots = [(at, roles.get(at, "")) for at in group.form.data]
    rows = zip(group.insts, group.values, strict=True)
    return [(inst, one, role) for inst, values in rows for at, role in slots if (one := values[at]) in held]
