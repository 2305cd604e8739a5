"""The README's tour does what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from passes.__main__ import main
from tests.tree import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(language: str, containing: str) -> str:
    """Return the README's code block in `language` that has the text, without its indentation."""
    blocks = re.findall(r"^( *)```(\w*)\n(.*?)^ *```$", README, re.MULTILINE | re.DOTALL)
    (found,) = [(indent, text) for indent, name, text in blocks if name == language and containing in text]
    indent, text = found
    return "\n".join(line.removeprefix(indent) for line in text.splitlines()) + "\n"


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
    snippet = block("python", "runtime.parse")
    environment = {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", snippet]
    done = subprocess.run(command, cwd=program.parent, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    empty, values = done.stdout.split("\n", 1)
    assert empty == "[]" and "0." in values


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:tests|runtime|passes|brewer|bench)/[\w./]+)`", README))))
def test_what_the_readme_points_to_exists(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([\w./]+)\)", README))))
def test_links_lead_somewhere(link: str) -> None:
    assert (ROOT / link).is_file()
