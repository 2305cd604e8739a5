"""Rounds what a program receives to a narrower float, and leaves everything else as it is.

Before:

    tensor %x: f32[128,512] dram input
    tensor %t: f32[128,512] sbuf
    %t = sb_atom_load %x
    %y: f32[128,512] = activation gelu %t

After:

    tensor %x: f32[128,512] dram input
    tensor %t: bf16[128,512] sbuf
    %t = sb_atom_load %x                        // the DMA converts
    %y: f32[128,512] = activation gelu %t

An argument, or with `inline=false` also a load, gets one cast, which its users read; whoever takes f32 only reads it
widened again. A gather of rows converts them as a load does. An access to an input tensor on the chip gets a cast in
front of the instruction.

It must not fire on inputs that are no f32, that nobody uses but conversions to the narrow float, or whose users are
returns and instructions of which nothing is known. Constants are no inputs. The declared dtype of an input
never changes.

Why it is safe. Values from outside are rounded where they come in, and nothing else: `added_roundings` names the
loads, the writers of tensors and the casts. A second run finds that nobody but those conversions reads f32.

Source: penguin, AutoCastInputs; departure: the input tensor keeps its dtype, so that the caller need not change.
"""

from __future__ import annotations

from dataclasses import replace

from passes.auto_cast_tc_inputs import AutoCastTCInputs
from passes.autocast.modes import CastMode


class AutoCastInputs(AutoCastTCInputs):
    """Round what a program receives to a narrower float."""

    pass_name = "auto-cast-inputs"

    def _mode(self) -> CastMode:
        return replace(super()._mode(), scope="inputs")
