"""Arrays in files: what a program is run on, in `.npy` and `.npz`, and what comes out of it, in `.npz`.

numpy's files have no data types but numpy's own. Elements of any other (bf16, the 8-bit and 4-bit floats, 4-bit
integers) are written as their bits, in unsigned integers of as many bytes, and are read from those, or from what
`numpy.save` makes of an array of `ml_dtypes`. Elements of fewer than 8 bits stand one a byte.

Deliberately absent: pickled objects, and any conversion of values.
"""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tokenize import TokenError
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.interpreter.inputs import Input
from runtime.program_files import write_bytes
from runtime.quoting import spelled_name, unquoted

Array = NDArray[Any]

# What numpy and zipfile raise for damaged files: headers that are no literals, extents beyond 64 bits, unhashable keys,
# entries that are encrypted, or compressed by a method that is not there.
_UNREADABLE = (
    OSError,
    ValueError,
    TypeError,
    OverflowError,
    EOFError,
    KeyError,
    SyntaxError,
    TokenError,
    RuntimeError,
    MemoryError,
    zipfile.BadZipFile,
    zlib.error,
)


def read_arrays(arguments: Iterable[str]) -> dict[str, Array]:
    """Return the arrays of `[NAME=]FILE`: of a `.npz` by their names in it, of a `.npy` by NAME or its file's name.

    Raises: DiagnosticsError with every file that cannot be read, and every name that comes twice.
    """
    arrays: dict[str, Array] = {}
    problems = []
    for argument in arguments:
        name, file = split_argument(argument)
        try:
            for key, array in _arrays_in(name, file):
                if key in arrays:
                    problems.append(Diagnostic("R002", f'the input "{key}" is given twice, the second time by {file}'))
                arrays[key] = array
        except DiagnosticsError as error:
            problems.extend(error.diagnostics)
    if problems:
        raise DiagnosticsError(problems)
    return arrays


def split_argument(argument: str) -> tuple[str | None, str]:
    """Return the name and the file of `[NAME=]FILE`; a file that is there may have the sign in its own name."""
    name, sign, file = argument.partition("=")
    return (name, file) if sign and not os.path.exists(argument) else (None, argument)


def as_declared(arrays: Mapping[str, Array], wanted: Iterable[Input]) -> dict[str, Array]:
    """Return arrays under the printed names of the inputs, bits as elements of the dtypes that are declared.

    What fits no input is left for the interpreter to complain about.
    """
    by_name = {one.name: one for one in wanted}
    found = {}
    for given, array in arrays.items():
        name = given if given in by_name else spelled_name(given)
        one = by_name.get(name)
        dtype = one.type.dtype if one is not None and one.type.is_tensor else None
        found[given if one is None else name] = array if dtype is None else _from_bits(array, dtype.numpy)
    return found


def write_arrays(name: str, arrays: Mapping[int | str, Any]) -> None:
    """Write what a run gave to an `.npz`: returned values by their positions, output tensors by their names.

    Raises: DiagnosticsError where it cannot be written, or something in it is no array.
    """
    strange = [key for key, array in arrays.items() if not isinstance(array, np.ndarray) or array.dtype.hasobject]
    if strange:
        said = "is no array of numbers, so it has no form in an .npz"
        raise DiagnosticsError([Diagnostic("R005", f"output {key} {said}") for key in strange])
    write_bytes(name, lambda file: _write_archive(file, arrays))


def archive_of(arrays: Mapping[str, Any]) -> bytes:
    """Return what an `.npz` of these arrays holds."""
    buffer = io.BytesIO()
    _write_archive(buffer, arrays)
    return buffer.getvalue()


def arrays_of_archive(contents: bytes, called: str) -> dict[str, Array]:
    """Return the arrays of an `.npz` that is in memory.

    Raises: DiagnosticsError where it is damaged; `called` is what it is called then.
    """
    return dict(_arrays_in(None, called, io.BytesIO(contents)))


def _arrays_in(name: str | None, file: str, contents: BinaryIO | None = None) -> Iterator[tuple[str, Array]]:
    try:
        loaded: Any = np.load(contents or file, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            yield Path(file).stem if name is None else name, loaded
            return
        if name is not None:
            message = f'{file} is an archive, whose arrays have names of their own; leave out "{name}="'
            raise DiagnosticsError([Diagnostic("R001", message)])
        with loaded:
            for key in loaded.files:
                array = loaded[key]
                if not isinstance(array, np.ndarray):
                    raise ValueError(f'"{key}" in it is no array')
                yield key, array
    except _UNREADABLE as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error).partition("\n")[0]
        help_text = "" if os.path.exists(file) else "inputs are [NAME=]FILE, where FILE is a .npy or .npz"
        if "pickled" in reason:  # what numpy says of whatever it does not know
            reason = "it is neither a .npy nor a .npz"
        if "descr" in reason:  # of f8e5m2
            help_text = (
                "numpy.save gives some arrays of ml_dtypes a type that it cannot read; save array.view(numpy.uint8)"
            )
        raise DiagnosticsError([Diagnostic("R001", f"{file} cannot be read: {reason}", help=help_text)]) from error


def _from_bits(array: Array, dtype: np.dtype[Any]) -> Array:
    native = array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
    if native.dtype == dtype or native.dtype.itemsize != dtype.itemsize or native.dtype.names is not None:
        return native
    if native.dtype.kind == "V" or (native.dtype.kind == "u" and not _is_numpys(dtype)):
        return np.ascontiguousarray(native).view(dtype).reshape(native.shape)
    return native


def _write_archive(file: BinaryIO, arrays: Mapping[Any, Array]) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        for key, array in arrays.items():
            bits = array if _is_numpys(array.dtype) else array.view(f"u{array.dtype.itemsize}")
            entry = zipfile.ZipInfo(f"{_name_in_archive(key)}.npy")  # without the time, so equal runs give equal files
            with archive.open(entry, "w", force_zip64=True) as opened:
                np.lib.format.write_array(opened, np.asanyarray(bits), allow_pickle=False)


def _name_in_archive(key: int | str) -> str:
    if isinstance(key, int) or not key.startswith('"'):
        return str(key)
    name = unquoted(key)
    return name if name.isprintable() and not name.isdecimal() else key


def _is_numpys(dtype: np.dtype[Any]) -> bool:
    return dtype.isbuiltin == 1 or dtype.type.__module__ == "numpy"
