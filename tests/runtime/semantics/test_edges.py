"""What the verifier lets pass runs, whatever the shapes: rank 0, extents of 0 and 1, and extents that are not known."""

import numpy as np
import pytest

from generated import INSTRUCTIONS
from runtime.instruction_set import standard
from tests.definition_examples import programs_of
from tests.runtime.semantics.edges import inputs_for, on_the_edge, why_it_fails

ENDLESS = ("graph.while",)  # whose example goes on for as long as its inputs say
COMPUTING = [
    mnemonic for mnemonic in INSTRUCTIONS if standard()[mnemonic].INFO.semantics is not None and mnemonic not in ENDLESS
]


@pytest.mark.parametrize("mnemonic", COMPUTING)
def test_what_is_verified_runs(mnemonic: str) -> None:
    info = standard()[mnemonic].INFO
    texts = programs_of(info.dialect, info.name)
    assert texts, f"{mnemonic} computes, so its `examples` need a whole program, `func @main(...) {{ ... }}`"
    for text in texts:
        given = inputs_for(text)
        for changed in on_the_edge(text):
            reason = why_it_fails(changed, given)
            assert reason is None, f"{changed}\n{reason}"


def test_every_change_gives_another_program() -> None:
    text = "func @main(%x: f32[2,3]) {\n  %y: f32[2,3] = graph.cast %x\n  return %y\n}"
    shapes = [changed.partition("%x: f32[")[2].partition("]")[0] for changed in on_the_edge(text)]
    assert shapes == ["", "0,0", "0,3", "2,0", "1,1", "1,3", "2,1", "?,?", "?,3", "2,?"]


def test_a_program_that_is_verified_and_fails_is_seen() -> None:
    text = "func @main(%x: f32[?,2]) {\n  %y: f32[4,3] = graph.reshape %x {new_shape = [4, 3]}\n  return %y\n}"
    assert why_it_fails(text, {"x": np.zeros((6, 2), np.float32)}) is None
    assert "do not fit" in str(why_it_fails(text, {"x": np.zeros((4, 2), np.float32)}))
