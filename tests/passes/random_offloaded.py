"""Random programs of offloaded copies and conversions, for passes that fold them: chains over tensors in DRAM.

Copies, reshapes, slices, transpositions, broadcasts, concatenations, casts, sums, fills, loads and stores; tensors that
are overwritten between a copy and its users, read by several, written by parts, carried from one iteration to the next;
loops, branches, predicates, barriers, dependencies, roundings that the author asked for.

Made as text, as those of `random_chains.py`. Each tensor is written whole before anybody reads it. What a statement
gives is read by the next few more often than not, so that chains come about.
"""

from dataclasses import dataclass, field
from math import prod
from random import Random

from runtime.instruction_set import standard
from runtime.text.parser import parse
from runtime.text.printer import print_module

DTYPES = ("f32", "f32", "bf16", "bf16", "f16", "i32", "u8", "f8e4m3")
Shape = tuple[int, ...]
SHAPES: tuple[Shape, ...] = ((4, 6), (6, 4), (2, 12), (24,), (2, 3, 4), (4, 3, 2))


@dataclass(frozen=True)
class Known:
    """A tensor that has been written."""

    name: str
    dtype: str
    shape: Shape

    @property
    def size(self) -> int:
        return prod(self.shape)


@dataclass
class Program:
    """A program in the making."""

    random: Random
    declared: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    count: int = 0
    marks: list[int] = field(default_factory=list)  # that a later statement of the outermost block may depend on

    def add(self, depth: int, text: str) -> None:
        self.lines.append("  " * (depth + 1) + text)

    def tensor(self, dtype: str, shape: Shape, memory: str = "dram") -> Known:
        self.count += 1
        name = f"%t{self.count}"
        what = " output" if self.random.random() < 0.08 else ""
        self.declared.append(f"  tensor {name}: {dtype}{shown(shape)} {memory}{what}")
        return Known(name, dtype, shape)

    def give(self, depth: int, known: list[Known], dtype: str, shape: Shape, text: str) -> Known:
        """Fill a tensor, most often one that is not there yet; else one that is, which somebody may have read."""
        alike = [each for each in known if (each.dtype, each.shape) == (dtype, shape)]
        reading = text.split()
        alike = [each for each in alike if not any(word.startswith(each.name) for word in reading)]
        old = bool(alike) and self.random.random() < 0.18
        into = self.random.choice(alike) if old else self.tensor(dtype, shape)
        self.add(depth, f"{into.name} = {text}{self.asked_for(depth)}")
        if into not in known:
            known.append(into)
        return into

    def asked_for(self, depth: int) -> str:
        """Return what is said of a statement, now and then: whose rounding it is, what it comes after."""
        said = []
        if self.random.random() < 0.03:
            said.append("rounding = user")
        if depth == 0 and self.random.random() < 0.03:
            self.marks.append(len(self.marks))
            said.append(f"mark = {self.marks[-1]}")
        elif depth == 0 and self.marks and self.random.random() < 0.05:
            said.append(f"dependencies = [ordered {self.random.choice(self.marks)}]")
        return f" {{{', '.join(said)}}}" if said else ""


def random_offloaded(seed: int, statements: int = 14) -> str:
    """Return a program in canonical text."""
    program = Program(Random(seed))
    known = [Known("%x", "f32", (4, 6)), Known("%n", "bf16", (6, 4)), Known("%k", "u8", (2, 3, 4))]
    declared = [f"  tensor {each.name}: {each.dtype}{shown(each.shape)} dram input" for each in known]
    _fill(program, known, 0, statements)
    for each in known[-4:]:
        _observe(program, each, 0)
    program.add(0, "return")
    body = "\n".join([*declared, *program.declared, *program.lines])
    return print_module(parse(f"target trn2\n\nfunc @main(%b: bool[]) {{\n{body}\n}}\n", standard()))


def _fill(program: Program, known: list[Known], depth: int, statements: int) -> None:
    random = program.random
    often = (_copy, _slice, _transpose, _concat, _cast)
    kinds = [*often, *often, _cast, _broadcast, _set, _sum, _overwrite, _overwrite_part, _replace, _on_chip, _barrier]
    while statements > 0:
        statements -= 1
        if depth < 2 and statements > 3 and random.random() < 0.14:
            inside = random.randrange(2, 6)
            statements -= inside
            random.choice((_loop, _loop, _branch))(program, known, depth, inside)
            continue
        random.choice(kinds)(program, known, depth)
        if random.random() < 0.12:
            _observe(program, random.choice(known[-3:]), depth)


def _recent(program: Program, known: list[Known]) -> Known:
    return program.random.choice(known[-2:] if program.random.random() < 0.75 else known)


def _copy(program: Program, known: list[Known], depth: int) -> None:
    source = _recent(program, known)
    shape = source.shape
    if program.random.random() < 0.4:
        shape = program.random.choice([each for each in SHAPES if prod(each) == source.size] or [shape])
    program.give(depth, known, source.dtype, shape, f"offloaded_mem_cpy {source.name}")


def _slice(program: Program, known: list[Known], depth: int) -> None:
    source = _recent(program, known)
    part, shape = _part(program.random, source)
    kind = program.random.choice(("offloaded_slice", "offloaded_slice", "offloaded_mem_cpy"))
    program.give(depth, known, source.dtype, shape, f"{kind} {source.name}{part}")


def _part(random: Random, source: Known, axis: str = "") -> tuple[str, Shape]:
    """Return an access to a part of a tensor, every one or two elements of each dimension, and its shape."""
    offset, pairs, moves = 0, [], ""
    stride = source.size
    for extent in source.shape:
        stride //= extent
        every = random.choice((1, 1, 1, 2))
        count = max(1, extent // every)
        if random.random() < 0.4:
            count = random.randint((count + 1) // 2, count)
        begin = random.randint(0, extent - 1 - (count - 1) * every)
        if axis and not moves and begin + (count - 1) * every + 1 < extent:
            moves = f" + {stride}*{axis}"
        offset += begin * stride
        pairs.append((stride * every, count))
    walked = ", ".join(f"{step}:{num}" for step, num in pairs)
    return f"[{offset}{moves} | {walked}]", tuple(num for _, num in pairs)


def _transpose(program: Program, known: list[Known], depth: int) -> None:
    source = _recent(program, known)
    random, taken, said = program.random, source.shape, ""
    if random.random() < 0.4:
        taken = random.choice([each for each in SHAPES if prod(each) == source.size] or [taken])
        said = "" if taken == source.shape else f" {{src_shape = {list(taken)}}}"
    order = list(range(len(taken)))
    random.shuffle(order)
    shape = tuple(taken[dim] for dim in order)
    if random.random() < 0.15:
        shape = random.choice([each for each in SHAPES if prod(each) == source.size] or [shape])
    into = program.tensor(source.dtype, shape)
    program.add(depth, f"{into.name} = offloaded_transpose {source.name} permutation {order}{said}")
    known.append(into)


def _broadcast(program: Program, known: list[Known], depth: int) -> None:
    source = _recent(program, known)
    if source.size > 60 or len(source.shape) > 3:
        return
    at = program.random.randrange(len(source.shape) + 1)
    shape = (*source.shape[:at], program.random.choice((1, 2, 3)), *source.shape[at:])
    program.give(depth, known, source.dtype, shape, f"offloaded_broadcast {source.name} broadcast_dims [{at}]")


def _concat(program: Program, known: list[Known], depth: int) -> None:
    random, source = program.random, _recent(program, known)
    dim = random.randrange(len(source.shape))
    if random.random() < 0.5:
        sources = _neighbours(program, known, depth, source, dim)
    else:
        alike = [each for each in known if each.dtype == source.dtype and _but(each, dim) == _but(source, dim)]
        sources = [random.choice(alike[-3:]) for _ in range(random.choice((1, 2, 2, 3)))]
    extent = sum(each.shape[dim] for each in sources)
    shape = (*source.shape[:dim], extent, *source.shape[dim + 1 :])
    if prod(shape) > 100:
        return
    names = ", ".join(each.name for each in sources)
    program.give(depth, known, source.dtype, shape, f"offloaded_concat {names} dim {dim}")


def _neighbours(program: Program, known: list[Known], depth: int, source: Known, dim: int) -> list[Known]:
    """Cut a tensor in two along a dimension; sometimes the parts do not meet."""
    random, extent, parts = program.random, source.shape[dim], []
    if extent < 2:
        return [source]
    cut = random.randrange(1, extent)
    stride = prod(source.shape[dim + 1 :])
    steps = [prod(source.shape[at + 1 :]) for at in range(len(source.shape))]
    for begin, end in ((0, cut), (cut if random.random() < 0.8 else max(cut - 1, 0), extent)):
        shape = (*source.shape[:dim], end - begin, *source.shape[dim + 1 :])
        walked = ", ".join(f"{step}:{num}" for step, num in zip(steps, shape, strict=True))
        part = f"[{begin * stride} | {walked}]"
        parts.append(program.give(depth, known, source.dtype, shape, f"offloaded_slice {source.name}{part}"))
    return parts


def _but(known: Known, dim: int) -> tuple[int | None, ...] | None:
    return (*known.shape[:dim], None, *known.shape[dim + 1 :]) if dim < len(known.shape) else None


def _cast(program: Program, known: list[Known], depth: int) -> None:
    source = _recent(program, known)
    dtype = program.random.choice([each for each in DTYPES if each != source.dtype])
    shape = source.shape
    if program.random.random() < 0.15:
        shape = program.random.choice([each for each in SHAPES if prod(each) == source.size] or [shape])
    into = program.give(depth, known, dtype, shape, f"offloaded_mem_cast {source.name}")
    if program.random.random() < 0.4:  # back again
        program.give(depth, known, source.dtype, shape, f"offloaded_mem_cast {into.name}")


def _set(program: Program, known: list[Known], depth: int) -> None:
    dtype, shape = program.random.choice(DTYPES), program.random.choice(SHAPES)
    program.give(depth, known, dtype, shape, f"offloaded_mem_set {program.random.choice((0.1, 1.0, 300.7, -2.5))}")


def _sum(program: Program, known: list[Known], depth: int) -> None:
    source = _recent(program, known)
    other = program.random.choice([each for each in known if each.shape == source.shape])
    text = f"offloaded_fma {source.name}, {other.name} scales [0.5, 2.0]"
    program.give(depth, known, program.random.choice(("f32", "f32", "bf16")), source.shape, text)


def _own(known: list[Known]) -> list[Known]:
    return [each for each in known if each.name not in ("%x", "%n", "%k")]


def _overwrite(program: Program, known: list[Known], depth: int) -> None:
    own = _own(known)
    if own:
        into = program.random.choice(own)
        program.add(depth, f"{into.name} = offloaded_mem_set {program.random.choice((0.1, 3.0))}")


def _overwrite_part(program: Program, known: list[Known], depth: int) -> None:
    own = _own(known)
    if own:
        into = program.random.choice(own)
        part, _ = _part(program.random, into)
        program.add(depth, f"{into.name}{part} = offloaded_mem_set {program.random.choice((0.1, 3.0))}")


def _replace(program: Program, known: list[Known], depth: int) -> None:
    """Prepare what a tensor is to hold next, read what it holds still, and put it there."""
    random, own = program.random, _own(known)
    if not own:
        return
    old = random.choice(own[-4:])
    fresh = program.tensor(random.choice((old.dtype, "f32")), old.shape)
    program.add(depth, f"{fresh.name} = offloaded_mem_set {random.choice((0.1, 3.0))}")
    if random.random() < 0.8:
        _observe(program, old, depth)
    kind = "offloaded_mem_cpy" if fresh.dtype == old.dtype else "offloaded_mem_cast"
    program.add(depth, f"{old.name} = {kind} {fresh.name}")


def _on_chip(program: Program, known: list[Known], depth: int) -> None:
    """Load a tensor of two dimensions, compute and store; the values that go through are f32."""
    random = program.random
    flat = [each for each in known[-4:] if len(each.shape) == 2 and each.dtype in ("f32", "bf16", "f16")]
    if not flat:
        return
    source = random.choice(flat)
    part, shape = ("", source.shape) if random.random() < 0.5 else _part(random, source)
    held = program.tensor(source.dtype, shape, "sbuf")
    program.add(depth, f"{held.name} = sb_atom_load {source.name}{part}")
    if random.random() < 0.5:
        copied = program.tensor(source.dtype, shape, "sbuf")
        program.add(depth, f"{copied.name} = offloaded_mem_cpy {held.name}")
        held = copied
    if random.random() < 0.3:
        program.add(depth, f"{held.name} = activation relu {held.name}")
    program.give(depth, known, source.dtype, shape, f"sb_atom_store {held.name}")


def _barrier(program: Program, known: list[Known], depth: int) -> None:
    if program.random.random() < 0.4:
        program.add(depth, "opt_barrier")


def _loop(program: Program, known: list[Known], depth: int, statements: int) -> None:
    random, axis = program.random, f"%i{len(program.lines)}"
    program.add(depth, f"for {axis} = 0 step 1 times 2 {{")
    source = _recent(program, known)
    part, shape = _part(random, source, axis)
    inner = known if random.random() < 0.5 else list(known)
    program.give(depth + 1, inner, source.dtype, shape, f"offloaded_slice {source.name}{part}")
    _fill(program, inner, depth + 1, statements)
    own = _own(inner)
    if own and random.random() < 0.4:
        when = f"predicates = [0 + 1*{axis} {random.choice(('== 0', '>= 1'))}]"
        program.add(depth + 1, f"{random.choice(own).name} = offloaded_mem_set 7.0 {{{when}}}")
    program.add(depth, "}")


def _branch(program: Program, known: list[Known], depth: int, statements: int) -> None:
    name = f"%r{len(program.lines)}"
    program.add(depth, f"{name}: bool[] = graph.if %b then {{")
    _fill(program, list(known), depth + 1, statements)
    program.add(depth + 1, "yield %b")
    program.add(depth, "} else {")
    program.add(depth + 1, "yield %b")
    program.add(depth, "}")


def _observe(program: Program, each: Known, depth: int) -> None:
    """Let an output be what a tensor holds now; one that a branch may not write is filled at the start."""
    name = f"%o{len(program.declared)}"
    program.declared.append(f"  tensor {name}: {each.dtype}{shown(each.shape)} dram output")
    if depth or program.random.random() < 0.3:
        program.lines.insert(0, f"  {name} = offloaded_mem_set 0.0")
    program.add(depth, f"{name} = {program.random.choice(('dma_copy', 'offloaded_mem_cpy'))} {each.name}")


def shown(shape: Shape) -> str:
    """Return a shape as it is written behind a dtype."""
    return f"[{','.join(map(str, shape))}]"
