"""What a model says beyond the IR, carried through it: protos without what the IR models, as bytes.

    Module.carried     ModelProto without graph and functions
    Block.carried      GraphProto without nodes and initializers, or FunctionProto without nodes
    OnnxNode.carried   NodeProto with nothing but doc string, metadata, device configurations, rests of attributes

The node list of a graph's or a function's shell, which is free, holds what belongs to the shell itself, as names of
values under an op type. ORDER: the initializers in order (only where it is not the usual one: those that are no inputs,
then those that are). LOOSE: what `value_info` names although it does not exist. SHADOWS: what hides a value of an outer
graph. ODD: what is declared twice, with types that contradict each other.

They are bytes, so that they are copied, compared, printed and read back without onnx.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto

from frontends.onnx.attributes import shell_of
from frontends.onnx.errors import BrokenModelError, ExportError
from frontends.onnx.protobuf import DecodeError, encoded, fields_of, has_unknown_fields
from frontends.onnx.schemas import domain_in_files, domain_in_ir

ORDER = "order of initializers"
LOOSE = "value_info without value"
SHADOWS = "hides a value of an outer graph"
ODD = "declared in two ways"

_M = TypeVar("_M", ModelProto, GraphProto, FunctionProto, NodeProto)
_MODELLED: dict[type, tuple[str, ...]] = {
    ModelProto: ("graph", "functions"),
    GraphProto: ("node", "initializer", "sparse_initializer"),
    FunctionProto: ("node",),
}


def make_shell(proto: _M) -> _M:
    """Return a model, graph or function without what the IR models."""
    modelled = _MODELLED[type(proto)]
    shell = type(proto)()
    if has_unknown_fields(proto):  # only a whole copy keeps them
        shell.CopyFrom(proto)
        for field in modelled:
            shell.ClearField(field)
        return shell
    for name, value in fields_of(proto).items():
        if name in modelled:
            continue
        if isinstance(value, (str, int)):
            setattr(shell, name, value)
        elif isinstance(value, bytes):
            raise BrokenModelError(f"{name} is {value!r}, which is no UTF-8")
        else:  # a list: no message stands alone in what is left
            getattr(shell, name).extend(value)
    return shell


def note(shell: GraphProto | FunctionProto, what: str, names: Iterable[str]) -> None:
    """Add names under ORDER, LOOSE, SHADOWS or ODD, if there are any."""
    listed = tuple(names)
    if listed:
        shell.node.add(op_type=what, input=listed)


def noted(shell: GraphProto | FunctionProto, what: str) -> tuple[str, ...]:
    """Return the names under ORDER, LOOSE, SHADOWS or ODD."""
    return tuple(name for node in shell.node if node.op_type == what for name in node.input)


def operator_sets(imports: Iterable[OperatorSetIdProto]) -> dict[str, int]:
    """Return versions by domain, the standard one spelled out; of two versions the first."""
    versions: dict[str, int] = {}
    for one in imports:
        versions.setdefault(domain_in_ir(one.domain), one.version)
    return versions


def import_operator_sets(shell: ModelProto | FunctionProto, versions: Mapping[str, int]) -> None:
    """Let a model or function import these versions; what it says already stays as it is spelled."""
    known = operator_sets(shell.opset_import)
    for domain, version in versions.items():
        if domain not in known:
            shell.opset_import.add(domain=domain_in_files(domain), version=version)
        elif known[domain] != version:
            for one in shell.opset_import:
                if domain_in_ir(one.domain) == domain:
                    one.version = version


def node_shell(node: NodeProto, shelled: Iterable[int]) -> bytes:
    """Return the shell of a node that needs one; `shelled`: the positions of the attributes that leave a rest."""
    shell = NodeProto()
    attributes = [shell_of(node.attribute[index]) for index in shelled]
    if has_unknown_fields(node):
        shell.CopyFrom(node)
        for field in ("input", "output", "op_type", "overload", "name", "attribute"):
            shell.ClearField(field)
    else:
        if node.domain:
            shell.domain = node.domain
        if node.doc_string:
            shell.doc_string = node.doc_string
        shell.metadata_props.extend(node.metadata_props)
        shell.device_configurations.extend(node.device_configurations)
    for attribute in attributes:
        shell.attribute.add().CopyFrom(attribute)
    return encoded(shell)


def parse_shell(cls: type[_M], data: bytes | None) -> _M:
    """Return a shell from its bytes; an empty one where there are none.

    Raises: ExportError where the bytes are no such shell.
    """
    try:
        shell = cls()
        shell.ParseFromString(data or b"")
        return shell
    except DecodeError as error:
        raise ExportError(f"what is carried is no {cls.__name__}: {error}") from None
