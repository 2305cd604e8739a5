"""Random programs of the graph dialect alone, for passes that choose types and move casts: values, no tensors.

Operations of every kind that a precision policy tells apart, narrow floats that the author chose, casts there and back,
constants that f16 holds and some that it does not, branches and loops with values that are carried and
captured, roundings that the author asked for.

Made as text, as those of `random_chains.py`. Every value has one shape, [4,4].
"""

from dataclasses import dataclass, field
from random import Random

from runtime.instruction_set import standard
from runtime.text.parser import parse
from runtime.text.printer import print_module

SHAPE = "[4,4]"
FLOATS = ("f32", "f32", "bf16", "f16")

Values = list[tuple[str, str]]  # name, dtype


@dataclass
class Graph:
    """A program in the making."""

    random: Random
    lines: list[str] = field(default_factory=list)
    count: int = 0

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def add(self, depth: int, text: str) -> None:
        self.lines.append("  " * (depth + 1) + text)

    def give(self, depth: int, values: Values, dtype: str, text: str, shape: str = SHAPE) -> str:
        """Add an instruction with a result, which others may use where it has the one shape."""
        name = self.fresh()
        mark = " {rounding = user}" if self.random.random() < 0.04 and not text.endswith("}") else ""
        self.add(depth, f"{name}: {dtype}{shape} = {text}{mark}")
        if shape == SHAPE:
            values.append((name, dtype))
        return name


def random_graph(seed: int, statements: int = 12) -> str:
    """Return a program in canonical text."""
    graph = Graph(Random(seed))
    values: Values = [("%x", "f32"), ("%n", "bf16")]
    _fill(graph, values, 0, statements)
    returned = ", ".join(name for name, _ in graph.random.sample(values, min(3, len(values))))
    graph.add(0, f"return {returned}")
    body = "\n".join(graph.lines)
    text = f"target trn2\n\nfunc @main(%x: f32{SHAPE}, %n: bf16{SHAPE}, %b: bool[], %k: i32[]) {{\n{body}\n}}\n"
    return print_module(parse(text, standard()))  # long lines are wrapped


def _fill(graph: Graph, values: Values, depth: int, statements: int) -> None:
    random = graph.random
    kinds = (_elementwise, _elementwise, _product, _normal, _moved, _cast, _cast, _reduced, _chosen, _constant)
    while statements > 0:
        statements -= 1
        if depth < 2 and statements > 2 and random.random() < 0.15:
            inside = random.randrange(2, 5)
            statements -= inside
            random.choice((_branch, _scan, _while))(graph, values, depth, inside)
        else:
            random.choice(kinds)(graph, values, depth)


def _recent(graph: Graph, values: Values) -> tuple[str, str]:
    return graph.random.choice(values[-2:] if graph.random.random() < 0.5 else values)


def _other(graph: Graph, values: Values, dtype: str) -> str:
    return graph.random.choice([name for name, own in values if own == dtype])


def _wide(graph: Graph, values: Values) -> str:
    return graph.random.choice([name for name, dtype in values if dtype == "f32"][-4:])


def _elementwise(graph: Graph, values: Values, depth: int) -> None:
    source, dtype = _recent(graph, values)
    word = graph.random.choice(("relu", "tanh", "exp", "square", "binary add", "binary mul", "binary max"))
    if word.startswith("binary"):
        graph.give(depth, values, dtype, f"graph.{word} {source}, {_other(graph, values, dtype)}")
    else:
        graph.give(depth, values, dtype, f"graph.activation {word} {source}")


def _product(graph: Graph, values: Values, depth: int) -> None:
    source, dtype = _recent(graph, values)
    graph.give(depth, values, dtype, f"graph.matmul {source}, {_other(graph, values, dtype)}")


def _normal(graph: Graph, values: Values, depth: int) -> None:
    """Add what policies keep in f32, more often than not."""
    source, dtype = _recent(graph, values)
    axis = graph.random.choice((0, 1))
    graph.give(depth, values, dtype, f"graph.{graph.random.choice(('softmax', 'cumsum'))} {source} axis {axis}")


def _moved(graph: Graph, values: Values, depth: int) -> None:
    source, dtype = _recent(graph, values)
    if graph.random.random() < 0.5:
        graph.give(depth, values, dtype, f"graph.transpose {source} permutation [1, 0]")
        return
    flat = graph.give(depth, values, dtype, f"graph.reshape {source} {{new_shape = [16]}}", "[16]")
    graph.give(depth, values, dtype, f"graph.reshape {flat} {{new_shape = [4, 4]}}")


def _cast(graph: Graph, values: Values, depth: int) -> None:
    """Cast a value, and now and then back again."""
    source, dtype = _recent(graph, values)
    narrow = graph.give(depth, values, graph.random.choice(FLOATS), f"graph.cast {source}")
    if graph.random.random() < 0.4:
        graph.give(depth, values, dtype, f"graph.cast {narrow}")


def _reduced(graph: Graph, values: Values, depth: int) -> None:
    source, dtype = _recent(graph, values)
    kind = graph.random.choice(("sum", "max", "mean"))
    row = graph.give(depth, values, dtype, f"graph.reduce {kind} {source} axes [1] {{keepdims = true}}", "[4,1]")
    graph.give(depth, values, dtype, f"graph.binary sub {source}, {row}")


def _chosen(graph: Graph, values: Values, depth: int) -> None:
    source, dtype = _recent(graph, values)
    other = _other(graph, values, dtype)
    where = graph.fresh()
    graph.add(depth, f"{where}: bool{SHAPE} = graph.compare lt {source}, {other}")
    graph.give(depth, values, dtype, f"graph.where {where} then {source} else {other}")


def _constant(graph: Graph, values: Values, depth: int) -> None:
    """Add a constant that bf16 holds, and f16 maybe not: no run can leave out the rounding of a constant."""
    number = graph.random.choice(("0.5", "-2.0", "262144.0"))
    dtype = "f32" if number == "262144.0" else graph.random.choice(FLOATS)
    held = graph.give(depth, values, dtype, f"graph.constant {{value = dense<{number}>}}")
    graph.give(depth, values, dtype, f"graph.binary add {held}, {_other(graph, values, dtype)}")


def _branch(graph: Graph, values: Values, depth: int, statements: int) -> None:
    name = graph.fresh()
    graph.add(depth, f"{name}: f32{SHAPE} = graph.if %b then {{")
    for share, end in ((statements - statements // 2, "} else {"), (statements // 2, "}")):
        inner = list(values)
        _fill(graph, inner, depth + 1, share)
        graph.add(depth + 1, f"yield {_wide(graph, inner)}")
        graph.add(depth, end)
    values.append((name, "f32"))


def _scan(graph: Graph, values: Values, depth: int, statements: int) -> None:
    """Carry a value over the rows of another; collect rows."""
    out, rows, carried, row = (graph.fresh() for _ in range(4))
    init, items = _wide(graph, values), _wide(graph, values)
    left, arguments = f"{out}: f32{SHAPE}, {rows}: f32{SHAPE}", f"{carried}: f32{SHAPE}, {row}: f32[4]"
    graph.add(depth, f"{left} = graph.scan ({init}) over ({items}) body({arguments}) {{")
    inner = [*values, (carried, "f32")]
    _fill(graph, inner, depth + 1, statements)
    graph.add(depth + 1, f"yield {_wide(graph, inner)}, {row}")
    graph.add(depth, "}")
    values += [(out, "f32"), (rows, "f32")]


def _while(graph: Graph, values: Values, depth: int, statements: int) -> None:
    """Run once where %k is not 0: the round makes the carried count 0."""
    left, out, i, a, j, b, less, goes_on = (graph.fresh() for _ in range(8))
    state, init = f"{i}: i32[], {a}: f32{SHAPE}", _wide(graph, values)
    graph.add(depth, f"{left}: i32[], {out}: f32{SHAPE} = graph.while (%k, {init}) condition({state}) {{")
    graph.add(depth + 1, f"{goes_on}: bool[] = graph.cast {i}")
    graph.add(depth + 1, f"yield {goes_on}")
    graph.add(depth, f"}} body({j}: i32[], {b}: f32{SHAPE}) {{")
    inner = [*values, (b, "f32")]
    _fill(graph, inner, depth + 1, statements)
    graph.add(depth + 1, f"{less}: i32[] = graph.binary sub {j}, {j}")
    graph.add(depth + 1, f"yield {less}, {_wide(graph, inner)}")
    graph.add(depth, "}")
    values.append((out, "f32"))
