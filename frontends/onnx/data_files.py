"""The files of data beside a model when it is written: which it reads, and taking them along into another folder.

Deliberately absent: overwriting. A data file has a name that somebody else may have given to something else
(`model.onnx.data` is what exporters call it), so one that is there and differs is an error, before anything is written.
"""

from __future__ import annotations

import filecmp
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from onnx import ModelProto, external_data_helper

from frontends.onnx import external
from frontends.onnx.errors import ExportError
from frontends.onnx.tensors import OnnxTensor
from runtime.functions import Module
from runtime.generic import Initializer, OnnxNode
from runtime.lazy_tensors import LazyTensor


def data_files(module: Module) -> list[Path]:
    """Return the files beside its model that a module reads tensors from, each once."""
    return [source.joinpath(*place.parts) for place, source, _ in _places(module)]


def data_folders(module: Module) -> list[Path]:
    """Return the folders of the models that a module reads tensors beside of, each once."""
    return list(dict.fromkeys(source for _, source, _ in _places(module)))


def take_along(module: Module, path: Path) -> None:
    """Copy the data files of a module to where its model, written to `path`, looks for them.

    Raises: ExportError where a file that is something else stands in the way, or `path` is itself such a file.
        ExternalDataError, OSError where one cannot be read or written; what was copied until then stays.
    """
    for file in data_files(module):
        if path.exists() and file.exists() and os.path.samefile(path, file):
            raise ExportError(f'"{path.name}" holds data of the model, which the model itself would overwrite')
    copies = [one for one in _places(module) if not (path.parent.exists() and _is_same(one[1], path.parent))]
    missing = [one for one in copies if not _is_there(*one, path.parent)]
    for place, source, name in missing:
        target = path.parent.joinpath(*place.parts)
        with os.fdopen(external.open_file(place, source, name), "rb") as data:
            target.parent.mkdir(parents=True, exist_ok=True)
            with replacing(target) as copy:
                shutil.copyfileobj(data, copy, 1 << 20)


def move_out(model: ModelProto, path: Path, module: Module) -> None:
    """Move the tensors of a model that is too large for one file to `<path>.data`.

    Raises: ExportError where the module reads that file. OSError.
    """
    name = f"{path.name}.data"
    target = path.parent / name
    if any(file.exists() and target.exists() and os.path.samefile(file, target) for file in data_files(module)):
        raise ExportError(f'"{name}" holds data of the model; write it under another name')
    external_data_helper.convert_model_to_external_data(model, location=name)
    with tempfile.TemporaryDirectory(prefix=".", dir=path.parent) as folder:
        external_data_helper.write_external_data_tensors(model, folder)
        os.replace(Path(folder, name), target)


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Give a file to write, which takes the place of `path` when all is written."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(partial, "xb") as file:
            yield file
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def _is_there(place: external.Place, source: Path, name: str, folder: Path) -> bool:
    """Whether a copy stands where the model will look for it already.

    Raises: ExportError where something else does.
    """
    target = folder.joinpath(*place.parts)
    if not os.path.lexists(target):
        return False
    os.close(external.open_file(place, source, name))
    if target.is_file() and filecmp.cmp(source.joinpath(*place.parts), target, shallow=False):
        return True
    raise ExportError(
        f'the model keeps data in "{place.location}", and another file of that name is in its new folder; '
        "write the model into another folder, or move that file away"
    )


def _places(module: Module) -> list[tuple[external.Place, Path, str]]:
    """Return where tensors are that a module reads from files: one place a file, its folder, one of its tensors."""
    found: dict[tuple[Path, tuple[str, ...]], tuple[external.Place, Path, str]] = {}
    for tensor in _tensors(module):
        if isinstance(tensor, OnnxTensor) and tensor.place is not None and tensor.folder is not None:
            key = (tensor.folder, tensor.place.parts)
            found.setdefault(key, (tensor.place, tensor.folder, tensor.proto.name))
    return list(found.values())


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
                    each = value if isinstance(value, tuple) else (value,)
                    yield from (one for one in each if isinstance(one, LazyTensor))


def _is_same(a: Path, b: Path) -> bool:
    return a.exists() and os.path.samefile(a, b)
