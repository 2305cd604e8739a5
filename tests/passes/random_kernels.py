"""Random programs with what a kernel has: inputs in DRAM, loads, products in PSUM, loops, regions, stores, constants.

Made as text, as those of `random_chains.py`. In a loop a store may run in one of the two iterations only. Every value
has one shape, [4,4], so that anything may be multiplied with anything, but for what is reduced, [4,1], and only serves
as a bias. Every tensor is written before the first statement.
"""

from dataclasses import dataclass, field
from random import Random

from runtime.instruction_set import standard
from runtime.text.parser import parse
from runtime.text.printer import print_module

DTYPES = ("f32", "f32", "f32", "bf16", "f16")
SHAPE = "[4,4]"

Values = list[tuple[str, str]]  # name, dtype


@dataclass
class Kernel:
    """A program in the making."""

    random: Random
    lines: list[str] = field(default_factory=list)
    count: int = 0
    tensors: dict[str, str] = field(default_factory=dict)  # in SBUF: name -> dtype
    axes: list[str] = field(default_factory=list)  # of the loops around the next statement

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def add(self, depth: int, text: str) -> None:
        self.lines.append("  " * (depth + 1) + text)

    def store(self, depth: int, text: str) -> None:
        """Add an instruction that writes a tensor, in a loop now and then in one of the two iterations only."""
        when = ""
        if self.axes and self.random.random() < 0.3 and not text.endswith("}"):
            when = f" {{predicates = [{self.random.choice(('0', '-2'))} + 1*{self.random.choice(self.axes)} == 0]}}"
        self.add(depth, text + when)

    def give(self, depth: int, values: Values, dtype: str, text: str) -> str:
        """Add an instruction with a result."""
        name = self.fresh()
        mark = " {rounding = user}" if self.random.random() < 0.04 and not text.endswith("}") else ""
        self.add(depth, f"{name}: {dtype}{SHAPE} = {text}{mark}")
        values.append((name, dtype))
        return name


def random_kernel(seed: int, statements: int = 22) -> str:
    """Return a program in canonical text."""
    kernel = Kernel(Random(seed))
    random = kernel.random
    for number in range(3):
        kernel.tensors[f"%t{number}"] = random.choice(("f32", "f32", "f32", "bf16"))
    for name, dtype in kernel.tensors.items():
        kernel.add(0, f"tensor {name}: {dtype}{SHAPE} sbuf")
    for declared in ("%in: f32[4,4] dram input", "%w: f32[4,4] dram const = dense<0.3>", "%p: f32[4,4] psum"):
        kernel.add(0, f"tensor {declared}")
    for declared in ("%scratch: f32[4,4] dram", "%y: f32[4,4] dram output", "%z: f32[4,4] sbuf output"):
        kernel.add(0, f"tensor {declared}")
    values: Values = [("%x", "f32"), ("%n", "bf16")]
    for name in kernel.tensors:
        kernel.add(0, f"{name} = {random.choice(('sb_atom_load %in', 'sb_atom_load %w', 'tensor_copy %x'))}")
    kernel.add(0, "%p = matmul %x, %x")
    kernel.add(0, f"%scratch = {random.choice(('dma_copy %in', 'sb_atom_store %x'))}")
    kernel.add(0, "%z = tensor_copy %x")
    _fill(kernel, values, 0, statements)
    kernel.add(0, f"%y = sb_atom_store {random.choice(values)[0]}")
    kernel.add(0, f"return {', '.join(name for name, _ in random.sample(values, min(3, len(values))))}")
    body = "\n".join(kernel.lines)
    text = f"target trn2\n\nfunc @main(%x: f32[4,4], %n: bf16[4,4], %b: bool[], %k: i32[]) {{\n{body}\n}}\n"
    return print_module(parse(text, standard()))  # long lines are wrapped


def _fill(kernel: Kernel, values: Values, depth: int, statements: int) -> None:
    random, summed = kernel.random, (_reduction, _reduction)
    while statements > 0:
        statements -= 1
        kind = random.choice((_engine, _engine, _engine, _load, _product, _product, _store, _graph, _graph, *summed))
        if depth < 2 and statements > 3 and random.random() < 0.14:
            inside = random.randrange(2, 5)
            statements -= inside
            random.choice((_loop, _branch, _scan, _while))(kernel, values, depth, inside)
        else:
            kind(kernel, values, depth)
        if random.random() < 0.2:
            kernel.store(depth, f"%z = tensor_tensor add %z, {random.choice(values[-3:])[0]}")


def _source(kernel: Kernel, values: Values) -> str:
    """Return a value, or a tensor in SBUF, that an engine reads."""
    random = kernel.random
    return random.choice([*kernel.tensors]) if random.random() < 0.35 else random.choice(values[-6:])[0]


def _engine(kernel: Kernel, values: Values, depth: int) -> None:
    random = kernel.random
    source = "%p" if random.random() < 0.15 else _source(kernel, values)
    text = random.choice(
        (
            f"activation {random.choice(('tanh', 'relu', 'square'))} {source}",
            f"tensor_scalar mult {source} scalar0 0.7",
            f"tensor_copy {source}",
            f"tensor_copy {source}",
            f"tensor_tensor add {source}, {_source(kernel, values)}",
            f"dma_copy {random.choice((source, '%scratch'))}",
        )
    )
    given = kernel.give(depth, values, random.choice(DTYPES), text)
    if random.random() < 0.3:
        kernel.give(depth, values, random.choice(("bf16", "f16", "f32")), f"tensor_copy {given}")


def _load(kernel: Kernel, values: Values, depth: int) -> None:
    random = kernel.random
    source = random.choice(("%in", "%in", "%w", "%scratch"))
    load = f"sb_atom_load {source}" + (" {load_const = true}" if source == "%w" and random.random() < 0.6 else "")
    if random.random() < 0.4:
        kernel.store(depth, f"{random.choice([*kernel.tensors])} = {load}")
    else:
        loaded = kernel.give(depth, values, "f32", load)
        if random.random() < 0.6:
            kernel.give(depth, values, random.choice(("bf16", "f16")), f"tensor_copy {loaded}")


def _product(kernel: Kernel, values: Values, depth: int) -> None:
    random = kernel.random
    stationary = _source(kernel, values)
    held = {**kernel.tensors, **dict(values)}
    others = (*kernel.tensors, *(name for name, _ in values[-6:]))
    alike = [name for name in others if _are_alike(held, name, stationary)]
    text = f"matmul {stationary}, {random.choice(alike)}"
    if random.random() < 0.5:
        kernel.store(depth, f"%p = {text}")
        kernel.give(depth, values, random.choice(DTYPES), "activation relu %p")
    else:
        kernel.give(depth, values, "f32", text)


def _are_alike(held: dict[str, str], name: str, other: str) -> bool:
    """Whether both or neither are f32: the tensor engine mixes f32 with nothing else."""
    return (held[name] == "f32") == (held[other] == "f32")


def _store(kernel: Kernel, values: Values, depth: int) -> None:
    random = kernel.random
    source = random.choice(values[-6:])[0]
    if random.random() < 0.2:
        kernel.store(depth, f"%scratch = sb_atom_store {source}")
        return
    left = random.choice([*kernel.tensors])
    if random.random() < 0.25:  # a tensor of its own, with one write and one read
        tensor, dtype = kernel.fresh(), random.choice(("f32", "bf16"))
        kernel.lines.insert(0, f"  tensor {tensor}: {dtype}{SHAPE} sbuf")
        kernel.add(depth, f"{tensor} = activation tanh {source}")
        kernel.give(depth, values, random.choice(("bf16", "f16", "f32")), f"tensor_copy {tensor}")
        return
    if random.random() < 0.3:
        left += "[0 | 4:4, 1:2]"
        kernel.store(depth, f"{left} = tensor_copy {random.choice([*kernel.tensors])}[2 | 4:4, 1:2]")
        return
    kernel.store(depth, f"{left} = {random.choice(('tensor_copy', 'activation tanh'))} {source}")


def _graph(kernel: Kernel, values: Values, depth: int) -> None:
    random = kernel.random
    source, dtype = random.choice(values[-6:])
    same = random.choice([name for name, other in values if other == dtype])
    kind = random.randrange(6)
    if kind == 0:
        kernel.give(depth, values, dtype, f"graph.binary mul {source}, {same}")
    elif kind == 1:
        kernel.give(depth, values, dtype, f"graph.activation tanh {source}")
    elif kind == 2:
        kernel.give(depth, values, dtype, f"graph.softmax {source} axis 1")
    elif kind == 3:
        kernel.give(depth, values, random.choice(DTYPES), f"graph.cast {source}")
    elif kind == 4:
        kernel.give(depth, values, dtype, f"transpose {source}")
    else:
        kernel.give(depth, values, dtype, f"graph.matmul {source}, {same}")


def _reduction(kernel: Kernel, values: Values, depth: int) -> None:
    random = kernel.random
    source, reduced = _source(kernel, values), kernel.fresh()
    if random.random() < 0.6:  # narrowed on the way to a sum
        source = kernel.give(depth, values, "bf16", f"activation tanh {source}")
        if random.random() < 0.4:
            source = kernel.give(depth, values, "bf16", random.choice((f"tensor_copy {source}", f"transpose {source}")))
    operation, dtype = random.choice(("add", "max", "add")), random.choice(("f32", "f32", "bf16"))
    kernel.add(depth, f"{reduced}: {dtype}[4,1] = tensor_reduce {operation} {source} {{reduce_dims = [1]}}")
    kernel.give(depth, values, random.choice(DTYPES), f"activation tanh {_source(kernel, values)} bias {reduced}")
    if dtype == "f32":
        kernel.give(depth, values, "f32", f"tensor_scalar subtract {_source(kernel, values)} operand0 {reduced}")


def _loop(kernel: Kernel, values: Values, depth: int, statements: int) -> None:
    axis = f"%i{len(kernel.lines)}"
    kernel.add(depth, f"for {axis} = 0 step 2 times 2 {{")
    inner = list(values)
    kernel.axes.append(axis)
    _fill(kernel, inner, depth + 1, statements)
    half, part = f"[0 + 1*{axis} | 4:4, 1:2]", kernel.fresh()
    tensor = kernel.random.choice([*kernel.tensors])
    kernel.add(depth + 1, f"{part}: f32[4,2] = tensor_copy {tensor}{half}")
    kernel.store(depth + 1, f"{kernel.random.choice([*kernel.tensors, '%z'])}{half} = activation relu {part}")
    kernel.axes.pop()
    kernel.add(depth, "}")


def _wide(values: Values, random: Random) -> str:
    return random.choice([name for name, dtype in values if dtype == "f32"][-4:])


def _branch(kernel: Kernel, values: Values, depth: int, statements: int) -> None:
    name, inner = kernel.fresh(), list(values)
    kernel.add(depth, f"{name}: f32{SHAPE} = graph.if %b then {{")
    _fill(kernel, inner, depth + 1, statements)
    kernel.add(depth + 1, f"yield {_wide(inner, kernel.random)}")
    kernel.add(depth, "} else {")
    kernel.add(depth + 1, f"yield {_wide(values, kernel.random)}")
    kernel.add(depth, "}")
    values.append((name, "f32"))


def _scan(kernel: Kernel, values: Values, depth: int, statements: int) -> None:
    """Carry two values, maybe the same one twice, over the rows of a third; collect rows."""
    random = kernel.random
    first, second, items = (_wide(values, random) for _ in range(3))
    out, other, rows, a, b, row, next_row = (kernel.fresh() for _ in range(7))
    left = f"{out}: f32{SHAPE}, {other}: f32{SHAPE}, {rows}: f32{SHAPE}"
    arguments = f"{a}: f32{SHAPE}, {b}: f32{SHAPE}, {row}: f32[4]"
    kernel.add(depth, f"{left} = graph.scan ({first}, {second}) over ({items}) body({arguments}) {{")
    inner = [*values, (a, "f32"), (b, "f32")]
    _fill(kernel, inner, depth + 1, statements)
    kernel.add(depth + 1, f"{next_row}: f32[4] = graph.activation tanh {row}")
    kernel.add(depth + 1, f"yield {_wide(inner, random)}, {a}, {next_row}")
    kernel.add(depth, "}")
    values += [(out, "f32"), (other, "f32"), (rows, "f32")]


def _while(kernel: Kernel, values: Values, depth: int, statements: int) -> None:
    """Run once where %k is not 0: the round makes the carried count 0."""
    random = kernel.random
    left, out, i, a, j, b, less, goes_on = (kernel.fresh() for _ in range(8))
    init = _wide(values, random)
    state = f"{i}: i32[], {a}: f32{SHAPE}"
    kernel.add(depth, f"{left}: i32[], {out}: f32{SHAPE} = graph.while (%k, {init}) condition({state}) {{")
    kernel.add(depth + 1, f"{goes_on}: bool[] = graph.cast {i}")
    kernel.add(depth + 1, f"yield {goes_on}")
    kernel.add(depth, f"}} body({j}: i32[], {b}: f32{SHAPE}) {{")
    inner = [*values, (b, "f32")]
    _fill(kernel, inner, depth + 1, statements)
    kernel.add(depth + 1, f"{less}: i32[] = graph.binary sub {j}, {j}")
    kernel.add(depth + 1, f"yield {less}, {_wide(inner, random)}")
    kernel.add(depth, "}")
    values.append((out, "f32"))
