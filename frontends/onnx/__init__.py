"""ONNX models, in and out: `load`, `save`, `to_proto`; needs the `onnx` extra.

    module = load("model.onnx")        # nothing is lost: save() of an untouched module gives the same model
    save(module, "converted.onnx")

Errors are `OnnxError`. `SIGNATURES` says which types operators may have, and lets `runtime.run` compute them; `load`
hangs it on the module, and a program of ONNX nodes that came from elsewhere gets it by `module.signatures =
SIGNATURES`. `frontends.onnx.equality.why_different` compares two models.
"""

from frontends.onnx.errors import BrokenModelError, ExportError, ExternalDataError, OnnxError, OperatorSetError
from frontends.onnx.read_model import SIGNATURES, load
from frontends.onnx.write_model import save, to_proto

__all__ = [
    "SIGNATURES",
    "BrokenModelError",
    "ExportError",
    "ExternalDataError",
    "OnnxError",
    "OperatorSetError",
    "load",
    "save",
    "to_proto",
]
