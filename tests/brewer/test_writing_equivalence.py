"""With what earlier runs have left, a run gives what it gives without: the same files, mistakes and exit codes.

Two copies of a project get the same random edits. One keeps its cache; the other loses it before every run.
"""

import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from brewer import incremental
from brewer.__main__ import main
from brewer.fingerprints import Fingerprints
from brewer.places import Places
from tests.brewer.miniature import FILES, build

Edit = Callable[["Copies", random.Random], None]


def definition(name: str, base: str = "NeuronInst", mnemonic: str = "", dialect: str = "neuron") -> str:
    prefix = "" if dialect == "neuron" else f"{dialect}."
    lines = [
        f"name: {name}",
        f"base: {base}",
        "summary: One.",
        f'rhs_str: "{prefix}{mnemonic or name.lower()} {{src}}"',
    ]
    own = (
        ["operands:", "  src: {dtypes: floats}", "results:", "  result: {same_as: src}"]
        if base.endswith("Inst")
        else []
    )
    return "\n".join([*lines, *own, ""])


START = {
    "defs/neuron/A.yaml": definition("A"),
    "defs/neuron/B.yaml": definition("B", "A"),
    "defs/neuron/C.yaml": definition("C", "B"),
    "defs/graph/A.yaml": definition("A", "GraphInst", dialect="graph"),
    "defs/graph/E.yaml": definition("E", "A", dialect="graph"),
}


class Copies:
    """Both copies, of which every edit changes the same files."""

    def __init__(self, folder: Path) -> None:
        self.roots = (folder / "with", folder / "without")
        for root in self.roots:
            build(root, {name: text.encode() for name, text in START.items()})

    def write(self, name: str, text: str) -> None:
        for root in self.roots:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def read(self, name: str) -> str:
        return (self.roots[0] / name).read_text()

    def remove(self, name: str) -> None:
        for root in self.roots:
            (root / name).unlink(missing_ok=True)

    def files(self, pattern: str) -> list[str]:
        root = self.roots[0]
        return sorted(path.relative_to(root).as_posix() for path in root.glob(pattern) if path.is_file())

    def undo(self, files: dict[str, str]) -> None:
        """Makes the inputs what they were."""
        for name in self.inputs():
            if name not in files:
                self.remove(name)
        for name, text in files.items():
            self.write(name, text)

    def inputs(self) -> dict[str, str]:
        return {
            name: self.read(name)
            for folder in ("defs", "templates", "runtime")
            for name in self.files(f"{folder}/**/*")
        }

    def definitions(self) -> list[str]:
        return [name for name in self.files("defs/*/*.yaml") if "rhs_str" in self.read(name)]


def one_of(names: list[str], choose: random.Random) -> list[str]:
    """One of the names, if there is any."""
    return choose.sample(names, k=min(1, len(names)))


def add(copies: Copies, choose: random.Random) -> None:
    dialect = choose.choices(("neuron", "graph", "other"), weights=(6, 3, 1))[0]
    bases = [Path(name).stem for name in copies.files("defs/*/*.yaml") if dialect in name]
    root = "NeuronInst" if dialect == "neuron" else "GraphInst"
    base = choose.choice([*bases[:3], root, root, root])
    name = choose.choice("FGHIJK")
    copies.write(f"defs/{dialect}/{name}.yaml", definition(name, base, dialect=dialect))


def replace_in_one(old: str, *new: str) -> Edit:
    def edit(copies: Copies, choose: random.Random) -> None:
        for name in one_of(copies.definitions(), choose):
            copies.write(name, copies.read(name).replace(old, choose.choice(new), 1))

    return edit


def remove(copies: Copies, choose: random.Random) -> None:
    for name in one_of(copies.files("defs/*/?.yaml"), choose):
        copies.remove(name)


def rename(copies: Copies, choose: random.Random) -> None:
    for name in one_of(copies.definitions(), choose):
        new = choose.choice("AFGHIJKxy")
        text = re.sub(r"^name: .*$", f"name: {new}", copies.read(name), flags=re.MULTILINE)
        copies.remove(name)
        copies.write(f"{name.rpartition('/')[0]}/{new}.yaml", text)


def touch_template(copies: Copies, choose: random.Random) -> None:
    name = choose.choice(copies.files("templates/*.j2"))
    text = copies.read(name)
    copies.write(name, f"{text}{{# seen #}}\n" if "seen" not in text else text.replace("{# seen #}\n", ""))


def break_template(copies: Copies, choose: random.Random) -> None:
    text = copies.read("templates/rhs_str.j2")
    broken = "{{ view.nothing }}\n"
    copies.write("templates/rhs_str.j2", text.replace(broken, "") if broken in text else text + broken)


def change_vocabulary(copies: Copies, choose: random.Random) -> None:
    text = copies.read("defs/vocabulary.yaml")
    copies.write(
        "defs/vocabulary.yaml",
        (
            text.replace("floats: [f32, f16, bf16]", "floats: [f32, f16]")
            if "bf16]\nmem" in text.replace("\n", "\n") and choose.random() < 0.5
            else FILES["defs/vocabulary.yaml"]
        ),
    )


def change_inference(copies: Copies, choose: random.Random) -> None:
    text = copies.read("runtime/infer.py")
    copies.write(
        "runtime/infer.py",
        text.replace("a product", "the product") if "a product" in text else FILES["runtime/infer.py"],
    )


def change_runtime(copies: Copies, choose: random.Random) -> None:
    text = copies.read("runtime/instructions.py")
    extra = '\nclass OtherInst(Instruction):\n    __slots__ = ("src",)\n'
    copies.write("runtime/instructions.py", text.replace(extra, "") if extra in text else text + extra)


def wrap(copies: Copies, choose: random.Random) -> None:
    path = "runtime/wrappers/A.py"
    if path in copies.files("runtime/wrappers/*.py"):
        copies.remove(path)
    else:
        copies.write(path, "from generated.neuron.AGen import AGen\n\nclass A(AGen):\n    pass\n")


def change_facts(copies: Copies, choose: random.Random) -> None:
    kind = choose.choice(("compute", "elementwise", "nonsense"))
    copies.write("defs/onnx/ai.yaml", f"facts: ai\noperators:\n  Add:\n    7: {{op_kind: {kind}}}\n")


def lose_output(copies: Copies, choose: random.Random) -> None:
    for name in one_of(copies.files("generated/*/*Gen.py"), choose):
        copies.remove(name)


def other_file(copies: Copies, choose: random.Random) -> None:
    name = choose.choice(("generated/mine.py", "generated/neuron/mine.py", "defs/neuron/notes.txt"))
    copies.write(name, f"# Number {choose.random()}\n")


OF_DEFINITIONS: tuple[Edit, ...] = (
    *(add, add, remove, rename, lose_output, other_file),
    replace_in_one("summary: One.", "summary: Another one.", "summary: no sentence"),
    replace_in_one("summary: Another one.", "summary: One.", "summary: A third one."),
    replace_in_one(
        "src: {dtypes: floats}", "src: {dtypes: f32}", "src: {rank: 2, optional: true}", "src: {acess: load}"
    ),
    replace_in_one('rhs_str: "', 'rhs_str: "same', 'rhs_str: "graph.same'),
    replace_in_one("base: ", "base: A #", "base: NeuronInst #", "base: GraphInst #"),
    replace_in_one("\n", "\nwrapper: A\n", "\nengine: vector\n", "\nabstract: true\n"),
)
OF_OTHERS: tuple[Edit, ...] = (
    *(touch_template, break_template, change_vocabulary, change_inference, change_runtime, wrap, change_facts),
)


def outcomes(
    copies: Copies, capsys: pytest.CaptureFixture[str]
) -> Iterator[tuple[int, list[str], str, dict[str, bytes]]]:
    """Of each copy: exit code, what was done (but for the causes), mistakes, and the files there are now."""
    for root in copies.roots:
        if root is copies.roots[1]:
            shutil.rmtree(root / ".brewer_cache", ignore_errors=True)
        code = main(["--root", str(root)])
        said = capsys.readouterr()
        done = [re.sub(r" \(.*\)$", "", line) for line in said.out.splitlines()]
        tree = {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted((root / "generated").rglob("*.py"))}
        yield code, done, said.err.replace(str(root), ""), tree


def compare(folder: Path, capsys: pytest.CaptureFixture[str], seed: int, steps: int) -> Counter[int]:
    """Goes through the steps; gives how often there was each exit code."""
    copies, choose = Copies(folder), random.Random(seed)
    good = copies.inputs()
    codes: Counter[int] = Counter()
    for step in range(steps):
        edits = [
            choose.choice(OF_DEFINITIONS if choose.random() < 0.92 else OF_OTHERS)
            for _ in range(choose.choice((1, 1, 2)))
        ]
        for edit in edits:
            edit(copies, choose)
        with_cache, without = outcomes(copies, capsys)
        assert with_cache == without, f"seed {seed}, step {step}: {[edit.__name__ for edit in edits]}"
        codes[with_cache[0]] += 1
        if with_cache[0] == 0:
            good = copies.inputs()
        elif choose.random() < 0.9:
            copies.undo(good)
    return codes


@pytest.fixture
def shortcuts(monkeypatch: pytest.MonkeyPatch) -> list[int | None]:
    """The exit codes of runs that looked at changed definitions only; None where they gave up."""
    codes: list[int | None] = []
    brew = incremental.brew_what_changed

    def counted(root: str, now: Fingerprints, places: Places) -> int | None:
        codes.append(brew(root, now, places))
        return codes[-1]

    monkeypatch.setattr(incremental, "brew_what_changed", counted)
    return codes


def test_the_cache_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], shortcuts: list[int | None]
) -> None:
    codes = compare(tmp_path, capsys, seed=1, steps=40)
    assert codes[0] > 15 and codes[2] > 4
    assert shortcuts.count(0) > 10


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 8))
def test_the_cache_changes_nothing_in_a_long_time(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(tmp_path, capsys, seed, steps=120).keys() == {0, 2}
