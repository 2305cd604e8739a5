"""Random programs for any pass: what rewrites get wrong is in them more often than chance would have it.

Round trips of values and of tensors, stores between a copy and its users, copies of copies whose tensor is overwritten
meanwhile, loops and regions around all of it, values carried from round to round, stores in some iterations only, rows
of casts through short floats and integers, roundings that the author asked for, graph operations among the others.

Made as text, so that a failing example can be read, and kept as a case. Every value has one shape; tensors are written
whole, by halves or by columns. The output %w adds up what would otherwise be lost.
"""

from dataclasses import dataclass, field
from random import Random

DTYPES = ("bf16", "f32", "f16")
ON_THE_WAY = ("bf16", "f16", "tf32", "f32r", "f8e4m3", "f8e5m2", "f8e4m3fn", "i8", "u8", "i16", "i32", "bool")
TENSORS = 3


@dataclass
class Chain:
    """A program in the making."""

    random: Random
    lines: list[str] = field(default_factory=list)
    count: int = 0
    tensors: dict[str, str] = field(default_factory=dict)  # name -> dtype
    snapshot: str = ""  # the dtype of %s, which is copied as it is; that spoils a tensor for a pass that retypes it

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def add(self, depth: int, text: str) -> None:
        self.lines.append("  " * (depth + 1) + text)


def random_program(seed: int, statements: int = 28) -> str:
    """Return a program in canonical text."""
    chain = Chain(Random(seed))
    for number in range(TENSORS):
        name, dtype = f"%t{number}", chain.random.choice(("bf16", "bf16", "f16", "f32"))
        chain.tensors[name] = dtype
        chain.add(0, f"tensor {name}: {dtype}[4,8] sbuf")
    chain.snapshot = chain.random.choice(("bf16", "f32"))
    chain.add(0, f"tensor %s: {chain.snapshot}[4,8] sbuf")
    chain.add(0, "tensor %y: f32[4,8] sbuf output")
    chain.add(0, "tensor %w: f32[4,8] sbuf output")
    values = [("%x", "f32"), ("%z", "bf16")]
    chain.add(0, "%y = tensor_copy %x")
    chain.add(0, "%w = tensor_copy %x")
    for name in (*chain.tensors, "%s"):
        chain.add(0, f"{name} = tensor_scalar add %x scalar0 0.5")
    _fill(chain, values, 0, statements)
    returned = ", ".join(name for name, _ in chain.random.sample(values, min(3, len(values))))
    chain.add(0, f"return {returned}")
    body = "\n".join(chain.lines)
    return f"target trn2\n\nfunc @main(%x: f32[4,8], %z: bf16[4,8], %b: bool[], %r: f32[2,8]) {{\n{body}\n}}\n"


def _fill(chain: Chain, values: list[tuple[str, str]], depth: int, statements: int) -> None:
    """Add statements; `values` are visible, and grow."""
    random = chain.random
    while statements > 0:
        statements -= 1
        kind = random.randrange(12)
        if kind < 4:  # a value
            name, dtype = chain.fresh(), random.choice(DTYPES)
            chain.add(depth, f"{name}: {dtype}[4,8] = {_producer(chain, values)}{_asked_for(random)}")
            values.append((name, dtype))
            _observe(chain, name, depth, 0.15)  # more would spoil too many values for a pass that retypes them
        elif kind < 6:  # a cast of something narrow, often the newest value
            name, dtype = chain.fresh(), random.choice(("f32", "f32", "f32", "bf16"))
            source = random.choice([values[-1][0], *chain.tensors])
            chain.add(depth, f"{name}: {dtype}[4,8] = tensor_copy {source}{_asked_for(random)}")
            values.append((name, dtype))
            _observe(chain, name, depth, 0.4)
        elif kind == 10:
            values.append(random.choice((_snapshot, _graph))(chain, values, depth))
        elif kind == 11:
            _row_of_casts(chain, values, depth)
        elif kind < 8:  # a store
            chain.add(depth, f"{random.choice([*chain.tensors, '%y', '%y'])} = {_producer(chain, values)}")
        elif depth < 2 and statements > 4:
            inside = random.randrange(2, 5)
            statements -= inside
            _nest(chain, values, depth, inside)


def _row_of_casts(chain: Chain, values: list[tuple[str, str]], depth: int) -> None:
    """Cast a value, or a tensor, through some dtypes and back to f32; now and then the same way twice."""
    random = chain.random
    start = random.choice([*chain.tensors]) if random.random() < 0.3 else random.choice(values[-6:])[0]
    way = [random.choice(ON_THE_WAY) for _ in range(random.randrange(1, 4))] + ["f32"]
    for _ in range(random.choice((1, 1, 2))):
        source = start
        for at, dtype in enumerate(way):
            copy = "tensor_copy" if at == 0 or random.random() < 0.8 else "graph.cast"
            name = chain.fresh()
            chain.add(depth, f"{name}: {dtype}[4,8] = {copy} {source}{_asked_for(random)}")
            source = name
        values.append((source, "f32"))
        _observe(chain, source, depth, 0.5)


def _snapshot(chain: Chain, values: list[tuple[str, str]], depth: int) -> tuple[str, str]:
    """Copy a tensor, overwrite it now or in a loop, and use the copy: its users must not see what came later."""
    tensor, dtype = "%s", chain.snapshot
    if chain.random.random() < 0.2:
        tensor, dtype = chain.random.choice([*chain.tensors.items()])
    copy, used = chain.fresh(), chain.fresh()
    chain.add(depth, f"{copy}: {dtype}[4,8] = tensor_copy {tensor}")
    store = f"{tensor} = {_producer(chain, values)}"
    if chain.random.random() < 0.7:
        chain.add(depth, store)
        chain.add(depth, f"{used}: {dtype}[4,8] = tensor_copy {copy}")
        _observe(chain, used, depth)
        return used, dtype
    chain.add(depth, f"for %i{len(chain.lines)} = 0 step 1 times 2 {{")
    chain.add(depth + 1, f"{used}: {dtype}[4,8] = tensor_copy {copy}")
    _observe(chain, used, depth + 1)
    chain.add(depth + 1, store)
    chain.add(depth, "}")
    return copy, dtype


def _graph(chain: Chain, values: list[tuple[str, str]], depth: int) -> tuple[str, str]:
    """Add an operation of the graph dialect, which takes no tensors."""
    name, (source, dtype) = chain.fresh(), chain.random.choice(values)
    operation = chain.random.choice(("graph.cast {0}", "graph.activation relu {0}", "graph.binary add {0}, {0}"))
    if operation.startswith("graph.cast"):
        dtype = chain.random.choice(DTYPES)
    chain.add(depth, f"{name}: {dtype}[4,8] = {operation.format(source)}")
    return name, dtype


def _observe(chain: Chain, value: str, depth: int, chance: float = 1) -> None:
    """Let an output depend on a value."""
    if chain.random.random() < chance:
        chain.add(depth, f"%w = tensor_tensor add %w, {value}")


def _asked_for(random: Random) -> str:
    """Return the mark of a result whose rounding must stay, now and then."""
    return " {rounding = user}" if random.random() < 0.05 else ""


def _nest(chain: Chain, values: list[tuple[str, str]], depth: int, statements: int) -> None:
    if chain.random.random() < 0.6:
        axis = f"%i{len(chain.lines)}"
        chain.add(depth, f"for {axis} = 0 step 4 times 2 {{")
        _fill(chain, list(values), depth + 1, statements)
        if chain.random.random() < 0.3:  # a store in one of the two iterations
            tensor = chain.random.choice([*chain.tensors, "%y"])
            chain.add(depth + 1, f"{tensor} = {_producer(chain, values)} {{predicates = [-4 + 1*{axis} >= 0]}}")
        if chain.random.random() < 0.5:
            half = f"[0 + 1*{axis} | 8:4, 1:4]"
            cast = chain.fresh()
            chain.add(depth + 1, f"{cast}: f32[4,4] = tensor_copy {chain.random.choice([*chain.tensors])}{half}")
            chain.add(depth + 1, f"%y{half} = activation relu {cast}")
        chain.add(depth, "}")
        return
    if chain.random.random() < 0.3:
        _carry(chain, values, depth, statements)
        return
    name, inner = chain.fresh(), list(values)
    chain.add(depth, f"{name}: f32[4,8] = graph.if %b then {{")
    _fill(chain, inner, depth + 1, statements)
    chain.add(depth + 1, f"yield {chain.random.choice([value for value, dtype in inner if dtype == 'f32'])}")
    chain.add(depth, "} else {")
    chain.add(depth + 1, "yield %x")
    chain.add(depth, "}")
    values.append((name, "f32"))


def _carry(chain: Chain, values: list[tuple[str, str]], depth: int, statements: int) -> None:
    """Carry a value through two rounds."""
    first, dtype = chain.random.choice(values)
    out, rows, carried, row = (chain.fresh() for _ in range(4))
    left = f"{out}: {dtype}[4,8], {rows}: f32[2,8]"
    chain.add(depth, f"{left} = graph.scan ({first}) over (%r) body({carried}: {dtype}[4,8], {row}: f32[8]) {{")
    inner = [*values, (carried, dtype)]
    _fill(chain, inner, depth + 1, statements)
    chain.add(depth + 1, f"yield {chain.random.choice([name for name, other in inner if other == dtype])}, {row}")
    chain.add(depth, "}")
    values.append((out, dtype))


def _producer(chain: Chain, values: list[tuple[str, str]]) -> str:
    random = chain.random
    wide = [name for name, dtype in values if dtype == "f32"]
    source = random.choice([values[-1][0], *wide[-4:]])
    if random.random() < 0.05:  # more would spoil nearly every tensor
        source = random.choice([*chain.tensors])
    kind = random.randrange(6)
    if kind == 0:
        return f"activation {random.choice(('square', 'relu'))} {source}"
    if kind == 1:
        return f"tensor_scalar add {source} scalar0 0.5"
    if kind == 2:
        return f"tensor_tensor add {source}, {source}"
    return f"tensor_copy {source}"
