"""How a value is converted: to which dtype, and with which scales.

    CastConfig.plain(bf16)                                 %y: bf16[4,64] = graph.cast %x
    CastConfig(f8e4m3fn, sf_block=(1, 32), round_sf=True)  %y: f8e4m3fn[4,64], %s: f32[4,2] =
                                                             graph.block_cast %x block 1 x 32 {round_scales = true}

Deliberately absent: where a conversion stands, and choices. Policies convert plainly; blocks are for whoever asks.

Source: RLX compiler, rlx-compile/src/precision.rs, CastConfig.
"""

from __future__ import annotations

from dataclasses import dataclass

from generated.graph.BlockCastGen import BlockCastGen
from generated.graph.CastGen import CastGen
from runtime.dtypes import DType
from runtime.instructions import GraphInst
from runtime.types import Type
from runtime.values import Operand, Result
from runtime.wrappers.BlockUncast import BlockUncast


@dataclass(frozen=True)
class CastConfig:
    """A dtype, and for scaled conversions the block (rows, columns) that shares a scale.

    With `round_sf` the scales are powers of two (UE8M0); it means nothing without a block.
    """

    out_dtype: DType
    sf_block: tuple[int, int] | None = None
    round_sf: bool = False

    @classmethod
    def plain(cls, out_dtype: DType) -> CastConfig:
        """Return a conversion without scales."""
        return cls(out_dtype)

    def is_noop(self, in_dtype: DType) -> bool:
        """Whether it does nothing to a value of this dtype."""
        return self.out_dtype is in_dtype and self.sf_block is None

    def cast(self, value: Operand, loc: str | None = None) -> GraphInst:
        """Return an instruction that stands nowhere yet and converts a value; its second result are the scales."""
        if self.sf_block is None:
            return CastGen(value, dtype=self.out_dtype, loc=loc)
        rows, cols = self.sf_block
        made = BlockCastGen(value, rows, cols, round_scales=self.round_sf, loc=loc)
        made.type = made.type.with_dtype(self.out_dtype)
        return made

    def uncast(self, cast: GraphInst, dtype: DType) -> tuple[GraphInst, ...]:
        """Return the instructions, in order, that give what `cast` of this configuration holds in another dtype."""
        if self.sf_block is None:
            return (CastGen(cast, dtype=dtype),)
        rows, cols = self.sf_block
        scales = cast.results[1]
        assert isinstance(scales, Result) and isinstance(cast.type, Type)
        wide = BlockUncast(cast, scales, rows, cols)
        return (wide,) if wide.type.dtype is dtype else (wide, CastGen(wide, dtype=dtype))
