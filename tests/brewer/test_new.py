"""What `new` writes: a definition that is right from the start, and that has nothing which belongs to another alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from brewer.command_line import main
from brewer.load import load
from brewer.new_definition import mnemonic_for
from brewer.project import Project
from tests.brewer.brewed_classes import brewed_class
from tests.brewer.miniature import build

OTHER = b"""\
# What it is about.
name: Other  # its name
base: NeuronInst
wrapper: Other
summary: "DMA: copies one."
version: 3
renames:
  2: {a: scale}
  # a remark within
since: "0.1"

# What it prints.
rhs_str: "other {src}(? scale {scale})"  # the form
examples: ["%r: f32[2] = other %a"]
operands:
  # What it reads.
  src: {dtypes: floats}
attributes:
  scale: {type: float, default: 1.0}
results:
  result: {same_as: src}
# The end.
"""
WRAPPER = b"from generated.neuron.OtherGen import OtherGen\n\n\nclass Other(OtherGen):\n    pass\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    files = {"defs/neuron/Other.yaml": OTHER, "runtime/wrappers/Other.py": WRAPPER}
    return build(tmp_path / "project", files)


def run(project: Project, *arguments: str) -> str:
    assert main(["new", *arguments, "--root", str(project.root)]) == 0
    return (project.root / "defs/neuron/Fresh.yaml").read_text(encoding="utf-8")


def test_comments_stay_and_what_belongs_to_one_alone_goes(project: Project) -> None:
    assert run(project, "Fresh", "--like", "Other") == """\
# What it is about.
name: Fresh  # its name
base: NeuronInst
summary: 'Like Other, DMA: copies one.'

# What it prints.
rhs_str: "fresh {src}(? scale {scale})"  # the form
operands:
  # What it reads.
  src: {dtypes: floats}
attributes:
  scale: {type: float, default: 1.0}
results:
  result: {same_as: src}
# The end.
"""


def test_it_is_brewed_at_once_and_the_rest_is_left_alone(project: Project) -> None:
    assert main(["--root", str(project.root)]) == 0
    before = {path: path.read_bytes() for path in project.generated.rglob("*.py")}
    run(project, "Fresh", "--like", "Other")
    after = {path: path.read_bytes() for path in project.generated.rglob("*.py")}
    changed = {p.relative_to(project.generated).as_posix() for p in after if after[p] != before.get(p)}
    assert changed == {"__init__.py", "neuron/FreshGen.py"}
    assert main(["--check", "--root", str(project.root)]) == 0


def test_what_the_skeleton_shows_as_examples_is_right(project: Project, tmp_path: Path) -> None:
    """Every comment of it that is a key becomes one, and the definition still brews."""
    text = run(project, "Fresh", "--dialect", "neuron")
    first, rest = text.split("\n", 1)
    with_examples = f"{first}\n" + re.sub("^( *)# ", r"\1", rest, flags=re.MULTILINE)
    assert len(yaml.safe_load(with_examples)) > len(yaml.safe_load(text)) + 6
    (project.root / "defs/neuron/Fresh.yaml").write_text(with_examples, encoding="utf-8")
    (fresh,) = [b for b in load(project).brewables if b.definition.name.value == "Fresh"]
    assert fresh.definition.attributes and fresh.definition.constraints and fresh.definition.engines.legal
    (example,) = fresh.definition.examples
    assert "%y: f32[4,8] = fresh %x" in str(example)


def test_a_skeleton_works_on_the_real_runtime(project: Project, tmp_path: Path) -> None:
    text = run(project, "Fresh", "--dialect", "neuron")
    made = brewed_class(text.partition("\n")[2], tmp_path / "real")
    assert (made.INFO.name, made.INFO.mnemonic) == ("Fresh", "fresh")


def test_a_mistake_leaves_nothing_behind(project: Project) -> None:
    before = sorted(project.root.rglob("*"))
    assert main(["new", "Fresh", "--like", "Other", "--mnemonic", "n.fresh", "--root", str(project.root)]) == 2
    assert sorted(project.root.rglob("*")) == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("Fresh", "--dialect", "../q"), '"../q" is not a name of a dialect'),
        (("Fresh", "--dialect", "../q", "--base", "NeuronInst"), '"../q" is not a name of a dialect'),
        (("Fresh", "--dialect", "../q", "--like", "Other"), '"../q" is not a name of a dialect'),
        (("Fresh", "--dialect", "/q", "--base", "NeuronInst"), '"/q" is not a name of a dialect'),
        (("Fresh", "--dialect", "..", "--base", "NeuronInst"), '".." is not a name of a dialect'),
        (("Fresh", "--dialect", "Q", "--base", "NeuronInst"), '"Q" is not a name of a dialect'),
        (("Fresh", "--dialect", "class", "--base", "NeuronInst"), "and this is a keyword of Python"),
        (("Fresh", "--dialect", "vocabulary", "--base", "NeuronInst"), "and this is that of the words"),
        (("../Fresh", "--dialect", "neuron"), '"../Fresh" is not a name of a definition'),
        (("Fresh", "--dialect", "neuron", "--base", "../NeuronInst"), 'is called "../NeuronInst"'),
        (("Fresh", "--dialect", "neuron", "--mnemonic", "../x"), "does not start with a mnemonic"),
    ],
)
def test_nothing_is_written_for_what_is_no_name(
    arguments: tuple[str, ...], said: str, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("q", "defs/Q"):
        (project.root / name).mkdir()
        (project.root.parent / name.rpartition("/")[2]).mkdir(exist_ok=True)
    before = sorted(project.root.parent.rglob("*"))
    assert main(["new", *arguments, "--root", str(project.root)]) == 2
    assert said in capsys.readouterr().err
    assert sorted(project.root.parent.rglob("*")) == before


def test_what_is_next_says_what_the_wrapper_did(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    wrapper = project.root / "runtime/wrappers/Other.py"
    wrapper.write_bytes(WRAPPER.replace(b"pass", b"def verify(self):\n        yield from super().verify()"))
    run(project, "Fresh", "--like", "Other")
    assert (
        "  - what the wrapper Other adds (verify), it does not have: where it needs that, write class Fresh(FreshGen)"
        " as in runtime/wrappers/Other.py, and `wrapper: Fresh` in defs/neuron/Fresh.yaml\n" in capsys.readouterr().out
    )


def test_what_is_next_names_the_check_of_what_it_computes(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    run(project, "Fresh", "--like", "Other")
    check = "hold it against somebody else: a `Check` of `fresh` in tests/runtime/semantics/agreement/"
    said = capsys.readouterr().out
    assert f"  - once it has `semantics`, {check}" in said
    assert "  - once it has `semantics`, give it `examples` with a whole program, which a test runs with" in said


@pytest.mark.parametrize(
    ("name", "dialect", "mnemonic"),
    [
        ("TensorCopyOp", "neuron", "tensor_copy"),
        ("DMACopyOp", "neuron", "dma_copy"),
        ("SBAtomLoad", "neuron", "sb_atom_load"),
        ("MatMul", "graph", "graph.matmul"),
        ("LSTMCell", "graph", "graph.lstm_cell"),
        ("FFT2D", "graph", "graph.fft2d"),
        ("NMSv2", "graph", "graph.nms_v2"),
        ("RMSNormV2", "graph", "graph.rms_norm_v2"),
        ("MoEGate", "graph", "graph.moe_gate"),
        ("RoPE", "graph", "graph.rope"),
        ("ConvReLU6", "graph", "graph.conv_relu6"),
        ("IsNaN", "graph", "graph.is_nan"),
        ("ToBF16", "graph", "graph.to_bf16"),
        ("If", "graph", "graph.if"),
        ("Conv2D", "graph", "graph.conv2d"),
        ("TopK2Src", "graph", "graph.top_k2_src"),
    ],
)
def test_mnemonics_are_made_from_names(name: str, dialect: str, mnemonic: str) -> None:
    assert mnemonic_for(name, dialect) == mnemonic
