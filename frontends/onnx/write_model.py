"""Writing a module as a model: `to_proto(module)`, `save(module, path)`.

A module that was read and not touched gives the model that it came from (`frontends/onnx/equality.py` says what that
means). After passes, what is new is named, nodes are sorted, and types that are stated follow.
"""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from onnx import FunctionProto, ModelProto, external_data_helper, helper

from frontends.onnx import external
from frontends.onnx.errors import ExportError
from frontends.onnx.naming import names_of
from frontends.onnx.plan import plan_of
from frontends.onnx.shells import import_operator_sets, parse_shell
from frontends.onnx.tensors import OnnxTensor
from frontends.onnx.write_graph import GraphWriter
from runtime.functions import Module
from runtime.garbage import paused_gc
from runtime.generic import ONNX_DOMAIN, Initializer, OnnxNode
from runtime.lazy_tensors import LazyTensor

LARGEST_FILE = 2**31 - 1
"""Bytes of one protobuf message."""


def to_proto(module: Module) -> ModelProto:
    """Return a module as a model.

    The versions of operators are those of `Function.operator_sets`. A module that was not read from a model gets the
    version of the format that its operators came with.

    Raises: ExportError where no model says what the module says.
    """
    model = parse_shell(ModelProto, module.carried)
    main = module.root_function
    import_operator_sets(model, main.operator_sets)
    if module.carried is None:
        if not model.opset_import:
            raise ExportError(f"@{main.name}: no operator_sets, so no model says what its operators are")
        model.ir_version = helper.find_min_ir_version_for(model.opset_import, ignore_unknown=True)
    with paused_gc():
        for function in (main, *(one for one in module.functions.values() if one is not main)):
            plan = plan_of(function)
            if isinstance(plan.shell, FunctionProto):
                if plan.block.carried is None:
                    _identify(plan.shell, function.name)
                import_operator_sets(plan.shell, function.operator_sets)
            imports_onnx = ONNX_DOMAIN in function.operator_sets
            writer = GraphWriter(f"@{function.name}", names_of(plan), imports_onnx)
            if function is main:
                writer.write_graph(model.graph, plan)
            else:
                writer.write_function(model.functions.add(), plan)
    return model


def save(module: Module, path: str | os.PathLike[str]) -> None:
    """Write a module as a model file, which is there whole or not at all.

    Data beside the model goes along: where the file is written into another folder than the module was read from, the
    data files that it names are copied there under the same names. What is too large for one file goes to
    `<path>.data`.

    Raises: ExportError, ExternalDataError, OSError.
    """
    path = Path(path)
    model = to_proto(module)
    _copy_external_data(module, path.parent)
    if _size(module) >= LARGEST_FILE:
        data = f"{path.name}.data"
        (path.parent / data).unlink(missing_ok=True)
        external_data_helper.convert_model_to_external_data(model, location=data)
        external_data_helper.write_external_data_tensors(model, str(path.parent))
    with _replacing(path) as file:
        file.write(model.SerializeToString())


def _identify(shell: FunctionProto, name: str) -> None:
    """Fill the shell of a local function that was not read from a model."""
    domain, *rest = name.split("::")
    if not rest:
        raise ExportError(f"@{name}: a local function is called domain::name")
    shell.domain, shell.name, shell.overload = domain, rest[0], "::".join(rest[1:])


def _tensors(module: Module) -> Iterator[LazyTensor]:
    """Yield every lazy tensor of a module."""
    for function in module.functions.values():
        for argument in function.args:
            if isinstance(argument.default, LazyTensor):
                yield argument.default
        for inst in function.insts:
            if isinstance(inst, Initializer) and isinstance(inst.value, LazyTensor):
                yield inst.value
            elif isinstance(inst, OnnxNode):
                for value in inst.attributes.values():
                    yield from (
                        one for one in (value if isinstance(value, tuple) else (value,)) if isinstance(one, LazyTensor)
                    )


def _size(module: Module) -> int:
    """Return about how many bytes the tensors inside the model take, constants that passes made included."""
    size = 0
    for function in module.functions.values():
        values = [argument.default for argument in function.args]
        values += [inst.value for inst in function.insts if isinstance(inst, Initializer)]
        for value in values:
            if value is not None and not (isinstance(value, OnnxTensor) and value.place is not None):
                size += value.type.size_in_bytes or 0
    return size


def _copy_external_data(module: Module, folder: Path) -> None:
    done: set[tuple[str, ...]] = set()
    for tensor in _tensors(module):
        place = tensor.place if isinstance(tensor, OnnxTensor) else None
        source = tensor.folder if isinstance(tensor, OnnxTensor) else None
        if place is None or source is None or place.parts in done or _is_same(source, folder):
            continue
        done.add(place.parts)
        assert isinstance(tensor, OnnxTensor)
        _copy(place, source, folder, tensor.proto.name)


def _copy(place: external.Place, source: Path, folder: Path, name: str) -> None:
    target = folder.joinpath(*place.parts)
    with os.fdopen(external.open_file(place, source, name), "rb") as data:
        if target.is_file() and filecmp.cmp(source.joinpath(*place.parts), target, shallow=False):
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        with _replacing(target) as file:
            shutil.copyfileobj(data, file, 1 << 20)


def _is_same(a: Path, b: Path) -> bool:
    return b.exists() and os.path.samefile(a, b)


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """Give a file to write, which takes the place of `path` when all is written."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(partial, "xb") as file:
            yield file
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
