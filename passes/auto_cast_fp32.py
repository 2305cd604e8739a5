"""Lets an f32 program compute in a narrower float: nothing of it, its matrix products, or all of it.

Before:

    tensor %x: f32[128,512] dram input
    tensor %y: f32[128,512] dram output
    tensor %t: f32[128,512] sbuf
    %t = sb_atom_load %x
    %a: f32[128,512] = activation gelu %t
    %b: f32[128,512] = tensor_tensor add %a, %a
    %y = sb_atom_store %b

After, with `mode=all`:

    tensor %t: bf16[128,512] sbuf
    %t = sb_atom_load %x                        // the DMA converts; with inline=false, f32 is loaded and a cast follows
    %a: bf16[128,512] = activation gelu %t
    %b: bf16[128,512] = tensor_tensor add %a, %a
    %y = sb_atom_store %b                       // the DMA converts back: the output keeps its declared f32

`mode=matmult` is what `passes/auto_cast_tc_inputs.py` does, `mode=none` changes nothing; the table of modes and types
is in `passes/autocast/modes.py` (`all` with tf32 means `matmult`). `AutoCastFP32.of("all-fp32r")` takes the compiler's
own names.

It must not change
- the declared dtype of arguments, input and output tensors, constants and returned values: casts stand at the boundary;
- integers, booleans and floats that are narrow already; operands that are always f32, indices, what is reinterpreted;
- opaque instructions, calls, and operators without a definition: they read and give f32;
- what lies in PSUM, which holds f32. The tensor engine of trn3 may write bf16 there, and the chain never asks for it:
  whoever takes a product from PSUM converts it on the way, for nothing, so no instruction would go; a sum of several
  products would be rounded after each; and in the source no flag changes what PSUM holds. A program that asks for bf16
  there itself keeps it;
- a result whose author asked for its rounding, an explicit conversion from a narrower float to f32, or what a
  definition says keeps its dtype, must not change, or runs in f32; what was promoted to the accumulation dtype;
- what its definition does not let be narrow where it stands (`passes/trials.py`): a DMA that moves bytes converts
  nothing, and what copies elements as they are is narrow as a whole or not at all, without a cast in front of it;
- what an instruction with predicates reads, unless that is there in all iterations, in which a cast would run;
- a result of the chip that is only read as f32 (returned, read by what nothing is known of, a scalar of each
  partition), maybe transposed, which would be rounded to be widened at once.

Why it is safe. The program computes, bit for bit, what it computed before with the results of `added_roundings`
rounded to the narrow float. A copy of what became narrow is gone, and none that rounds. A second run changes nothing:
what became narrow is no f32 any more, and what stayed f32 stays for the same reason. Range is not looked at: an
overflow to infinity is what the narrow float gives. For a policy with guards see `passes/auto_mixed_precision.py`.

Departures from the source: inputs are cast where they are read and keep their dtype; operands that are no f32 are
never cast; a load converts, or a cast follows it, not both; every mode has its line in the table; scalars in
attributes stay as they are, since the engines take them as f32; with `inline`, an engine reads f32 that stays f32
without a cast of its own.

Source: penguin, AutoCastFP32.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from passes.auto_cast_tc_inputs import INLINE_HELP, TYPE_HELP, AutoCastTCInputs, CastType
from passes.autocast.modes import SPELLINGS, CastMode, mode_of
from passes.framework.options import option


@dataclass(frozen=True)
class AutoCastFP32Options:
    """What may be asked of the pass."""

    mode: Literal["none", "matmult", "all"] = option("none", "what is narrowed")
    type: CastType = option("bf16", TYPE_HELP, aliases=SPELLINGS)
    inline: bool = option(True, INLINE_HELP)


class AutoCastFP32(AutoCastTCInputs):
    """Let an f32 program compute in a narrower float: nothing, its matrix products, or all of it."""

    pass_name = "auto-cast-fp32"
    Options: ClassVar[type] = AutoCastFP32Options

    def _mode(self) -> CastMode:
        return mode_of(self.options.mode, self.options.type)
