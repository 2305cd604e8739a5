"""The README's tour and examples do what they say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from passes.__main__ import main
from runtime.affine import Affine
from runtime.builder import Builder
from runtime.functions import Function
from tests.tree import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(language: str, containing: str) -> str:
    """Return the README's code block in `language` that has the text, without its indentation."""
    blocks = re.findall(r"^( *)```(\w*)\n(.*?)^ *```$", README, re.MULTILINE | re.DOTALL)
    (found,) = [(indent, text) for indent, name, text in blocks if name == language and containing in text]
    indent, text = found
    return "\n".join(line.removeprefix(indent) for line in text.splitlines()) + "\n"


def python(program: str, folder: Path) -> str:
    """Run a Python program in a folder, and return what it prints."""
    environment = {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tour's program in a file, in the current folder."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "chain.txt"
    file.write_text(block("", "func @main"), encoding="utf-8")
    return file


def test_the_pass_takes_out_the_rounding_and_counts_the_bytes_that_the_readme_names(
    program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = re.search(r"`python -m passes chain.txt (.*?)`", README)
    assert command is not None
    assert main([program.name, *command[1].split()]) == 0
    printed = capsys.readouterr()
    assert "%p: f32[128,512] = activation gelu %x" in printed.out and "tensor_copy" not in printed.out
    assert "2048 bytes" in README and "2048 bytes" in printed.err


def test_the_snippet_runs(program: Path) -> None:
    empty, values = python(block("python", "runtime.parse"), program.parent).split("\n", 1)
    assert empty == "[]" and "0." in values


def test_the_example_of_the_builder_runs(tmp_path: Path) -> None:
    example = block("python", "runtime.Builder")
    assert python(example, tmp_path) == (
        "[]\n"
        "target trn2\n"
        "\n"
        "func @main(%x: f32[128,512]) {\n"
        "  tensor %t: bf16[128,1024] sbuf\n"
        "  %t[512 | 1024:128, 1:512] = activation gelu %x\n"
        "  %y: f32[128,512] = reciprocal %t[512 | 1024:128, 1:512]\n"
        "  return %y\n"
        "}\n\n"
    )
    assert "# %t[512 | 1024:128, 1:512] = activation gelu %x\n" in example


def test_the_builder_makes_loops_as_the_readme_says() -> None:
    line = re.search(r"`with (build\.loop\(.*?\)) as i:`.*?`(Affine\(.*?\))`", README, re.DOTALL)
    assert line is not None
    build = Builder(Function("main"))
    with eval(line[1], {"build": build}) as i:
        assert eval(line[2], {"Affine": Affine, "i": i}).bounds == (0, 3 * 128)


def test_what_is_built_is_walked_as_the_readme_says(tmp_path: Path) -> None:
    shown = (
        "print([inst.name for inst in module.insts] == [inst.name for inst in function.insts])\n"
        "(user,) = y.users\n"
        "print(type(user).__name__, y.uses == {user: 1}, user.operands() == (y,))\n"
    )
    printed = python(block("python", "build.insert(Return") + shown, tmp_path)
    assert printed.endswith("True\nReturn True True\n")
    for name in ("module.insts", "function.insts", "value.users", "value.uses", "inst.operands()"):
        assert f"`{name}`" in README


def test_a_converted_model_runs_exactly(tmp_path: Path) -> None:
    """The largest f16 is 65504: the product of 300 and 300 overflows, whatever a peer computes it in."""
    nodes = [helper.make_node("MatMul", ["x", "x"], ["y"])]
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 1]) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "model", values[:1], values[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, tmp_path / "model.onnx")
    given = "import numpy\ninputs = {'x': numpy.array([[300.0]], numpy.float32)}\n"
    shown = "print([array.tolist() for array in outputs.values()])\n"
    assert python(given + block("python", "passes.convert") + shown, tmp_path) == "[[[inf]]]\n"


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:tests|runtime|passes|brewer|bench)/[\w./]+)`", README))))
def test_what_the_readme_points_to_exists(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([\w./]+)\)", README))))
def test_links_lead_somewhere(link: str) -> None:
    assert (ROOT / link).is_file()


def anchors(page: Path) -> set[str]:
    """Return the anchors that the headings of a page have on GitHub."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([\w./]*#[\w-]+)\)", README))))
def test_links_into_pages_lead_to_a_heading(link: str) -> None:
    file, _, anchor = link.partition("#")
    assert anchor in anchors(ROOT / (file or "README.md"))


def test_everybody_finds_a_section_on_the_first_screen() -> None:
    """Both kinds of users have links above the first heading of a section."""
    first = README.partition("\n## ")[0]
    assert {"#add-an-instruction", "#add-a-pass", "#convert-an-onnx-model"} <= set(re.findall(r"\((#[\w-]+)\)", first))
    assert first.count("\n") < 30
