"""Whoever uses one instruction imports that one, what it stands on, and nothing of the others."""

import json
import subprocess
import sys

import pytest

from generated import INSTRUCTIONS
from tests.tree import ROOT

CODE = """
import json, sys
import runtime
from runtime.instruction_set import standard
inst = standard()[sys.argv[1]]
bases = [cls.__module__ for cls in inst.__mro__]
print(json.dumps([bases, sorted(sys.modules)]))
"""


@pytest.mark.parametrize("mnemonic", ["graph.layer_norm", "graph.fused_conv_bias_act", "activation", "indirect_load"])
def test_one_instruction_imports_its_own_module_and_those_of_its_bases(mnemonic: str) -> None:
    assert mnemonic in INSTRUCTIONS
    said = subprocess.run([sys.executable, "-c", CODE, mnemonic], cwd=ROOT, capture_output=True, text=True, check=True)
    bases, loaded = json.loads(said.stdout)
    brewed = {
        name for name in loaded if name.startswith(("generated.graph.", "generated.neuron.", "runtime.wrappers."))
    }
    assert brewed == {name for name in bases if name.startswith(("generated.", "runtime.wrappers."))}
    assert not [name for name in loaded if name.startswith("runtime.semantics.")]
    assert not {"yaml", "jinja2", "black", "onnx", "jax", "scipy"} & set(loaded)
