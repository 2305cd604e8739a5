"""Random programs about one question: may a user read a tensor later than the cast has read it?

Everything else is as a pass of casts wishes it: each tensor is bf16, written by engines that read f32, and read by
casts to f32, but for some rows of casts through other dtypes. What is random is who stands where: stores, casts and
users in loops that run never, once or more often, in branches, in conditions and bodies of loops, with values that are
carried and captured, and with predicates. Every use of a cast adds to an output.
"""

from dataclasses import dataclass, field
from random import Random

from runtime.instruction_set import standard
from runtime.text.parser import parse
from runtime.text.printer import print_module

SHAPE = "[4,4]"
TENSORS = ("%t", "%s")
ON_THE_WAY = ("bf16", "bf16", "f16", "tf32", "f32r", "f8e4m3", "f8e5m2", "f8e4m3fn", "i8", "u8", "i16", "i32", "bool")


@dataclass
class Snapshots:
    """A program in the making."""

    random: Random
    lines: list[str] = field(default_factory=list)
    count: int = 0

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def add(self, depth: int, text: str) -> None:
        self.lines.append("  " * (depth + 1) + text)


def random_snapshots(seed: int, statements: int = 14) -> str:
    """Return a program in canonical text."""
    made = Snapshots(Random(seed))
    for name in TENSORS:
        made.add(0, f"tensor {name}: bf16{SHAPE} sbuf")
    made.add(0, f"tensor %w: f32{SHAPE} sbuf output")
    for name in ("%w", *TENSORS):
        made.add(0, f"{name} = activation tanh %x")
    _fill(made, [], ["%x"], 0, statements)
    made.add(0, f"return {made.random.choice(['%x', '%k'])}")
    body = "\n".join(made.lines)
    text = f"target trn2\n\nfunc @main(%x: f32{SHAPE}, %r: f32[2,4], %b: bool[], %k: i32[]) {{\n{body}\n}}\n"
    return print_module(parse(text, standard()))


def _fill(made: Snapshots, axes: list[str], wide: list[str], depth: int, statements: int) -> None:
    """Add statements; `wide` are the visible f32 values, the casts among them, and grow."""
    random = made.random
    while statements > 0:
        statements -= 1
        if depth < 3 and statements > 2 and random.random() < 0.3:
            inside = random.randrange(2, 6)
            statements -= inside
            random.choice((_loop, _loop, _branch, _scan, _while))(made, axes, wide, depth, inside)
            continue
        random.choice((_store, _store, _cast, _cast, _cast, _use, _use, _use, _row))(made, axes, wide, depth)


def _predicate(made: Snapshots, axes: list[str]) -> str:
    if not axes or made.random.random() < 0.6:
        return ""
    start, relation = made.random.choice(((0, "=="), (-1, "=="), (-1, ">=")))  # in some iterations, not in all
    return f" {{predicates = [{start} + 1*{made.random.choice(axes)} {relation} 0]}}"


def _store(made: Snapshots, axes: list[str], wide: list[str], depth: int) -> None:
    half = made.random.choice(("", "", "[0 | 4:4, 1:4]"))
    operation = made.random.choice(("activation tanh", "activation square", "tensor_scalar add {0} scalar0 0.5"))
    source = made.random.choice(wide[-4:])
    text = operation.format(source) if "{" in operation else f"{operation} {source}"
    made.add(depth, f"{made.random.choice(TENSORS)}{half} = {text}{_predicate(made, axes)}")


def _cast(made: Snapshots, axes: list[str], wide: list[str], depth: int) -> None:
    name = made.fresh()
    made.add(depth, f"{name}: f32{SHAPE} = tensor_copy {made.random.choice(TENSORS)}")
    wide.append(name)


def _row(made: Snapshots, axes: list[str], wide: list[str], depth: int) -> None:
    """Cast a value through short floats and integers and back to f32, now and then twice the same way; use it."""
    random = made.random
    way = [random.choice(ON_THE_WAY) for _ in range(random.randrange(1, 4))] + ["f32"]
    begun = random.choice([*TENSORS, *wide[-3:]])
    for _ in range(random.choice((1, 1, 2))):
        source = begun
        for at, dtype in enumerate(way):
            name, copy = made.fresh(), "graph.cast" if at and random.random() < 0.2 else "tensor_copy"
            mark = " {rounding = user}" if random.random() < 0.05 else ""
            made.add(depth, f"{name}: {dtype}{SHAPE} = {copy} {source}{mark}")
            source = name
        made.add(depth, f"%w = tensor_tensor add %w, {source}{_predicate(made, axes)}")


def _use(made: Snapshots, axes: list[str], wide: list[str], depth: int) -> None:
    made.add(depth, f"%w = tensor_tensor add %w, {made.random.choice(wide[-4:])}{_predicate(made, axes)}")


def _loop(made: Snapshots, axes: list[str], wide: list[str], depth: int, statements: int) -> None:
    axis, times = f"%i{len(made.lines)}", made.random.choice((0, 1, 2, 3))
    made.add(depth, f"for {axis} = 0 step 1 times {times} {{")
    _fill(made, [*axes, axis] if times > 1 else axes, list(wide), depth + 1, statements)
    made.add(depth, "}")


def _branch(made: Snapshots, axes: list[str], wide: list[str], depth: int, statements: int) -> None:
    name = made.fresh()
    made.add(depth, f"{name}: f32{SHAPE} = graph.if %b then {{")
    for share, end in ((statements - statements // 2, "} else {"), (statements // 2, "}")):
        inner = list(wide)
        _fill(made, axes, inner, depth + 1, share)
        made.add(depth + 1, f"yield {made.random.choice(inner[-3:])}")
        made.add(depth, end)
    wide.append(name)


def _scan(made: Snapshots, axes: list[str], wide: list[str], depth: int, statements: int) -> None:
    out, rows, carried, row = (made.fresh() for _ in range(4))
    left = f"{out}: f32{SHAPE}, {rows}: f32[2,4]"
    begun = made.random.choice(wide[-3:])
    made.add(depth, f"{left} = graph.scan ({begun}) over (%r) body({carried}: f32{SHAPE}, {row}: f32[4]) {{")
    inner = [*wide, carried]
    _fill(made, axes, inner, depth + 1, statements)
    made.add(depth + 1, f"yield {made.random.choice(inner[-3:])}, {row}")
    made.add(depth, "}")
    wide.append(out)


def _while(made: Snapshots, axes: list[str], wide: list[str], depth: int, statements: int) -> None:
    """Run once where %k is not 0."""
    left, i, j, goes_on, less = (made.fresh() for _ in range(5))
    made.add(depth, f"{left}: i32[] = graph.while (%k) condition({i}: i32[]) {{")
    _fill(made, axes, list(wide), depth + 1, statements - statements // 2)
    made.add(depth + 1, f"{goes_on}: bool[] = graph.cast {i}")
    made.add(depth + 1, f"yield {goes_on}")
    made.add(depth, f"}} body({j}: i32[]) {{")
    _fill(made, axes, list(wide), depth + 1, statements // 2)
    made.add(depth + 1, f"{less}: i32[] = graph.binary sub {j}, {j}")
    made.add(depth + 1, f"yield {less}")
    made.add(depth, "}")
