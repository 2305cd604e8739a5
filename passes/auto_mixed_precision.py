"""Lets an f32 program run in f16 or bf16 where its policy says so, with casts where the two meet.

Before:

    %w: f32[3,4] = graph.constant {value = dense<0.5>}
    %y: f32[2,4] = graph.matmul %x, %w
    %s: f32[2,4] = graph.softmax %y axis 1

After, with `policy=autocast-f16`:

    %x_f16: f16[2,3] = graph.cast %x
    %w: f16[3,4] = graph.constant {value = dense<0.5>}
    %y: f16[2,4] = graph.matmul %x_f16, %w
    %y_f32: f32[2,4] = graph.cast %y
    %s: f32[2,4] = graph.softmax %y_f32 axis 1

It takes nodes of ONNX and any instruction whose definition has the facts. What runs low is decided by
`passes/precision/decide.py`: the kind of the operation, unless it is known to need f32, a guard sees a value that the
lower float cannot hold, or its signature or definition has no such type.

It must not touch
- integer, boolean and f64 values, and values that are f16 or bf16 already;
- the operand of a Cast that the program wrote, and what that Cast gives;
- what a function receives and gives: that keeps its type. What a region receives and gives becomes low where all that
  passes there is;
- local functions, and operators of which nothing is known: they stay f32;
- instructions that read or write tensors, which the numeric chain is for, and programs of ONNX operator sets before 7.
  The report warns of them.

There is one cast for a value and a dtype, right behind the value's producer, so whatever is dominated by the value is
dominated by the cast, regions included. A constant whose uses are all low is converted itself.

A second run changes nothing. What is low is no f32 any more. What stayed f32 stays for the same reason: the constants
are the same ones, the casts back to f32 give sticky values, and the operands that a follower reads are as they were.
Where kinds decide alone, casts ask for nothing, and a copy that converts nothing any more is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from passes.framework.options import option
from passes.framework.target_lowering import TargetLowering
from passes.precision.context import Callees
from passes.precision.decide import Decisions
from passes.precision.ends import narrow_ends
from passes.precision.group_traffic import traffic_after, traffic_before
from passes.precision.local_functions import guards_of_callees
from passes.precision.policy import POLICY_FORM, PrecisionPolicy, policy_named
from passes.precision.reach import signatures_of, why_untouched
from passes.precision.report import PrecisionReport, add_decisions
from passes.precision.requests import Requests
from passes.precision.rewriting import Rewriting
from passes.precision.traffic import traffic_of
from passes.precision.unmatched_overrides import warnings_of
from passes.precision.uses import converting_copies, leave_out_casts, leave_out_copies, loses
from runtime.blocks import Statement
from runtime.dtypes import DType
from runtime.functions import Function, Module
from runtime.garbage import paused_gc
from runtime.instructions import Instruction
from runtime.statistics import Unit, register_stats
from runtime.targets import Target


@dataclass(frozen=True)
class AutoMixedPrecisionOptions:
    """What may be asked of the pass."""

    policy: PrecisionPolicy | str = option("autocast-f16", "which operations run in which float", POLICY_FORM)
    guards: bool = option(False, "keep what a lower float cannot hold in f32 also where the policy does not ask for it")
    keep: str = option("", "what stays f32: patterns as for --keep, several with | in between")
    keep_io: bool = option(True, "let inputs and outputs keep their types")

    @property
    def requests(self) -> Requests:
        """What they ask of a conversion beside the policy."""
        return Requests(tuple(pattern for pattern in self.keep.split("|") if pattern), keep_io=self.keep_io)


class AutoMixedPrecision(TargetLowering):
    """Let f32 programs run in f16 or bf16 where that is safe; `report` says what the last run decided."""

    pass_name = "auto-mixed-precision"
    stops_at = "function"  # a value has its dtype together with those around it
    Options = AutoMixedPrecisionOptions

    inserted_casts: ClassVar[int] = 0
    register_stats(**{"Number of casts inserted": Unit.Count})

    report: PrecisionReport

    def __init__(self, target: Target | None = None, **options: object) -> None:
        super().__init__(target, **options)
        policy = self.options.policy
        policy = policy_named(policy) if isinstance(policy, str) else policy
        self.policy = replace(policy, guards=policy.guards or self.options.guards)
        self.requests = self.options.requests
        self.report = PrecisionReport(policy.name)
        self._rewritings: list[Rewriting] = []
        self._gone: list[Instruction] = []  # copies that converted
        self._callees: Callees = {}
        self._kept: dict[str, Callable[[], Sequence[tuple[Instruction, str]]]] = {}  # by function

    @classmethod
    def of(cls, policy: PrecisionPolicy | str) -> AutoMixedPrecision:
        """Return the pass for a policy, which need not be one that has a name in pipelines.

        Raises: UnknownPolicyError.
        """
        return cls(policy=policy)

    def runOnModule(self, module: Module) -> bool:
        self.report = PrecisionReport(self.policy.name, notes=list(self.requests.notes))
        self._kept, self._rewritings, self._gone = {}, [], []
        lows = self.policy.lower_floats if self.policy.guards else ()
        with paused_gc():
            self.report.warnings += warnings_of(self.policy.overrides, module)
            self._callees = {low: guards_of_callees(module, low) for low in lows}
            return super().runOnModule(module)

    @property
    def added_roundings(self) -> Sequence[Instruction]:  # type: ignore[override]  # it is found when somebody asks
        """What is rounded and was not, in program order."""
        return [inst for rewriting in self._rewritings for inst in rewriting.added_roundings]

    @property
    def removed_roundings(self) -> Sequence[Instruction]:  # type: ignore[override]  # as above
        """What is not rounded any more, in program order, then the copies that went with it."""
        return [*[inst for one in self._rewritings for inst in one.removed_roundings], *self._gone]

    def why_kept(self, f: Function) -> Iterator[tuple[Statement, str]]:
        return iter(self._kept[f.name]() if f.name in self._kept else ())

    def transformStmts(self, f: Function) -> bool:
        insts = list(f.insts)
        if why_untouched(f, insts, self.report):
            self.report.add_traffic(*[traffic_of(insts)] * 2)
            return False
        decisions = Decisions(f, self.policy, signatures_of(f), self._callees, self.requests, insts)
        before = traffic_before(decisions.survey)
        copies = converting_copies(decisions)
        removed = leave_out_casts(decisions)
        rewriting = Rewriting(decisions, self.report)
        changed = rewriting.run()
        AutoMixedPrecision.inserted_casts += len(rewriting.casts)
        if not self.requests.keep_io and f.module is not None and f is f.module.root_function:
            self.report.inserted -= len(narrow_ends(f, rewriting.casts, self.policy.low))
        removed += rewriting.drop_unread()
        self._rewritings.append(rewriting)
        removed += self._leave_out(copies, decisions)
        self.report.removed += removed
        add_decisions(self.report, decisions, rewriting.rounded)
        if removed or not self.requests.keep_io:
            left = [inst for inst in (*insts, *rewriting.casts) if inst.parent is not None]
            self.report.add_traffic(before, traffic_of(left))
        else:
            self.report.add_traffic(before, traffic_after(decisions, rewriting.casts) if changed else before)
        self._kept[f.name] = partial(decisions.kept, rewriting.rounded)
        return changed

    def _leave_out(self, copies: Mapping[Instruction, DType | None], decisions: Decisions) -> int:
        """Leave out the copies that convert nothing since their operand became another float; return how many."""
        gone = leave_out_copies(copies)
        for copy in gone:
            before, after = copies[copy], copy.type.dtype
            if before is not None and after is not None and loses(before, after):
                self._gone.append(copy)
            decisions.of.pop(copy, None)
        return len(gone)
