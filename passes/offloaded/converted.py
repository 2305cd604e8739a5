"""What writes a tensor, and can convert as it does: a copy, a slice, a cast, a sum, a fill.

Each of these takes the elements to f32 and rounds them on the way out, as the cast behind it does. So one that writes
the cast's dtype gives what the two give one after the other, wherever the first of them rounds nothing:
- a copy or a slice rounds nothing;
- a sum rounds nothing on the way out where it writes f32, in which it is computed;
- a fill is of the number that it had been rounded to;
- a cast rounds nothing where its result holds every value of its source, and f32 does: the conversion goes through it.
  A NaN keeps its sign through a cast and nothing else is said of it (`runtime/number_formats.md`), so a cast there and
  back is a copy.
"""

from __future__ import annotations

from math import isfinite

from generated.neuron.OffloadedMemSetGen import OffloadedMemSetGen
from passes.offloaded.access_rules import MOVES, why_not_moved
from runtime.access import NeuronAP
from runtime.arithmetic import widen
from runtime.constants import Constant
from runtime.dtypes import DType, f32, f64, holds
from runtime.instructions import Instruction, NeuronInst
from runtime.rounding import cast_array
from runtime.values import Operand
from runtime.wrappers.OffloadedFMA import OffloadedFMA
from runtime.wrappers.OffloadedMemCast import OffloadedMemCast
from runtime.wrappers.OffloadedMemCpy import OffloadedMemCpy


def is_exact(source: DType, result: DType) -> bool:
    """Whether a cast by DMA, which goes through f32, rounds nothing."""
    return holds(f32, source) and holds(result, source)


def why_not_converted(producer: Instruction, cast: OffloadedMemCast) -> str | None:
    """Return why `producer` could not write what `cast` makes of its result."""
    reason = why_not_moved(producer)
    if reason is not None or isinstance(producer, MOVES):
        return reason
    mnemonic, written = producer.INFO.mnemonic, producer.type.dtype
    if isinstance(producer, OffloadedMemCast):
        source = producer.src.type.dtype
        if source is None or written is None or not is_exact(source, written):
            return f"{mnemonic} rounds, {source} to {written}"
        return why_not_moved(cast) if cast.type.dtype is source else None
    if isinstance(producer, OffloadedFMA):
        return None if written is f32 else f"{mnemonic} rounds to {written}"
    if isinstance(producer, OffloadedMemSetGen):
        return None if _filled(producer) is not None else f"{mnemonic} fills with what has no number"
    return f"{mnemonic} does not convert as it writes"


def converted(producer: NeuronInst, cast: OffloadedMemCast, dst: NeuronAP) -> NeuronInst:
    """Return an instruction that writes to `dst` what `cast` makes of the result of `producer`; it stands nowhere."""
    new = _converted(producer, dst)
    new.engine, new.loc = producer.assigned_engine, producer.loc
    if cast.rounding is not None:
        new.rounding = cast.rounding
    return new


def _converted(producer: NeuronInst, dst: NeuronAP) -> NeuronInst:
    if isinstance(producer, OffloadedMemSetGen):
        value = _filled(producer)
        assert value is not None, "why_not_converted has looked"
        return OffloadedMemSetGen(value, dst=dst)
    if isinstance(producer, OffloadedFMA):
        srcs = [_own(source) for source in producer.srcs]
        tiled, tiles = producer.is_tiled, producer.num_tiles
        return OffloadedFMA(srcs, producer.scales, is_tiled=tiled, num_tiles=tiles, dst=dst)
    assert isinstance(producer, (OffloadedMemCast, *MOVES))
    same = producer.src.type.dtype is dst.type.dtype
    return (OffloadedMemCpy if same else OffloadedMemCast)(_own(producer.src), dst=dst)


def _filled(producer: OffloadedMemSetGen) -> float | None:
    """Return the number that a fill rounds its own to, in f32; None where that is none."""
    dtype = producer.type.dtype
    assert dtype is not None
    rounded = widen(cast_array(Constant.of([producer.value], f64).array, f64, dtype))
    value = float(rounded[0])
    return value if isfinite(value) else None


def _own(operand: Operand) -> Operand:
    return operand.copy() if isinstance(operand, NeuronAP) else operand
