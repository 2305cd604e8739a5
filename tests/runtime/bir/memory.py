"""How much memory writing or reading a program needs at most, in units of the program's own; one figure a process.

`python -m tests.runtime.bir.memory write|read traced|resident N FILE`: `read` after `write`. `traced` is what Python
allocates, `resident` what the process holds; both without what was there before the program.
"""

import resource
import sys
import tracemalloc
from pathlib import Path

from generated.graph.IfGen import IfGen
from generated.neuron.TensorTensorOpGen import TensorTensorOpGen
from runtime.bir import read_bir, write_bir
from runtime.builder import Builder
from runtime.builtin import Return, Yield
from runtime.dtypes import bool_, f32
from runtime.functions import Function, Module
from runtime.garbage import paused_gc
from runtime.instruction_set import standard
from runtime.types import Type
from runtime.values import Value
from runtime.wrappers.ActivationOp import ActivationOp


def program(n: int) -> Module:
    """Return a program of about `n` instructions: a third each in the function, in a loop, and in a branch."""
    module = Module("trn2")
    builder = Builder(module.add_function(Function("main")))
    x: Value = builder.function.body.add_argument(Type.tensor(f32, (128, 512)), "x")
    condition = builder.function.body.add_argument(Type.tensor(bool_, ()), "c")
    with paused_gc():
        chain(builder, x, n // 3)
        with builder.loop("i", 4):
            chain(builder, x, n // 3)
        branch = builder.insert(IfGen(condition, result_types=[x.type]))
        for block, count in zip(branch.blocks, (n // 3, 1), strict=True):
            with builder.at(block):
                builder.insert(Yield([chain(builder, x, count)]))
        builder.insert(Return([branch]))
    return module


def chain(builder: Builder, value: Value, n: int) -> Value:
    """Insert two kinds of instructions, each of which reads the one before it."""
    for _ in range(n // 2):
        left = builder.insert(ActivationOp(value, "gelu"))
        value = builder.insert(TensorTensorOpGen(left, value, "add"))
    return value


def resident() -> int:
    """Return the bytes that the process holds."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()


def most_resident() -> int:
    """Return the most bytes that the process has held; `getrusage` counts those of the process that started it, too."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def main(what: str, how: str, n: int, file: Path) -> float:
    """Return the highest memory in units of the program's own."""
    small = file.with_suffix(".small")
    write_bir(program(30), small)
    read_bir(small, standard())  # lazy imports and caches are no part of what a program costs
    if how == "traced":
        tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0] if how == "traced" else resident()
    if what == "read":
        kept = read_bir(file, standard())
        assert sum(1 for _ in kept.insts) >= n * 0.99
        own = float(file.with_suffix(f".{how}").read_text(encoding="ascii"))
    else:
        kept = program(n)
        own = (tracemalloc.get_traced_memory()[0] if how == "traced" else resident()) - before
        file.with_suffix(f".{how}").write_text(str(own), encoding="ascii")
        write_bir(kept, file)
    highest = tracemalloc.get_traced_memory()[1] if how == "traced" else most_resident()
    return (highest - before) / own


if __name__ == "__main__":
    print(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4])))
