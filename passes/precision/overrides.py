"""Which override of a policy is about which node.

Deliberately absent: a meaning. What an override changes stands in `passes/precision/decide.py` and in the two modules
that know of operands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from passes.precision.labels import label_of
from passes.precision.name_patterns import PatternTable
from passes.precision.policy import Override
from passes.precision.reasons import Reason, Rule
from passes.precision.survey import SurveyedNode
from runtime.generic import OnnxNode
from runtime.instructions import Instruction


class Overrides:
    """The overrides of a policy, ready to be asked of each node."""

    def __init__(self, overrides: Sequence[Override]) -> None:
        of_nodes = [one for one in reversed(overrides) if one.operand is None]  # the last one counts
        of_operands = [one for one in overrides if one.operand is not None]
        self.are_about_nodes: Final = bool(of_nodes)  # whether some are about nodes as a whole
        self.are_about_operands: Final = bool(of_operands)
        # Whether what some say of nodes of one form depends on names.
        self.are_about_names: Final = any(one.name is not None for one in overrides)
        self._of_nodes = PatternTable((one.name, one) for one in of_nodes)
        self._of_operands = PatternTable((one.name, one) for one in of_operands)

    def of(self, node: SurveyedNode) -> Override | None:
        """Return the override that counts for a node as a whole, if there is one."""
        found = _about(node, self._of_nodes) if self.are_about_nodes else ()
        return next(iter(found), None)

    def kept_slots(self, node: SurveyedNode, names: Sequence[str]) -> dict[int, Override]:
        """Return the operand slots that keep their dtype, each with what says so; `names` are those of all slots."""
        found: dict[int, Override] = {}
        for one in _about(node, self._of_operands) if self.are_about_operands else ():
            found.update((at, one) for at, name in enumerate(names) if one.operand in (at, name))
        return found


def _about(node: SurveyedNode, table: PatternTable[Override]) -> Iterator[Override]:
    labels = labels_of(node.inst)
    return (one for one in table.of(names_of(node.inst)) if one.instruction is None or one.instruction in labels)


def stays_by(overrides: Iterable[Override]) -> Reason:
    """Return that an instruction stays as it is because some overrides say so, each with its place in its file."""
    told = "; ".join(dict.fromkeys(map(str, overrides)))
    return Reason(Rule.OVERRIDE, f"{Rule.OVERRIDE.value}: {told}")


NO_OVERRIDES: Final = Overrides(())


def labels_of(inst: Instruction) -> tuple[str, ...]:
    """Return what an override may call the operation of an instruction."""
    return (label_of(inst), inst.op_type) if isinstance(inst, OnnxNode) else (label_of(inst),)


def names_of(inst: Instruction) -> list[str]:
    """Return the names that the pattern of an override may fit: that of a node, and that of the first result."""
    own = inst.node_name if isinstance(inst, OnnxNode) else None
    return [name for name in (own, inst.name) if name]
