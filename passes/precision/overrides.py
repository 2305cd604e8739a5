"""Which override of a policy is about which node.

Deliberately absent: a meaning. What an override changes stands in `passes/precision/decide.py` and in the two modules
that know of operands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from passes.precision.labels import label_of
from passes.precision.name_patterns import pattern_of
from passes.precision.policy import Override
from passes.precision.reasons import Reason, Rule
from passes.precision.survey import SurveyedNode
from runtime.generic import OnnxNode
from runtime.instructions import Instruction


class Overrides:
    """The overrides of a policy, ready to be asked of each node."""

    def __init__(self, overrides: Sequence[Override]) -> None:
        ready = [(one, pattern_of(one.name).match if one.name is not None else None) for one in overrides]
        self._of_nodes = [pair for pair in reversed(ready) if pair[0].operand is None]  # the last one counts
        self._of_operands = [pair for pair in ready if pair[0].operand is not None]

    @property
    def are_about_nodes(self) -> bool:
        """Whether some are about nodes as a whole."""
        return bool(self._of_nodes)

    @property
    def are_about_names(self) -> bool:
        """Whether what some say of nodes of one form depends on names."""
        return any(fits is not None for _, fits in (*self._of_nodes, *self._of_operands))

    @property
    def are_about_operands(self) -> bool:
        """Whether some are about operands."""
        return bool(self._of_operands)

    def of(self, node: SurveyedNode) -> Override | None:
        """Return the override that counts for a node as a whole, if there is one."""
        if not self._of_nodes:
            return None
        labels, names = labels_of(node.inst), names_of(node.inst)
        for one, fits in self._of_nodes:
            if (one.instruction is None or one.instruction in labels) and (fits is None or any(map(fits, names))):
                return one
        return None

    def kept_slots(self, node: SurveyedNode, names: Sequence[str]) -> dict[int, Override]:
        """Return the operand slots that keep their dtype, each with what says so; `names` are those of all slots."""
        found: dict[int, Override] = {}
        if self._of_operands:
            labels, own = labels_of(node.inst), names_of(node.inst)
            for one, fits in self._of_operands:
                if (one.instruction is None or one.instruction in labels) and (fits is None or any(map(fits, own))):
                    found.update((at, one) for at, name in enumerate(names) if one.operand in (at, name))
        return found


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
