"""Programs of offloaded copies and casts, whose passes `bench/pass_growth.py` measures.

Groups of a chain of slices, reshapes, transpositions, casts and a join; one chain, each of whose copies reads the one
before; a hub that every statement copies and that is stored to as often; and joins of very many parts.
"""

from collections.abc import Callable

from generated.neuron.OffloadedMemSetGen import OffloadedMemSetGen
from generated.neuron.SBAtomLoadGen import SBAtomLoadGen
from runtime.access import NeuronAP
from runtime.builder import Builder
from runtime.builtin import Return
from runtime.dtypes import DType, bf16, f32
from runtime.functions import Function, Module
from runtime.targets import trn2
from runtime.tensors import Tensor
from runtime.wrappers.OffloadedConcat import OffloadedConcat
from runtime.wrappers.OffloadedMemCast import OffloadedMemCast
from runtime.wrappers.OffloadedMemCpy import OffloadedMemCpy
from runtime.wrappers.OffloadedSlice import OffloadedSlice
from runtime.wrappers.OffloadedTranspose import OffloadedTranspose

ROWS = [(64, 128), (1, 32)]  # every other column's half of a [128,64]


class Builds(Builder):
    """A builder that numbers its tensors."""

    def __init__(self) -> None:
        self.module = Module(target=trn2.name)
        super().__init__(self.module.add_function(Function("main")))
        self.count = 0

    def make(self, shape: tuple[int, ...], dtype: DType = f32, memory: str = "dram") -> Tensor:
        """Add a tensor."""
        self.count += 1
        return self.tensor(f"t{self.count}", dtype, shape, memory)

    def finish(self) -> Module:
        """Return the program."""
        self.insert(Return())
        return self.module


def groups(statements: int) -> Module:
    """Return a program of groups of ten statements, most of which go."""
    build = Builds()
    x = build.tensor("x", f32, (128, 64), "dram", isInput=True)
    for _ in range(statements // 10):
        half, flat, other = build.make((128, 32)), build.make((4096,)), build.make((128, 32))
        turned, back, joined = build.make((32, 128)), build.make((128, 32)), build.make((128, 64))
        narrow, copied, wide = build.make((128, 64), bf16), build.make((8192,), bf16), build.make((8192,))
        build.insert(OffloadedSlice(NeuronAP(x, ROWS), dst=NeuronAP(half)))
        build.insert(OffloadedMemCpy(NeuronAP(half), dst=NeuronAP(flat)))
        build.insert(OffloadedSlice(NeuronAP(x, ROWS, 32), dst=NeuronAP(other)))
        build.insert(OffloadedTranspose(NeuronAP(other), [1, 0], dst=NeuronAP(turned)))
        build.insert(OffloadedTranspose(NeuronAP(turned), [1, 0], dst=NeuronAP(back)))
        build.insert(OffloadedConcat([NeuronAP(half), NeuronAP(back)], 1, dst=NeuronAP(joined)))
        build.insert(OffloadedMemCast(NeuronAP(joined), dst=NeuronAP(narrow)))
        build.insert(OffloadedMemCpy(NeuronAP(narrow), dst=NeuronAP(copied)))
        build.insert(OffloadedMemCast(NeuronAP(copied), dst=NeuronAP(wide)))
        sbuf = build.make((64, 128), memory="sbuf")
        build.insert(SBAtomLoadGen(NeuronAP(wide, [(128, 64), (1, 128)]), dst=NeuronAP(sbuf)))
    return build.finish()


def chain(statements: int) -> Module:
    """Return one chain of copies and casts, back and forth, to an output."""
    build = Builds()
    last = build.tensor("x", bf16, (128, 64), "dram", isInput=True)
    for number in range(statements):
        if number % 3:
            new = build.make((128, 64), last.dtype)
            build.insert(OffloadedMemCpy(NeuronAP(last), dst=NeuronAP(new)))
        else:
            new = build.make((128, 64), f32 if last.dtype is bf16 else bf16)
            build.insert(OffloadedMemCast(NeuronAP(last), dst=NeuronAP(new)))
        last = new
    out = build.tensor("y", last.dtype, (128, 64), "dram", isOutput=True)
    build.insert(OffloadedMemCpy(NeuronAP(last), dst=NeuronAP(out)))
    return build.finish()


def hub(statements: int) -> Module:
    """Return a program in which one tensor is stored to, copied, converted and loaded all the time."""
    build = Builds()
    x, sbuf = build.make((128, 64)), build.make((128, 32), memory="sbuf")
    build.insert(OffloadedMemSetGen(0.5, dst=NeuronAP(x)))
    for number in range(statements // 5):
        half, narrow, moved = build.make((128, 32)), build.make((128, 64), bf16), build.make((128, 64), bf16)
        build.insert(OffloadedSlice(NeuronAP(x, ROWS), dst=NeuronAP(half)))
        build.insert(SBAtomLoadGen(NeuronAP(half), dst=NeuronAP(sbuf)))
        build.insert(OffloadedMemCast(NeuronAP(x), dst=NeuronAP(narrow)))
        build.insert(OffloadedMemCpy(NeuronAP(narrow), dst=NeuronAP(moved)))
        build.insert(OffloadedMemSetGen(float(number), dst=NeuronAP(x, [(64, 128), (1, 1)])))
    return build.finish()


def joins(statements: int) -> Module:
    """Return a program in which very many parts are joined, by one concatenation and by one of one of one."""
    build = Builds()
    x = build.tensor("x", f32, (statements, 4), "dram", isInput=True)
    parts = []
    for number in range(statements // 2):
        part = build.make((1, 4))
        build.insert(OffloadedSlice(NeuronAP(x, [(4, 1), (1, 4)], 4 * number), dst=NeuronAP(part)))
        parts.append(NeuronAP(part))
    whole = build.tensor("whole", f32, (len(parts), 4), "dram", isOutput=True)
    build.insert(OffloadedConcat(parts, 0, dst=NeuronAP(whole)))
    last = build.make((1, 4))
    build.insert(OffloadedMemSetGen(0.5, dst=NeuronAP(last)))
    for number in range(statements // 4):
        part = build.make((1, 4))
        build.insert(OffloadedMemSetGen(float(number), dst=NeuronAP(part)))
        joined = build.make((number + 2, 4))
        build.insert(OffloadedConcat([NeuronAP(last), NeuronAP(part)], 0, dst=NeuronAP(joined)))
        last = joined
    out = build.tensor("y", f32, last.known_shape, "dram", isOutput=True)
    build.insert(OffloadedMemCpy(NeuronAP(last), dst=NeuronAP(out)))
    return build.finish()


PROGRAMS: dict[str, Callable[[int], Module]] = {
    "offloaded groups": groups,
    "offloaded chain": chain,
    "offloaded hub": hub,
    "offloaded joins": joins,
}
