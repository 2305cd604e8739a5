"""Lets an f32 program run in f16 or bf16 where its policy says so, with casts where the two meet.

Before:

    %y: f32[2,4] = onnx.node "ai.onnx::MatMul" %x, %w
    %s: f32[2,4] = onnx.node "ai.onnx::Softmax" %y

After, with `policy=autocast-f16`:

    %x16: f16[2,3] = onnx.node "ai.onnx::Cast" %x {to = 10}
    %y: f16[2,4] = onnx.node "ai.onnx::MatMul" %x16, %w  // the weights hold f16 now
    %y32: f32[2,4] = onnx.node "ai.onnx::Cast" %y {to = 1}
    %s: f32[2,4] = onnx.node "ai.onnx::Softmax" %y32

What runs low is decided by `passes/precision/decide.py`: the kind of the operator, unless it is known to need f32, or a
guard sees a value that the lower float cannot hold.

It must not touch
- integer, boolean and f64 values, and values that are f16 or bf16 already;
- the operand of a Cast that the program wrote, and what that Cast gives;
- what a function or a region receives and gives: those keep their types;
- local functions, and operators of which nothing is known: they stay f32.

There is one cast for a value and a dtype, right behind the value's producer, so whatever is dominated by the value is
dominated by the cast, regions included. A constant whose uses are all low is converted itself.

A second run changes nothing. What is low is no f32 any more. What stayed f32 stays for the same reason: the constants
are the same ones, the casts back to f32 give sticky values, and the operands that a follower reads are as they were.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from passes.framework.options import option
from passes.framework.target_lowering import TargetLowering
from passes.precision.decide import Decisions, home_of
from passes.precision.policy import PrecisionPolicy, policy_named
from passes.precision.report import PrecisionReport, report_of
from runtime.blocks import Block, Statement
from runtime.constants import Constant
from runtime.dtypes import DType, f32
from runtime.functions import Function
from runtime.generic import ONNX_DOMAIN, Initializer, OnnxNode
from runtime.instructions import Instruction
from runtime.lazy_tensors import LazyTensor
from runtime.onnx_codes import CODE_OF_DTYPE
from runtime.rounding import cast_array
from runtime.statistics import Unit, register_stats
from runtime.targets import Target
from runtime.values import BlockArgument, Value

_Use = tuple[Instruction, int | None]  # a slot of a node, or all slots of another instruction


@dataclass(frozen=True)
class AutoMixedPrecisionOptions:
    """What may be asked of the pass."""

    policy: Literal["autocast-f16", "autocast-bf16"] = option("autocast-f16", "which operations run in which float")


class AutoMixedPrecision(TargetLowering):
    """Let f32 programs run in f16 or bf16 where that is safe."""

    pass_name = "auto-mixed-precision"
    Options = AutoMixedPrecisionOptions

    inserted_casts: ClassVar[int] = 0
    register_stats(**{"Number of casts inserted": Unit.Count})

    report: PrecisionReport

    def __init__(self, target: Target | None = None, **options: object) -> None:
        super().__init__(target, **options)
        self.policy = policy_named(self.options.policy)
        self.report = PrecisionReport(self.policy.name)
        self._heads: dict[Block, Statement | None] = {}

    @classmethod
    def of(cls, policy: PrecisionPolicy | str) -> AutoMixedPrecision:
        """Return the pass for a policy, which need not be one that has a name in pipelines.

        Raises: UnknownPolicyError.
        """
        new = cls()
        new.policy = policy_named(policy) if isinstance(policy, str) else policy
        new.report = PrecisionReport(new.policy.name)
        return new

    def transformStmts(self, f: Function) -> bool:
        if f.module is not None and "main" in f.module.functions and f.name != "main":
            return False  # a local function: its callers agree on types, whatever they are
        decisions = Decisions(f, self.policy)
        self.report.lines += report_of(decisions, f)
        self._heads = {}
        changed = bool(decisions.low_values)
        for value in _f32_values(f):
            changed |= self._rewrite(value, decisions)
        return changed

    def _rewrite(self, value: Value, decisions: Decisions) -> bool:
        """Give a value its dtype, and the users that want the other one a cast; return whether anything changed."""
        low = self.policy.low
        is_low = value in decisions.low_values
        others: list[_Use] = []
        agree = False  # whether a use wants what the value is
        for user in value.users:
            for use in _uses(user, value):
                wanted = False if use[1] is None else decisions.wanted_low(user, use[1])
                if wanted is not None and wanted != is_low:
                    others.append(use)
                else:
                    agree = True
        if is_low:
            value.type = value.type.with_dtype(low)
        if not others or (not agree and not is_low and _convert_constant(value, low)):
            return bool(others)
        dtype = f32 if is_low else low
        cast = OnnxNode("Cast", [value], {"to": CODE_OF_DTYPE[dtype]}, result_types=[value.type.with_dtype(dtype)])
        self._insert_behind(value, cast)
        AutoMixedPrecision.inserted_casts += 1
        for user, slot in others:
            if slot is None:
                user.replaceUseOfWith(value, cast)
            else:
                assert isinstance(user, OnnxNode)
                user.set_value(slot, cast)
        return True

    def _insert_behind(self, value: Value, cast: OnnxNode) -> None:
        home = home_of(value)
        if isinstance(home, Statement) and not isinstance(home, Initializer):
            cast.insertAfter(home)
            return
        block = home.block if isinstance(home, BlockArgument) else home.parent
        assert block is not None
        if block not in self._heads:
            self._heads[block] = next((each for each in block if not isinstance(each, Initializer)), None)
        block.insert(cast, before=self._heads[block])


def _f32_values(f: Function) -> list[Value]:
    values: list[Value] = [argument for argument in f.args if argument.type.dtype is f32]
    for inst in f.insts:
        values += [result for result in inst.results if result.type.dtype is f32]
        for block in inst.blocks:
            values += [argument for argument in block.arguments if argument.type.dtype is f32]
    return values


def _uses(user: Instruction, value: Value) -> list[_Use]:
    if isinstance(user, OnnxNode):
        return [(user, at) for at, held in enumerate(user.values) if held is value]
    return [(user, None)]


def _convert_constant(value: Value, low: DType) -> bool:
    """Round a constant itself; return whether it was one that can be."""
    held: Any = None
    if isinstance(value, Initializer):
        held = value.value
    elif isinstance(value, OnnxNode) and value.op_type == "Constant" and value.domain == ONNX_DOMAIN:
        held = value.attributes.get("value")
    if not isinstance(held, (Constant, LazyTensor)) or held.dtype is not f32:
        return False
    rounded = Constant(cast_array(held.array, f32, low), low)
    if isinstance(value, Initializer):
        value.value = rounded
    else:
        assert isinstance(value, OnnxNode)
        value.attributes["value"] = rounded
        value.type = value.type.with_dtype(low)
    return True
