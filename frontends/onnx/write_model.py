"""Writing a module as a model: `to_proto(module)`, `save(module, path)`.

A module that was read and not touched gives the model that it came from (`frontends/onnx/equality.py` says what that
means). After passes, what is new is named, nodes are sorted, and types that are stated follow.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from onnx import FunctionProto, ModelProto, ValueInfoProto, helper

from frontends.onnx.data_files import move_out, replacing, take_along
from frontends.onnx.errors import ExportError
from frontends.onnx.naming import names_of
from frontends.onnx.piecewise import LARGE, LeftOut, fill, size_of, write_pieces
from frontends.onnx.plan import plan_of
from frontends.onnx.protobuf import LARGEST_FILE
from frontends.onnx.shells import import_operator_sets, parse_shell
from frontends.onnx.write_graph import GraphWriter
from runtime.functions import Module
from runtime.garbage import paused_gc
from runtime.generic import ONNX_DOMAIN


def to_proto(module: Module) -> ModelProto:
    """Return a module as a model.

    The versions of operators are those of `Function.operator_sets`. A module that was not read from a model gets the
    version of the format that its operators came with.

    Raises: ExportError where no model says what the module says.
    """
    return proto_of_module(module, None)


def proto_of_module(module: Module, left_out: LeftOut | None) -> ModelProto:
    """Return a module as a model; large tensors of its graph are `left_out`, where that is given, and hold nothing.

    Raises: ExportError.
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
            writer = GraphWriter(f"@{function.name}", names_of(plan), imports_onnx, left_out)
            if function is main:
                writer.write_graph(model.graph, plan)
            else:
                writer.write_function(model.functions.add(), plan)
    return model


def save(module: Module, path: str | os.PathLike[str], *, more_outputs: Iterable[str] = ()) -> None:
    """Write a module as a model file, which is there whole or not at all.

    Data beside the model goes along: where the file is written into another folder than the module was read from, the
    data files that it names are copied there under the same names; a file that is in the way is never overwritten.
    What is too large for one file goes to `<path>.data`. `more_outputs` are values that the file gives as well, whose
    types are not stated there.

    Raises: ExportError, ExternalDataError, OSError.
    """
    path = Path(path)
    left_out: LeftOut = {}
    model = proto_of_module(module, left_out)
    model.graph.output.extend(ValueInfoProto(name=name) for name in more_outputs)
    take_along(module, path)
    size = size_of(model, left_out)
    if size > LARGEST_FILE:
        fill(model, left_out)
        left_out.clear()
        move_out(model, path, module)
    with replacing(path) as file:
        if left_out or LARGE <= size <= LARGEST_FILE:
            write_pieces(file, model, left_out)
        else:
            file.write(model.SerializeToString())


def _identify(shell: FunctionProto, name: str) -> None:
    """Fill the shell of a local function that was not read from a model."""
    domain, *rest = name.split("::")
    if not rest:
        raise ExportError(f"@{name}: a local function is called domain::name")
    shell.domain, shell.name, shell.overload = domain, rest[0], "::".join(rest[1:])
