"""Passes of a few lines: what the laws must let pass, and what they must catch. None of them is registered."""

from collections.abc import Iterator
from typing import ClassVar

import pytest

from passes.framework.dot_transform import DotTransform
from passes.later_reads import why_not_read_later
from passes.registry import PASSES
from runtime.access import NeuronAP
from runtime.blocks import Statement
from runtime.builtin import Return
from runtime.dtypes import bf16, f32, i32
from runtime.functions import Function, Module
from runtime.instructions import Instruction
from runtime.statistics import Unit, register_stats
from runtime.wrappers.ActivationOp import ActivationOp
from runtime.wrappers.TensorCopyOp import TensorCopyOp


class FoldCopiesBlindly(DotTransform):
    """Let a copy of a copy read what was copied first; wrong where a tensor is overwritten in between."""

    pass_name = "fold-copies-blindly"

    def transformTensorCopyOp(self, copy: TensorCopyOp) -> bool:
        first = copy.src
        if not isinstance(first, TensorCopyOp) or first.type is not first.src.type or self.why_not(first) is not None:
            return False
        copy.replaceUseOfWith(first, first.src.for_slot())
        return True

    def why_not(self, first: TensorCopyOp) -> str | None:
        return None


class FoldCopies(FoldCopiesBlindly):
    """Let a copy of a copy read what was copied first, where nothing is written in between."""

    pass_name = "fold-copies"

    def why_not(self, first: TensorCopyOp) -> str | None:
        source = first.src
        return why_not_read_later(source.tensor, [first]) if isinstance(source, NeuronAP) else None

    def why_kept(self, f: Function) -> Iterator[tuple[Statement, str]]:
        for copy in f.insts:
            first = copy.src if isinstance(copy, TensorCopyOp) else None
            if isinstance(first, TensorCopyOp) and (reason := self.why_not(first)) is not None:
                yield copy, reason


class NarrowSecretly(DotTransform):
    """Let each activation that gives f32 round to bf16, and widen the result again for its users."""

    pass_name = "narrow-secretly"
    narrowed: ClassVar[int] = 0
    register_stats(**{"Number of results narrowed": Unit.Count})

    def __init__(self) -> None:
        super().__init__()
        self.narrow: list[Instruction] = []

    def transformActivationOp(self, inst: ActivationOp) -> bool:
        if inst.dst is not None or inst.dtype is not f32 or inst in self.narrow or inst.rounding == "user":
            return False
        wide = TensorCopyOp(inst, dtype=f32)
        wide.insertAfter(inst)
        inst.mutateDstTy(bf16)
        inst.replaceAllUsesWithExcept(wide, wide)
        self.narrow.append(inst)
        NarrowSecretly.narrowed += 1
        return True


class Narrow(NarrowSecretly):
    """Do the same, and say so."""

    pass_name = "narrow"

    def __init__(self) -> None:
        super().__init__()
        self.added_roundings = self.narrow


class WidenSecretly(DotTransform):
    """Let each activation that gives bf16 to casts only give f32, whatever the author asked for."""

    pass_name = "widen-secretly"

    def __init__(self) -> None:
        super().__init__()
        self.wide: list[Instruction] = []

    def transformActivationOp(self, inst: ActivationOp) -> bool:
        users = inst.users
        if inst.dst is not None or inst.type.dtype is not bf16 or inst.src.type.dtype is not f32 or not users:
            return False
        if not all(isinstance(user, TensorCopyOp) and user.type.dtype is f32 and user.dst is None for user in users):
            return False
        inst.mutateDstTy(f32)
        self.wide.append(inst)
        return True


class Widen(WidenSecretly):
    """Do the same, and say so."""

    pass_name = "widen"

    def __init__(self) -> None:
        super().__init__()
        self.removed_roundings = self.wide


class Claims(DotTransform):
    """Change nothing, and say otherwise."""

    pass_name = "claims"

    def transformReturn(self, inst: Instruction) -> bool:
        return True


class NeverDone(DotTransform):
    """Change every copy once more in every run."""

    pass_name = "never-done"

    def transformTensorCopyOp(self, copy: TensorCopyOp) -> bool:
        copy.loc = f"{copy.loc or ''}again"
        return True


class Counts(DotTransform):
    """Count what it does not do."""

    pass_name = "counts"
    counted: ClassVar[int] = 0
    register_stats(counted=("Number of returns", Unit.Count))

    def transformReturn(self, inst: Instruction) -> None:
        Counts.counted += 1


class Breaks(DotTransform):
    """Let copies give integers, which an activation does not take."""

    pass_name = "breaks"

    def transformTensorCopyOp(self, inst: TensorCopyOp) -> bool:
        inst.mutateDstTy(i32)
        return True


class Gives(DotTransform):
    """Fail at the second copy that it sees."""

    pass_name = "gives-up"

    def __init__(self) -> None:
        super().__init__()
        self.seen = 0

    def transformTensorCopyOp(self, inst: TensorCopyOp) -> bool:
        self.seen += 1
        if self.seen > 1:
            raise LookupError("no idea")
        inst.loc = "seen"
        return True


class DropStores(DotTransform):
    """Leave out what copies write."""

    pass_name = "drop-stores"

    def transformTensorCopyOp(self, inst: TensorCopyOp) -> bool:
        if inst.dst is None:
            return False
        inst.eraseFromParent()
        return True


class NarrowAndDeny(Narrow):
    """Do what `narrow` does, and say that nothing changed."""

    pass_name = "narrow-and-deny"

    def runOnModule(self, module: Module) -> bool:
        super().runOnModule(module)
        return False


class NarrowAndMisstate(NarrowSecretly):
    """Do the same, and state the rounding of something that was never in the program."""

    pass_name = "narrow-and-misstate"

    def runOnModule(self, module: Module) -> bool:
        changed = super().runOnModule(module)
        self.removed_roundings = [Return()]
        return changed


def register(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put all passes of this module into the table of passes."""
    for cls in list(globals().values()):
        if isinstance(cls, type) and issubclass(cls, DotTransform) and cls.__module__ == __name__:
            monkeypatch.setitem(PASSES, cls.pass_name, (__name__, cls.__name__))
