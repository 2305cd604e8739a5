"""What the precision passes decided, an instruction a line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from passes.precision.decide import Decisions
    from runtime.functions import Function


@dataclass(frozen=True)
class ReportLine:
    """The decision for one instruction: where it is, what it runs in, and why."""

    function: str
    node: str | None  # the name of the node in its model
    value: str | None  # the name of the first result
    operator: str
    precision: str  # the name of a dtype
    reason: str

    def __str__(self) -> str:
        return f"@{self.function} %{self.value or '?'} = {self.operator}: {self.precision}, {self.reason}"


@dataclass
class PrecisionReport:
    """All decisions under one policy, in program order."""

    policy: str
    lines: list[ReportLine] = field(default_factory=list)

    def __str__(self) -> str:
        return "\n".join(map(str, self.lines))


def report_of(decisions: Decisions, function: Function) -> list[ReportLine]:
    """Return the lines for the decisions about a function."""
    low = decisions.policy.low.name
    return [
        ReportLine(
            function.name,
            node.node_name,
            node.name,
            node.label,
            low if decision.is_low else "f32",
            decision.reason,
        )
        for node, decision in decisions.of.items()
    ]
