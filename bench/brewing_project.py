"""A project of any number of definitions to brew: some 27 lines of YAML each, which become some 125 lines of class.

Seven families, with other words, attributes, constraints and prose in each definition, so that no two classes differ
in their names alone. The same number of definitions gives the same project.
"""

import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIALECT = "graph"
_COPIED = ("templates", "runtime", "defs/vocabulary.yaml")
_VERBS = ("Adds", "Scales", "Joins", "Reduces", "Moves", "Selects", "Rounds", "Splits", "Shifts", "Counts", "Folds")
_NOUNS = ("elements", "rows", "columns", "tiles", "partitions", "windows", "slices", "maxima", "moments", "halves")
_MANNERS = ("in order", "with broadcasting", "along an axis", "by pairs", "without a copy", "in place", "at once")
_SENTENCES = (
    "What lies outside of the shape is not touched.",
    "Equal values keep the order in which they came.",
    "An empty tensor gives an empty result.",
    "Nothing is assumed about the layout in memory.",
    "The accumulator is wider than the elements.",
    "A result that is not a number stays one.",
)


def write_project(root: Path, size: int) -> None:
    """Writes `size` definitions with what they need of this project; nothing is brewed yet."""
    root.mkdir(parents=True)
    for name in _COPIED:
        source, target = ROOT / name, root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(source, target)
    for wrapper in (root / "runtime" / "wrappers").glob("[!_]*.py"):
        wrapper.unlink()  # they stand on definitions that are not copied
    folder = root / "defs" / DIALECT
    folder.mkdir(parents=True)
    for index in range(size):
        (folder / f"{name_of(index)}.yaml").write_text(definition(index), encoding="utf-8")


def name_of(index: int) -> str:
    return f"Operation{index:05}"


def definition(index: int) -> str:
    """The text of one definition."""
    choose = random.Random(index)
    lines = _FAMILIES[index % len(_FAMILIES)](index, choose)
    return "\n".join([f"name: {name_of(index)}", *lines, ""])


def edit(root: Path, index: int, count: int) -> None:
    """Changes a definition as an engineer may: another summary, another default."""
    text = definition(index).replace("summary: ", f"summary: Version {count}. ").replace("by: 1.0", f"by: {count}.5")
    (root / "defs" / DIALECT / f"{name_of(index)}.yaml").write_text(text, encoding="utf-8")


def _head(choose: random.Random, base: str = "GraphInst") -> list[str]:
    said = f"{choose.choice(_VERBS)} {choose.choice(_NOUNS)} {choose.choice(_MANNERS)}"
    doc = choose.sample(_SENTENCES, 5)
    return [
        *(f"base: {base}", f"summary: {said}.", "doc: |", *(f"  {sentence}" for sentence in doc)),
        *("source:", "  document: Notes on an accelerator", f"  section: Part {choose.randint(1, 9)}"),
        *(f'since: "{choose.randint(0, 3)}.{choose.randint(1, 9)}"',),
    ]


def _operand(name: str, choose: random.Random, *facts: str) -> list[str]:
    doc = f"    doc: The {choose.choice(_NOUNS)} that are read."
    return [f"  {name}:", *(f"    {fact}" for fact in facts), doc]


def _kind(choose: random.Random) -> str:
    return f"op_kind: {choose.choice(('compute', 'elementwise', 'reduction', 'data_movement'))}"


def _unary(index: int, choose: random.Random) -> list[str]:
    return [
        *(*_head(choose), f'rhs_str: "graph.operation{index:05} {{function}} {{src}}(? by {{by}})"', "operands:"),
        *(*_operand("src", choose, "dtypes: floats"), "attributes:", "  function:", "    type: activation_function"),
        *("  by:", "    type: float", "    default: 1.0", f"    min: {choose.randint(-4, 1)}", "results:"),
        *("  result: {same_as: src}", _kind(choose)),
    ]


def _binary(index: int, choose: random.Random) -> list[str]:
    return [
        *(*_head(choose), f'rhs_str: "graph.operation{index:05} {{lhs}}, {{rhs}}"', "operands:"),
        *(*_operand("lhs", choose, "dtypes: [f32, bf16]"), *_operand("rhs", choose), "results:"),
        *("  result: {infer: broadcast_type}", "constraints:", "  same_dtype:", "    equal: [lhs.dtype, rhs.dtype]"),
        *("    message: both have one data type", _kind(choose)),
    ]


def _product(index: int, choose: random.Random) -> list[str]:
    return [
        *(*_head(choose), f'rhs_str: "graph.operation{index:05} {{lhs}} with {{rhs}}"', "operands:"),
        *(*_operand("lhs", choose, "shape: [M, K]"), *_operand("rhs", choose, "shape: [K, N]"), "results:"),
        *("  result:", "    dtype: lhs", "    shape: [M, N]", "capabilities: {commutative: true}", "op_kind: compute"),
    ]


def _reduction(index: int, choose: random.Random) -> list[str]:
    return [
        *(*_head(choose), f'rhs_str: "graph.operation{index:05} {{src}} axis {{axis}}"', "operands:"),
        *(*_operand("src", choose, f"rank: {choose.randint(1, 4)}"), "attributes:", "  axis:", "    type: int"),
        *("    min: 0", f"    max: {choose.randint(4, 8)}", "    doc: The axis that goes.", "results:"),
        *("  result: {same_as: src}", "precision_intact: true", "op_kind: reduction"),
    ]


def _selection(index: int, choose: random.Random) -> list[str]:
    return [
        *(*_head(choose), f'rhs_str: "graph.operation{index:05} {{src}}(? where {{mask}})"', "operands:"),
        *(*_operand("src", choose), *_operand("mask", choose, "optional: true", "dtypes: bool"), "results:"),
        *("  result: {same_as: src, free_dtype: true}", "keeps_dtype: true", _kind(choose)),
    ]


def _many(index: int, choose: random.Random) -> list[str]:
    return [
        *(*_head(choose), f'rhs_str: "graph.operation{index:05} ({{parts}}) at {{places}}"', "operands:"),
        *(*_operand("parts", choose, "variadic: true"), "attributes:", "  places:", "    type: list[int]"),
        *("    doc: Where each of them starts.", "results:", "  result: {}", "capabilities:", "  side_effects: true"),
        *("op_kind: data_movement",),
    ]


def _derived(index: int, choose: random.Random) -> list[str]:
    base = name_of(index - index % len(_FAMILIES))  # the first family
    return [
        *(
            *_head(choose, base),
            f'rhs_str: "graph.operation{index:05} {{function}} {{src}} of {{groups}}(? by {{by}})"',
        ),
        *("attributes:", "  groups:", "    type: int", f"    multiple_of: {choose.randint(2, 9)}"),
        *("    doc: How many groups of elements there are.", "  by:", "    doc: The factor of each group."),
        *("constraints:", "  enough:", "    at_least: [src.rank, 1]", "    message: there is an axis to group"),
        *("wide_range: {function: [exp, square]}",),
    ]


_FAMILIES: Sequence[Callable[[int, random.Random], list[str]]] = (
    _unary,
    _binary,
    _product,
    _reduction,
    _selection,
    _many,
    _derived,
)
