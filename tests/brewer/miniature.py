"""A project of one screen, which the cases brew in: a vocabulary, base classes and named functions.

Deliberately small and fixed, so that the expectations of the cases do not move with the real `runtime`.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path

from brewer.project import Project

FILES = {
    "defs/vocabulary.yaml": """\
dtypes: [bool, i32, f32, f16, bf16]
dtype_groups:
  floats: [f32, f16, bf16]
memories: [dram, sbuf, psum]
engines: [unknown, tensor, vector, scalar]
targets: {trn1: [tensor, vector], trn2: [tensor, vector, scalar]}
enums:
  function:
    doc: Functions of one number.
    values: [exp, square, tanh]
engine_memories:
  tensor: {reads: sbuf, writes: psum}
  vector: {reads: [sbuf, psum], writes: [sbuf, psum]}
""",
    "runtime/instructions.py": """\
from typing import TYPE_CHECKING

from runtime.access import AccessMode, NeuronAP
from runtime.types import Type

if TYPE_CHECKING:
    from runtime.bir.records import BirWriter, Record
    from runtime.names import Names

class Problem: ...

class Instruction:
    __slots__ = ("loc", "parent")
    def __init__(self, result_type: Type, loc: str | None = None) -> None: ...
    @property
    def dtype(self): ...
    def clone(self): ...
    def verify(self): ...

class NeuronInst(Instruction):
    __slots__ = ("_engine", "dst")
    def __init__(self, result_type: Type, dst: NeuronAP | None = None, loc: str | None = None) -> None:
        self.dst = dst

class GraphInst(Instruction):
    __slots__ = ()
""",
    "runtime/access.py": "class AccessMode: ...\nclass APIndex: ...\nclass NeuronAP: ...\n",
    "runtime/engines.py": "class NeuronEngine: ...\n",
    "runtime/info.py": "class AttributeInfo: ...\nclass Group: ...\nclass DstInfo: ...\nclass InstructionInfo: ...\n"
    "class PortInfo: ...\nclass RegionInfo: ...\nclass ResultInfo: ...\nclass OperandInfo: ...\nclass Show: ...\n",
    "runtime/tensors.py": "class Tensor: ...\n",
    "runtime/types.py": "class Type: ...\n",
    "runtime/values.py": "class Operand: ...\n",
    "runtime/blocks.py": "class Block: ...\n",
    "runtime/dtypes.py": "class DType: ...\n",
    "runtime/infer.py": 'def product_type(lhs, rhs):\n    """Return the type of a product."""\n'
    'def reduced_type(src, dim):\n    """Return the type of `src` without a dimension."""\n',
    "runtime/semantics/elementwise.py": "def exponential(src): ...\ndef square(src): ...\n",
}
TEMPLATES = Project.of_this_tool().templates


def build(root: Path, files: Mapping[str, bytes], removed: tuple[str, ...] = (), templates: bool = True) -> Project:
    """Writes the miniature into an empty folder, with the given files in place of or beside its own.

    Without `templates`, which take most of the time, nothing can be rendered.
    """
    if templates:
        shutil.copytree(TEMPLATES, root / "templates")
    for name, content in {**{name: text.encode() for name, text in FILES.items()}, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for name in removed:
        path = root / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    return Project(root)
