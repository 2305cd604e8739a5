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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from passes.autocast.facts import widened_from
from passes.framework.options import option
from passes.framework.target_lowering import TargetLowering
from passes.precision.decide import Decisions
from passes.precision.ends import narrow_ends
from passes.precision.judge import Callees
from passes.precision.local_functions import guards_of_callees
from passes.precision.new_values import convert_constant, new_cast
from passes.precision.policy import POLICY_FORM, PrecisionPolicy, policy_named
from passes.precision.reach import signatures_of, why_untouched
from passes.precision.report import PrecisionReport, add_decisions
from passes.precision.requests import Requests
from passes.precision.traffic import traffic_of
from passes.precision.unmatched_overrides import warnings_of
from passes.precision.uses import (
    Moves,
    Use,
    converting_copies,
    leave_out_casts,
    leave_out_copies,
    loses,
    move,
    uses_elsewhere,
    values_in,
)
from runtime.blocks import Block, Statement
from runtime.dtypes import DType
from runtime.functions import Function, Module
from runtime.generic import Initializer
from runtime.instructions import Instruction
from runtime.operand_slots import set_values
from runtime.statistics import Unit, register_stats
from runtime.targets import Target
from runtime.values import BlockArgument, Result, Value


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
    added_roundings: list[Instruction]
    removed_roundings: list[Instruction]

    def __init__(self, target: Target | None = None, **options: object) -> None:
        super().__init__(target, **options)
        policy = self.options.policy
        policy = policy_named(policy) if isinstance(policy, str) else policy
        self.policy = replace(policy, guards=policy.guards or self.options.guards)
        self.requests = self.options.requests
        self.report = PrecisionReport(policy.name)
        self.added_roundings, self.removed_roundings = [], []
        self._callees: Callees = {}
        self._heads: dict[Block, Statement | None] = {}
        self._rounded: set[Value] = set()  # constants
        self._casts: set[Instruction] = set()  # that are inserted in a function
        self._unread: list[Value] = []  # that were widened, and maybe for nobody
        self._kept: dict[str, list[tuple[Instruction, str]]] = {}

    @classmethod
    def of(cls, policy: PrecisionPolicy | str) -> AutoMixedPrecision:
        """Return the pass for a policy, which need not be one that has a name in pipelines.

        Raises: UnknownPolicyError.
        """
        return cls(policy=policy)

    def runOnModule(self, module: Module) -> bool:
        self.report = PrecisionReport(self.policy.name, notes=list(self.requests.notes))
        self.report.warnings += warnings_of(self.policy.overrides, module)
        self._kept, self.added_roundings, self.removed_roundings = {}, [], []
        lows = self.policy.lower_floats if self.policy.guards else ()
        self._callees = {low: guards_of_callees(module, low) for low in lows}
        return super().runOnModule(module)

    def why_kept(self, f: Function) -> Iterator[tuple[Statement, str]]:
        return iter(self._kept.get(f.name, ()))

    def transformStmts(self, f: Function) -> bool:
        insts = list(f.insts)
        before = traffic_of(insts)
        self.report.before += before
        if why_untouched(f, insts, self.report):
            self.report.after += before
            return False
        decisions = Decisions(f, self.policy, signatures_of(f), self._callees, self.requests, insts)
        self._casts = set()
        self._heads, self._rounded, self._unread = {}, set(), []
        changed = bool(decisions.dtypes)
        copies = converting_copies(decisions)
        self.report.removed += leave_out_casts(decisions)
        elsewhere = uses_elsewhere(decisions)
        moves: Moves = {}
        for value in values_in(decisions.survey):
            if value in elsewhere or value in decisions.dtypes:
                changed |= self._rewrite(value, elsewhere.get(value, {}), decisions, moves)
        for user, slots in moves.items():
            set_values(user, slots)
        if not self.requests.keep_io and f.module is not None and f is f.module.root_function:
            self.report.inserted -= len(narrow_ends(f, self._casts, self.policy.low))
        for value in self._unread:
            if isinstance(value, Instruction) and not value.has_users:
                value.eraseFromParent()
                self.report.removed += 1
        self._leave_out(copies, decisions)
        add_decisions(self.report, decisions, self._rounded)
        self.report.after += traffic_of(f.insts) if changed else before
        kept = ((inst, one) for inst, one in decisions.of.items() if not (one.is_low or inst in self._rounded))
        self._kept[f.name] = [(inst, one.reason.why) for inst, one in kept]
        return changed

    def _leave_out(self, copies: Mapping[Instruction, DType | None], decisions: Decisions) -> None:
        """Leave out the copies that convert nothing since their operand became another float."""
        for copy in leave_out_copies(copies):
            before, after = copies[copy], copy.type.dtype
            if before is not None and after is not None and loses(before, after):
                self.removed_roundings.append(copy)
            decisions.of.pop(copy, None)
            self.report.removed += 1

    def _rewrite(self, value: Value, others: Mapping[DType, Sequence[Use]], decisions: Decisions, moves: Moves) -> bool:
        """Give a value its dtype, and a cast for each other one that uses want; return whether there is one."""
        declared = value.type.dtype
        assert declared is not None
        dtype = decisions.dtypes.get(value, declared)
        if dtype is not declared:
            value.type = value.type.with_dtype(dtype)
            self._note(value, declared, dtype)
            if loses(dtype, declared) and isinstance(value, (Instruction, Result)):
                self.removed_roundings.append(value.owner if isinstance(value, Result) else value)
        if not others:
            return False
        if self._may_round(value, others) and decisions.may_give(value, *others) and convert_constant(value, *others):
            self.report.constants += 1
            self._rounded.add(value)
            self._note(value, dtype, *others)
            return True
        for other, group in others.items():
            narrow = widened_from(value, other) if self.policy.by_kind and dtype is declared else None
            if narrow is not None:
                self._read_instead(value, narrow, group, moves)
                continue
            cast = new_cast(value, other, group[0][0])
            self._insert_behind(value, cast)
            self._casts.add(cast)
            self._note(cast, dtype, other)
            AutoMixedPrecision.inserted_casts += 1
            self.report.inserted += 1
            self.report.shared += len(group) - 1
            move(group, value, cast, moves)
        return True

    def _may_round(self, value: Value, others: Mapping[DType, Sequence[Use]]) -> bool:
        """Whether a value may get another dtype itself if it is a constant: all uses want the same one."""
        return not self.policy.by_kind and len(others) == 1 and sum(map(len, others.values())) == value.n_uses

    def _read_instead(self, value: Value, narrow: Value, group: Sequence[Use], moves: Moves) -> None:
        """Let uses that want the float that a value was widened from read that; a widening nobody reads goes later."""
        self.report.shared += len(group)
        self._unread.append(value)
        move(group, value, narrow, moves)

    def _note(self, value: Value, before: DType, after: DType) -> None:
        """Note that whatever gives a value rounds it now, where it does."""
        inst = value.owner if isinstance(value, Result) else value
        if not isinstance(inst, Instruction):
            return  # an argument of a region, which gets what is rounded already
        if loses(before, after):
            self.added_roundings.append(inst)

    def _insert_behind(self, value: Value, cast: Instruction) -> None:
        home: object = value.owner if isinstance(value, Result) else value
        if isinstance(home, Statement) and not isinstance(home, Initializer):
            cast.insertAfter(home)
            return
        assert isinstance(value, (BlockArgument, Initializer))
        block = value.block if isinstance(value, BlockArgument) else value.parent
        assert block is not None
        if block not in self._heads:
            self._heads[block] = next((each for each in block if not isinstance(each, Initializer)), None)
        block.insert(cast, before=self._heads[block])
