"""Reading a model: `load(path) -> Module`.

The graph becomes the function `main`, each local function one of its own (`domain::name`), its arguments of unknown
types. What the IR does not model is carried (`frontends/onnx/shells.py`), so that writing an untouched module gives the
model back. One thing does not come back: nodes that were out of order, which no valid model has, are sorted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from onnx import ModelProto

from frontends.onnx import shells
from frontends.onnx.data_files import data_folders
from frontends.onnx.errors import BrokenModelError, OnnxError, OperatorSetError
from frontends.onnx.inference import fill_types
from frontends.onnx.inlining import inlined
from frontends.onnx.legal_types import OnnxSignatures
from frontends.onnx.operator_sets import raised
from frontends.onnx.piecewise import LeftOut, read_pieces
from frontends.onnx.protobuf import LARGEST_FILE, DecodeError, encoded
from frontends.onnx.read_graph import GraphReader
from frontends.onnx.schemas import domain_in_ir
from frontends.onnx.unification import unify
from frontends.onnx.write_model import proto_of_module
from runtime.dtypes import holds
from runtime.functions import Function, Module
from runtime.garbage import paused_gc
from runtime.generic import ONNX_DOMAIN, Initializer, OnnxNode, function_name

if TYPE_CHECKING:
    from runtime.interpreter.machine import Evaluator
    from runtime.values import Operand

_LARGE: Final = 1 << 24  # bytes of a file that is not read as a whole


def load(model: str | os.PathLike[str] | ModelProto, folder: str | os.PathLike[str] | None = None) -> Module:
    """Return the module of a model: a file, or a `ModelProto` with the `folder` that its external data is in.

    Weights are not copied: the module holds tensors of the proto, which must not change any more. Data beside the model
    is read when somebody asks for it.

    Raises: OnnxError, which says what is wrong with the model and where; OSError where the file cannot be read.
    """
    if isinstance(model, ModelProto):
        return _read(model, None if folder is None else Path(folder))
    path = Path(model)
    proto = read_proto(path)
    try:
        return _read(proto, path.parent if folder is None else Path(folder))
    except OnnxError as error:
        raise type(error)(f"{path.name}: {error}") from None


class ModelSignatures(OnnxSignatures):
    """What is known of the operators of models, which can be had in newer operator sets."""

    def raised(self, module: Module, version: int) -> Module | str:
        """Return a copy of a module in a newer operator set of ONNX, or why it cannot be had."""
        if module.root_function.operator_sets.get(ONNX_DOMAIN) == version:
            return module.clone()
        try:
            return _changed(module, lambda model: raised(model, version))
        except OnnxError as error:
            return str(error)

    def inlined(
        self, module: Module, names: Collection[str], calls: Collection[str] = ()
    ) -> tuple[Module, dict[str, str]] | str:
        """Return a copy of a module without calls of some local functions, and which are called yet; or why not."""
        left: dict[str, str] = {}

        def change(model: ModelProto) -> ModelProto:
            result, why = inlined(model, names, calls)
            left.update(why)
            return result

        try:
            return _changed(module, change), left
        except OnnxError as error:
            return str(error)

    def largest_elsewhere(self, module: Module, inputs: Mapping[str, Any]) -> dict[Operand, float] | str:
        """Return the largest finite magnitudes when onnxruntime runs a module, or why there are none."""
        from frontends.onnx.onnxruntime_run import largest

        return largest(module, inputs)

    def evaluator(self, module: Module) -> Evaluator:
        """Return what computes the nodes of a module; it needs the reference of ONNX, which is loaded now."""
        from frontends.onnx.evaluate import evaluator

        return evaluator(module)


SIGNATURES = ModelSignatures()


def _changed(module: Module, change: Callable[[ModelProto], ModelProto]) -> Module:
    """Return a module as a changed model; large tensors are those of the module itself, and not copied.

    Raises: OnnxError.
    """
    folders = data_folders(module)
    if len(folders) > 1:
        raise OperatorSetError(f'the program reads data from several folders, "{folders[0]}" and "{folders[1]}"')
    left_out: LeftOut = {}
    result = load(change(proto_of_module(module, left_out)), folders[0] if folders else None)
    main = result.root_function
    for inst in main.insts:
        if isinstance(inst, Initializer) and inst.name in left_out:
            inst.value = left_out[inst.name]
    for argument in main.args:
        if argument.default is not None and argument.name in left_out:
            argument.default = left_out[argument.name]
    return result


def read_proto(path: Path) -> ModelProto:
    """Return what a file holds.

    Raises: BrokenModelError, OSError.
    """
    size = path.stat().st_size
    if size > LARGEST_FILE:
        raise BrokenModelError(
            f"{path.name}: has {size} bytes, and protobuf reads no message of more than {LARGEST_FILE}; such a model"
            " has its tensors in files beside it (onnx.save with save_as_external_data)"
        )
    try:
        if size >= _LARGE:
            with path.open("rb") as file:
                found = read_pieces(file, size)
            if found is not None:
                return found
        proto: ModelProto = ModelProto.FromString(path.read_bytes())
        return proto
    except DecodeError as error:
        if "MaxDepth" in str(error):
            why = "has graphs inside of each other deeper than protobuf reads, which takes 100 messages, three a graph"
            raise BrokenModelError(f"{path.name}: {why}") from None
        raise BrokenModelError(f"{path.name}: is no ONNX model, or not all of one") from None


def _read(model: ModelProto, folder: Path | None) -> Module:
    if not model.HasField("graph"):
        raise BrokenModelError("holds no graph")
    names = _function_names(model)
    reader = GraphReader(folder, frozenset(names))
    module = Module()
    module.signatures = SIGNATURES
    with paused_gc():
        main = module.add_function(Function("main"))
        main.operator_sets = shells.operator_sets(model.opset_import)
        reader.read_main(model.graph, main)
        calls: dict[str, list[str]] = {}
        for name, proto in zip(names, model.functions, strict=True):
            reader.calls.clear()
            function = module.add_function(Function(name))
            function.operator_sets = shells.operator_sets(proto.opset_import)
            reader.read_function(proto, function)
            calls[name] = sorted(reader.calls)
        _check_recursion(calls)
        fill_types(model, reader.records, reader.types, is_small=reader.is_small)
        unify(main, reader.records, SIGNATURES)
        reader.finish()
        for cast in reader.casts:
            _mark_rounding(cast)
        module.carried = encoded(shells.make_shell(model))
    return module


def _function_names(model: ModelProto) -> list[str]:
    names: dict[str, None] = {}
    for at, function in enumerate(model.functions):
        for text in (function.domain, function.name, function.overload):
            if text.__class__ is not str:
                raise BrokenModelError(f"local function {at}: {text!r} is no UTF-8")
        name = function_name(domain_in_ir(function.domain), function.name, function.overload)
        if name in names:
            raise BrokenModelError(f"there are two local functions {name}")
        names[name] = None
    return list(names)


def _check_recursion(calls: dict[str, list[str]]) -> None:
    """Raise BrokenModelError where a local function calls itself, directly or through others."""
    finished: set[str] = set()
    for start in calls:
        stack = [(start, iter(calls[start]))] if start not in finished else []
        path = {start: None} if stack else {}
        while stack:
            name, rest = stack[-1]
            called = next(rest, None)
            if called is None:
                stack.pop()
                path.pop(name)
                finished.add(name)
            elif called in path:
                circle = [*path][[*path].index(called) :]
                raise BrokenModelError(f"local functions call each other in a circle: {' -> '.join([*circle, called])}")
            elif called not in finished:
                path[called] = None
                stack.append((called, iter(calls[called])))


def _mark_rounding(cast: OnnxNode) -> None:
    """Mark a cast to a narrower float, which the program's author asked for: no pass may leave it out."""
    source = cast.values[0] if cast.values else None
    to, of = cast.type.dtype, source.type.dtype if source is not None else None
    if to is not None and to.is_float and (of is None or (of.is_float and not holds(to, of))):
        cast.rounding = "user"
