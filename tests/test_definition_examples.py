"""Every form that `examples` may have is read as the brewer reads it: a text, a list of texts, and single lines."""

from pathlib import Path

import pytest

from brewer.load import load
from tests.brewer.miniature import build
from tests.definition_examples import programs_in

HEAD = """\
name: Soft
base: GraphInst
summary: Is soft.
rhs_str: "graph.soft {src}"
operands:
  src: {}
results:
  result: {same_as: src}
"""
LINE = "%r: f32[2] = graph.soft %a"
PROGRAM = "func @main(%x: f32[2]) {\n  %y: f32[2] = graph.soft %x\n  return %y\n}\n"
BLOCK = PROGRAM.replace("\n", "\n  ").rstrip() + "\n"


@pytest.mark.parametrize(
    ("examples", "programs"),
    [
        (f"examples: |\n  {BLOCK}", 1),
        (f"examples:\n- |\n  {BLOCK}", 1),
        (f"examples:\n- |-\n  {BLOCK}- |\n  target trn2\n\n  {BLOCK}", 2),
        (f'examples: "{LINE}"\n', 0),
        (f'examples: ["{LINE}", "graph.soft %a"]\n', 0),
        (f'examples:\n- "{LINE}"\n- |\n  {BLOCK}', 1),
        ("", 0),
    ],
)
def test_each_form(examples: str, programs: int, tmp_path: Path) -> None:
    project = build(tmp_path / "project", {"defs/graph/Soft.yaml": (HEAD + examples).encode()})
    load(project)  # which raises where the brewer refuses it
    found = programs_in(project.definitions / "graph" / "Soft.yaml")
    assert found == [PROGRAM, f"target trn2\n\n{PROGRAM}"][:programs]
