"""Random programs full of casts: round trips of values and of tensors, stores between them, loops and regions.

Made as text, so that a failing example can be read, and kept as a case. Every value has one shape; tensors are written
whole, by halves or by columns.
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

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def add(self, depth: int, text: str) -> None:
        self.lines.append("  " * (depth + 1) + text)


def random_program(seed: int, statements: int = 24) -> str:
    """Return a program in canonical text."""
    chain = Chain(Random(seed))
    for number in range(TENSORS):
        name, dtype = f"%t{number}", chain.random.choice(("bf16", "bf16", "f16", "f32"))
        chain.tensors[name] = dtype
        chain.add(0, f"tensor {name}: {dtype}[4,8] sbuf")
    chain.add(0, "tensor %y: f32[4,8] sbuf output")
    values = [("%x", "f32"), ("%z", "bf16")]
    chain.add(0, "%y = tensor_copy %x")
    for name in chain.tensors:
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
        kind = random.randrange(10)
        if kind < 4:  # a value
            name, dtype = chain.fresh(), random.choice(DTYPES)
            chain.add(depth, f"{name}: {dtype}[4,8] = {_producer(chain, values)}")
            values.append((name, dtype))
        elif kind < 6:  # a cast of something narrow, often the newest value
            name, dtype = chain.fresh(), random.choice(("f32", "f32", "f32", "bf16"))
            source = random.choice([values[-1][0], *chain.tensors])
            chain.add(depth, f"{name}: {dtype}[4,8] = tensor_copy {source}")
            values.append((name, dtype))
        elif kind < 8:  # a store
            chain.add(depth, f"{random.choice([*chain.tensors, '%y', '%y'])} = {_producer(chain, values)}")
        elif depth < 2 and statements > 4:
            inside = random.randrange(2, 5)
            statements -= inside
            _nest(chain, values, depth, inside)


def _nest(chain: Chain, values: list[tuple[str, str]], depth: int, statements: int) -> None:
    if chain.random.random() < 0.6:
        axis = f"%i{len(chain.lines)}"
        chain.add(depth, f"for {axis} = 0 step 4 times 2 {{")
        _fill(chain, list(values), depth + 1, statements)
        if chain.random.random() < 0.5:
            half = f"[0 + 1*{axis} | 8:4, 1:4]"
            cast = chain.fresh()
            chain.add(depth + 1, f"{cast}: f32[4,4] = tensor_copy {chain.random.choice([*chain.tensors])}{half}")
            chain.add(depth + 1, f"%y{half} = activation relu {cast}")
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
