"""Casts the f32 operands of matrix products to the float that the target's tensor engine multiplies fastest.

Before:

    %y: f32[2,4] = graph.matmul %x, %w
    %z: f32[2,4] = graph.matmul %y, %w

After:

    %x_bf16: bf16[2,4] = graph.cast %x
    %w_bf16: bf16[4,4] = graph.cast %w           // one cast for a value and a dtype
    %y: f32[2,4] = graph.matmul %x_bf16, %w_bf16
    %y_bf16: bf16[2,4] = graph.cast %y
    %z: f32[2,4] = graph.matmul %y_bf16, %w_bf16

On the chip an access gets a cast in front of the product that reads it, `%w_bf16: bf16[128,64] = tensor_copy %w`,
unless `shrinkTensor` lets the tensor itself hold the narrow float (`passes/autocast/tensors.py`).

It must not fire on
- operands that are no f32, have a `precision` of their own, or may not be that float by their definition;
- what a product with predicates reads, unless that is there in all iterations, in which a cast would run;
- a target whose tensor engine does not take it (`getMatmultOperandType`); without a target every target must take it;
- anything that is not contracted: whoever else uses a value keeps f32, and so does what a product gives.

Why it is safe. Products are accumulated in f32 whatever the operands are. So the program computes, bit for bit, what it
computed before with the operands rounded; `added_roundings` names the casts, and what writes a tensor that has shrunk.
A second run finds operands that are no f32 any more, and tensors that the same guards keep.

Departures from the source: only the operand of the product becomes the cast, not every use of the value; the counter
`tensor_shrink` has the bytes that are saved.

Source: penguin, AutoCastTCInputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from passes.autocast.modes import SPELLINGS, CastMode, cast_mode, mode_of
from passes.autocast.narrowing import Narrowing
from passes.framework.options import option
from passes.framework.target_lowering import TargetLowering
from runtime.functions import Function, Module
from runtime.instructions import Instruction
from runtime.statistics import Unit, register_stats
from runtime.targets import Target

CastType = Literal["bf16", "fp16", "tf32", "fp8_e4m3"]
TYPE_HELP = "the narrow float, also as f16, f8e4m3, f32r"
INLINE_HELP = "let loads and engines convert where they can, in place of casts that stand alone"


@dataclass(frozen=True)
class AutoCastTCInputsOptions:
    """What may be asked of the pass."""

    type: CastType = option("bf16", TYPE_HELP, aliases=SPELLINGS)
    inline: bool = option(True, INLINE_HELP)


class AutoCastTCInputs(TargetLowering):
    """Cast the f32 operands of matrix products to a narrower float."""

    pass_name = "auto-cast-tc-inputs"
    stops_at = "function"  # a value has its dtype together with those around it
    Options: ClassVar[type] = AutoCastTCInputsOptions

    tensor_shrink: ClassVar[int] = 0
    inserted_casts: ClassVar[int] = 0
    register_stats(
        tensor_shrink=("Number of bytes by which tensors have shrunk", Unit.Bytes),
        inserted_casts=("Number of casts inserted", Unit.Count),
    )

    added_roundings: list[Instruction]

    def __init__(self, target: Target | None = None, **options: object) -> None:
        super().__init__(target, **options)
        self.mode = self._mode()
        self._begin()

    @classmethod
    def of(cls, token: str, target: Target | None = None, *, inline: bool = True) -> AutoCastTCInputs:
        """Return the pass for a token of the compiler, `fp32-cast-matmult` or `all-fp32r`; the mode decides the class.

        Raises: UnknownCastModeError.
        """
        new = cls(target, inline=inline)
        new.mode = cast_mode(token)
        return new

    def _mode(self) -> CastMode:
        return mode_of("matmult", self.options.type)

    def _begin(self) -> None:
        self.added_roundings = []
        self._kept: dict[str, list[tuple[Instruction, str]]] = {}
        self._notes: dict[str, list[tuple[Instruction, str]]] = {}

    def runOnModule(self, module: Module) -> bool:
        self._begin()
        return super().runOnModule(module)

    def transformStmts(self, f: Function) -> bool:
        if self.mode.scope == "none":
            return False
        done = Narrowing(f, self.mode, self.target, inline=self.options.inline).run()
        self.added_roundings += done.added
        self._kept[f.name], self._notes[f.name] = done.kept, done.notes
        AutoCastTCInputs.tensor_shrink += done.saved_bytes
        AutoCastTCInputs.inserted_casts += done.casts
        return done.changed

    def afterStmtTransform(self, f: Function) -> None:
        if self.mode.scope != "none":
            self.dropDeadTensors(f)

    def why_kept(self, f: Function) -> Iterator[tuple[Instruction, str]]:
        return iter(self._kept.get(f.name, ()))

    def notes_on(self, f: Function) -> Iterator[tuple[Instruction, str]]:
        return iter(self._notes.get(f.name, ()))
