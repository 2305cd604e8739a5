"""What the precision passes decided and did: counts, notes, and each instruction with the reason for what it runs in.

Deliberately absent: files. `passes/precision/report_file.py` writes a report where a user asks for one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from passes.precision.reasons import Reason, Rule
from passes.precision.traffic import Traffic
from runtime.generic import OnnxNode
from runtime.operand_slots import values_of

if TYPE_CHECKING:
    from passes.precision.decide import Decisions
    from passes.precision.forms import Form
    from runtime.instructions import Instruction
    from runtime.values import Operand, Value

NO_FLOAT = "no float"
"""The precision of an instruction that neither reads nor gives a float."""

_ROUNDED: Final = Reason(Rule.ROUNDED, Rule.ROUNDED.value)


class ReportLine(NamedTuple):
    """The decision for one instruction: where it is, what it runs in, and why."""

    function: str
    node: str | None  # the name of a node in its model
    value: str | None  # the name of the first result
    operator: str
    precision: str  # the name of a dtype
    rule: Rule
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.precision}, {self.reason}"

    @property
    def place(self) -> str:
        """Which instruction it is: `@main %y = ai.onnx::Softmax "softmax_1"`."""
        is_said = self.value is not None and self.value.partition(":")[0] == self.node  # as in models of TensorFlow
        named = f' "{self.node}"' if self.node and not is_said else ""
        return f"@{self.function} %{self.value or '?'} = {self.operator}{named}"


@dataclass
class PrecisionReport:
    """All that was decided and done under one policy in one run."""

    policy: str
    counts: Counter[str] = field(default_factory=Counter)  # of instructions by the name of a dtype
    inserted: int = 0  # casts
    shared: int = 0  # uses that read a cast which another use has, too
    removed: int = 0  # casts of the program that nobody reads since what they widen is read itself
    before: Traffic = Traffic()
    after: Traffic = Traffic()
    constants: int = 0  # that were rounded themselves, so that no cast was needed
    warnings: list[str] = field(default_factory=list)  # parts of the program that the policy does not reach
    notes: list[str] = field(default_factory=list)
    _lines: list[ReportLine] = field(default_factory=list, repr=False)
    _untold: list[Iterable[ReportLine]] = field(default_factory=list, repr=False)

    @property
    def lines(self) -> list[ReportLine]:
        """The decisions for the instructions, in program order; they are spelled out when somebody asks."""
        untold, self._untold = self._untold, []
        self._lines += chain.from_iterable(untold)
        return self._lines

    def add_lines(self, lines: Iterable[ReportLine]) -> None:
        """Add lines behind those that there are, of which none is made before somebody asks."""
        self._untold.append(lines)

    def add_traffic(self, before: Traffic, after: Traffic) -> None:
        """Add what one function reads and writes."""
        self.before += before
        self.after += after

    @property
    def unknown_operators(self) -> dict[str, int]:
        """The operators that stayed f32 because nothing is known of them, with how often they stand there."""
        found = Counter(line.operator for line in self.lines if line.rule is Rule.UNKNOWN_OPERATOR)
        return dict(sorted(found.items()))

    @property
    def kept(self) -> dict[Rule, list[ReportLine]]:
        """The instructions that stayed f32, by rule, the most frequent one first."""
        groups: dict[Rule, list[ReportLine]] = {}
        for line in self.lines:
            if line.precision == "f32":
                groups.setdefault(line.rule, []).append(line)
        return dict(sorted(groups.items(), key=lambda group: -len(group[1])))

    @property
    def summary(self) -> str:
        """The policy, how many instructions run in what, and what that took."""
        counts = ", ".join(f"{count} {name}" for name, count in sorted(self.counts.items()) if count)
        return (
            f"{self.policy}\n"
            f"  instructions: {counts or 'none'}\n"
            f"  casts: {self.inserted} inserted; {self.shared} further uses share one; {self._removed_text}\n"
            f"  constants converted: {self.constants}\n"
            f"  bytes read and written: {self.before.bytes} before, {self.after.bytes} after{self._unknown_text}"
        )

    @property
    def _removed_text(self) -> str:
        if self.removed:
            return f"{self.removed} removed, which nobody reads any more"
        return "0 removed, since those that the program wrote keep their meaning"

    @property
    def _unknown_text(self) -> str:
        count = self.after.unknown
        return f"; {count} times the size of what is read or written is not known" if count else ""

    def to_json(self) -> dict[str, Any]:
        """Return the report as data for `json.dumps`: the same facts as the text, with every instruction once."""
        return {
            "policy": self.policy,
            "counts": dict(sorted(self.counts.items())),
            "casts": {
                "inserted": self.inserted,
                "shared": self.shared,
                "removed": self.removed,
                "constants": self.constants,
            },
            "bytes": {"before": self.before.bytes, "after": self.after.bytes, "of_unknown_size": self.after.unknown},
            "warnings": self.warnings,
            "notes": self.notes,
            "unknown_operators": self.unknown_operators,
            "kept_in_f32": {rule.name.lower(): len(lines) for rule, lines in self.kept.items()},
            "rules": {rule.name.lower(): rule.value for rule in dict.fromkeys(line.rule for line in self.lines)},
            "instructions": [
                {
                    "function": line.function,
                    "node": line.node,
                    "value": line.value,
                    "operator": line.operator,
                    "precision": line.precision,
                    "rule": line.rule.name.lower(),
                    "reason": line.reason,
                }
                for line in self.lines
            ],
        }

    def __str__(self) -> str:
        return "\n".join(self._text())

    def _text(self) -> Iterator[str]:
        yield self.summary
        yield from (f"  warning: {warning}" for warning in self.warnings)
        yield from (f"  note: {note}" for note in self.notes)
        if self.unknown_operators:
            found = ", ".join(f"{name} ({count})" for name, count in self.unknown_operators.items())
            yield f"  note: nothing is known about {found}"
        for rule, lines in self.kept.items():
            yield f"\nstays f32, {len(lines)}: {rule.value}"
            for line in lines:
                detail = line.reason.removeprefix(rule.value).removeprefix(": ")
                yield f"  {line.place}" + (f": {detail}" if detail else "")
        if self.lines:
            yield "\nevery decision, in program order"
            yield from (f"  {line}" for line in self.lines)


def add_decisions(report: PrecisionReport, decisions: Decisions, rounded: Set[Value]) -> None:
    """Add the lines and counts of the nodes of a function to a report; `rounded` are constants that were."""
    function, by_kind = decisions.survey.function.name, decisions.policy.by_kind
    group_of, decided = decisions.survey.group_of, decisions.of
    special = decided if by_kind else [inst for inst in rounded if inst in decided]
    stated = {inst: _precision_of(inst, by_kind, inst in rounded) for inst in special if decided[inst].dtype is None}
    counts = Counter([one.dtype for one in decided.values()])
    counts[None] -= len(stated)
    for dtype, count in (+counts).items():
        report.counts["f32" if dtype is None else dtype.name] += count
    report.counts.update(stated.values())
    for group in decisions.survey.groups:
        if by_kind or not (group.form.is_float or group.form.has_regions):
            report.counts.update([_undecided(inst, group.form) for inst in group.insts if inst not in decided])
    names = [inst.name for inst in decided]  # which another pass may change before anybody reads a line
    nodes = [inst.node_name if isinstance(inst, OnnxNode) else None for inst in decided]

    def lines() -> Iterator[ReportLine]:
        named = {inst: each for inst, *each in zip(decided, names, nodes, strict=True)}
        for inst in group_of:
            if inst in named:
                name, node = named[inst]
                dtype, reason = decided[inst].dtype, _ROUNDED if inst in rounded else decided[inst].reason
                precision = stated.get(inst, "f32") if dtype is None else dtype.name
                label = group_of[inst].form.label
                yield ReportLine(function, node, name, label, precision, reason.rule, reason.why)

    report.add_lines(lines())


def _undecided(inst: Instruction, form: Form) -> str:
    """Return the float of a node that nothing was decided about; operands of any type do not count."""
    held = enumerate(values_of(inst))
    return float_of(inst.results, [one for at, one in held if one is not None and at not in form.any_slots])


def _precision_of(inst: Instruction, by_kind: bool, is_rounded: bool) -> str:
    """Return what an instruction runs in that is converted to nothing."""
    if is_rounded:
        return inst.dtype.name
    if not by_kind:
        return "f32"
    found = float_of(inst.results, inst.operands())
    return "f32" if found == NO_FLOAT else found


def float_of(results: Sequence[Operand], operands: Sequence[Operand]) -> str:
    """Return the name of the first float dtype among results or else operands."""
    for value in (*results, *operands):
        if value.type.dtype is not None and value.type.dtype.is_float:
            return value.type.dtype.name
    return NO_FLOAT
