"""What may go wrong with an ONNX model. Each message says where, what was found and what was expected."""

from __future__ import annotations


class OnnxError(Exception):
    """A model cannot be read or written as it stands; the message names the graph, the node and the value."""


class BrokenModelError(OnnxError):
    """A file is no ONNX model, or the model breaks the rules that give it a meaning."""


class ExternalDataError(OnnxError):
    """Data beside a model is missing, too short, or where a model may not point to."""


class OperatorSetError(OnnxError):
    """A model cannot be had in another operator set."""


class InliningError(OnnxError):
    """The local functions of a model cannot be put where they are called."""


class ExportError(OnnxError):
    """A module holds what an ONNX model cannot say."""
