"""Random programs for any pass: what rewrites get wrong is in them more often than chance would have it.

Round trips of values and of tensors, stores between a copy and its users, copies of copies whose tensor is overwritten
meanwhile, loops and regions around all of it, stores in some iterations only, roundings that the author asked for,
graph operations among the others.

Made as text, so that a failing example can be read, and kept as a case. Every value has one shape; tensors are written
whole, by halves or by columns. The output %w adds up what would otherwise be lost.
"""

from dataclasses import dataclass, field
from random import Random

DTYPES = ("bf16", "f32", "f16")
TENSORS = 3


@dataclass
class Chain:
    """A program in the making."""

    random: Random
    lines: list[str] = field(default_factory=list)
    count: int = 0
    tensors: dict[str, str] = field(default_factory=dict)  # name -> dtype
    axes: list[str] = field(default_factory=list)  # of the loops around the next statement
    snapshot: str = ""  # the dtype of %s, which is copied as it is; that spoils a tensor for a pass that retypes it

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def add(self, depth: int, text: str) -> None:
        self.lines.append("  " * (depth + 1) + text)

    def when(self) -> str:
        """Return that a store runs in one of the two iterations of a loop around it only, now and then."""
        if not self.axes or self.random.random() < 0.6:
            return ""
        return f" {{predicates = [{self.random.choice(('0', '-4'))} + 1*{self.random.choice(self.axes)} == 0]}}"


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
    return f"target trn2\n\nfunc @main(%x: f32[4,8], %z: bf16[4,8], %b: bool[]) {{\n{body}\n}}\n"


def _fill(chain: Chain, values: list[tuple[str, str]], depth: int, statements: int) -> None:
    """Add statements; `values` are visible, and grow."""
    random = chain.random
    while statements > 0:
        statements -= 1
        kind = random.randrange(11)
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
        elif kind < 8:  # a store
            into = random.choice([*chain.tensors, "%y", "%y"])
            chain.add(depth, f"{into} = {_producer(chain, values)}{chain.when()}")
        elif depth < 2 and statements > 4:
            inside = random.randrange(2, 5)
            statements -= inside
            _nest(chain, values, depth, inside)


def _snapshot(chain: Chain, values: list[tuple[str, str]], depth: int) -> tuple[str, str]:
    """Copy a tensor, overwrite it now or in a loop, and use the copy: its users must not see what came later."""
    tensor, dtype = "%s", chain.snapshot
    if chain.random.random() < 0.2:
        tensor, dtype = chain.random.choice([*chain.tensors.items()])
    copy, used = chain.fresh(), chain.fresh()
    chain.add(depth, f"{copy}: {dtype}[4,8] = tensor_copy {tensor}")
    store = f"{tensor} = {_producer(chain, values)}{chain.when()}"
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
        chain.add(depth, f"%w = tensor_tensor add %w, {value}{chain.when()}")


def _asked_for(random: Random) -> str:
    """Return the mark of a result whose rounding must stay, now and then."""
    return " {rounding = user}" if random.random() < 0.05 else ""


def _nest(chain: Chain, values: list[tuple[str, str]], depth: int, statements: int) -> None:
    if chain.random.random() < 0.6:
        axis = f"%i{len(chain.lines)}"
        chain.add(depth, f"for {axis} = 0 step 4 times 2 {{")
        chain.axes.append(axis)
        _fill(chain, list(values), depth + 1, statements)
        if chain.random.random() < 0.5:
            half = f"[0 + 1*{axis} | 8:4, 1:4]"
            cast = chain.fresh()
            chain.add(depth + 1, f"{cast}: f32[4,4] = tensor_copy {chain.random.choice([*chain.tensors])}{half}")
            chain.add(depth + 1, f"%y{half} = activation relu {cast}{chain.when()}")
        chain.axes.pop()
        chain.add(depth, "}")
        return
    name, inner = chain.fresh(), list(values)
    chain.add(depth, f"{name}: f32[4,8] = graph.if %b then {{")
    _fill(chain, inner, depth + 1, statements)
    chain.add(depth + 1, f"yield {chain.random.choice([value for value, dtype in inner if dtype == 'f32'])}")
    chain.add(depth, "} else {")
    chain.add(depth + 1, "yield %x")
    chain.add(depth, "}")
    values.append((name, "f32"))


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
