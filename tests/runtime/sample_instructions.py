"""A few instruction classes in the shape of brewed ones, for tests of what knows no instruction by name.

They have what few definitions have, all at once: derived fields, renames, attributes of every kind, many results.
"""

from runtime.builtin import Opaque, Return, Yield
from runtime.instructions import Instruction
from tests.runtime.sample_graph import SampleConstant, SampleIf, SampleMatMul
from tests.runtime.sample_neuron import SampleActivation, SampleGather, SampleStore

__all__ = [
    "SAMPLES",
    "SampleActivation",
    "SampleConstant",
    "SampleGather",
    "SampleIf",
    "SampleMatMul",
    "SampleStore",
]

SAMPLES: dict[str, type[Instruction]] = {
    str(cls.INFO.mnemonic): cls
    for cls in (
        *(SampleActivation, SampleGather, SampleStore, SampleMatMul, SampleConstant, SampleIf),
        *(Opaque, Return, Yield),
    )
}
