"""Reading a program from BIR: all mistakes of a file in one run, each with its place and its path of keys.

A file as the writer lays it out is read statement by statement, so that it is never in memory beside its program. Any
other, and one with a mistake, is read as a whole, by the same classes, which then go on after a mistake.

Deliberately absent: judging the program. What is well formed is built; whether it makes sense the verifier says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from runtime.affine import Axis
from runtime.bir.base64_text import bytes_of
from runtime.bir.contents import constant_of
from runtime.bir.json_stream import JsonStream, NotStreamed, StreamedList
from runtime.bir.mistakes import FirstMistake, Mistakes
from runtime.bir.problems import (
    BirError,
    Key,
    Undecidable,
    check_keys,
    counted,
    decoded,
    take,
    take_or,
    word_of,
    wrong_kind,
)
from runtime.bir.reader import BirReader
from runtime.bir.sources import Source, can_be_read_twice, chunks_of
from runtime.bir.type_names import dtype_of_name
from runtime.bir.write import FORMAT, FORMAT_VERSION
from runtime.blocks import Block, Loop
from runtime.functions import Function, Module
from runtime.garbage import paused_gc
from runtime.instructions import Instruction
from runtime.tensors import TENSOR_CLASSES, Tensor

Classes = Mapping[str, type[Instruction]]

_MODULE_KEYS: Final = frozenset({"format", "version", "target", "carried", "functions"})
_FUNCTION_KEYS: Final = frozenset({"name", "operator_sets", "carried", "args", "defaults", "tensors", "body"})
_TENSOR_KEYS: Final = frozenset({"name", "dtype", "shape", "memory", "input", "output", "contents"})
_LOOP_KEYS: Final = frozenset({"loop", "name", "lower", "step", "times", "loc", "body"})
_REGION_KEYS: Final = frozenset({"carried", "args", "defaults", "body"})


def read_bir(source: Source, classes: Classes, *, name: str = "<bir>") -> Module:
    """Return the program that a file, an open file or a text holds; a `str` is the text, `name` what to call it.

    Raises: DiagnosticsError with all mistakes.
    """
    mistakes = Mistakes(name if isinstance(source, str) else str(getattr(source, "name", source)))
    with paused_gc():
        if not isinstance(source, (str, Path)) and not can_be_read_twice(source):
            source = mistakes.read(source)
        streamed = _streamed_source(source, classes)
        if streamed is not None:
            return streamed
        return read_whole(source if isinstance(source, str) else mistakes.read(source), classes, mistakes)


def read_streamed(chunks: Iterator[str], classes: Classes) -> Module:
    """Return the program that a text holds, which is fetched in chunks while it is built.

    Raises: NotStreamed where the text must be read as a whole, if only to say what is wrong with it.
    """
    stream = JsonStream(chunks)
    try:
        module = _ModuleReader(classes, FirstMistake("")).module(stream.program())
    except (BirError, ValueError, RecursionError):
        raise NotStreamed from None
    stream.finish()
    return module


def read_whole(text: str, classes: Classes, mistakes: Mistakes) -> Module:
    """Return the program that a text holds, however it is laid out.

    Raises: DiagnosticsError with all mistakes.
    """
    found = mistakes.parse(text)
    with mistakes.not_too_deep():
        module = _ModuleReader(classes, mistakes).module(found)
        mistakes.raise_if_any()
        return module


def _streamed_source(source: Source, classes: Classes) -> Module | None:
    try:
        with chunks_of(source) as chunks:
            return read_streamed(chunks, classes)
    except (NotStreamed, OSError, UnicodeDecodeError):
        return None


class _ModuleReader:
    """Builds the module, and goes on after a mistake where something is left to be checked."""

    def __init__(self, classes: Classes, mistakes: Mistakes) -> None:
        self._classes = classes
        self._mistakes = mistakes

    def module(self, found: Any) -> Module:
        module = Module()
        with self._mistakes.at():
            _check_format(found)
            check_keys(found, _MODULE_KEYS, "a program")
            target = found.get("target")
            if not isinstance(target, str | None):
                raise wrong_kind(target, "the name of a target, or null", "target")
            module.target = target
            with self._mistakes.at():
                module.carried = _carried(found)
            for index, item in enumerate(take(found, "functions", list, "a list of functions")):
                with self._mistakes.at("functions", index):
                    _FunctionReader(self._classes, self._mistakes, ("functions", index)).function(item, module)
        return module


class _FunctionReader:
    """Builds one function."""

    def __init__(self, classes: Classes, mistakes: Mistakes, path: tuple[Key, ...]) -> None:
        self._mistakes = mistakes
        self._path = path
        self._tensors: dict[str, Tensor] = {}
        self._reader = BirReader(classes, self._tensors)

    def function(self, found: Any, module: Module) -> None:
        if not isinstance(found, dict):
            raise wrong_kind(found, "a function: an object")
        check_keys(found, _FUNCTION_KEYS, "a function")
        name = take(found, "name", str, "the name of the function")
        if name in module.functions:
            raise BirError("B024", f"the program has a function @{name} already", "name")
        function = module.add_function(Function(name))
        with self._mistakes.at(*self._path):
            function.operator_sets = _operator_sets(take_or(found, "operator_sets", dict, "versions by domain", {}))
        self._arguments(found, function.body, self._path)
        for index, item in enumerate(take_or(found, "tensors", list, "a list of tensors", [])):
            with self._mistakes.at(*self._path, "tensors", index, otherwise=partial(self._give_up, item)):
                reference, tensor = _tensor(item, function)
                self._tensors[reference] = function.add_tensor(tensor)
        self._block(take(found, "body", list, "a list of statements"), function.body, (*self._path, "body"))

    def _block(self, found: list[Any], block: Block, path: tuple[Key, ...]) -> None:
        """Read statements; after a mistake in one, go on with the next."""
        statement = self._statement
        for index, item in enumerate(found):
            try:
                statement(item, block, path, index)
            except BirError as error:
                self._mistakes.add(error.inside(*path, index))
                self._give_up(item)
            except Undecidable:
                self._give_up(item)

    def _statement(self, found: Any, block: Block, path: tuple[Key, ...], index: int) -> None:
        if not isinstance(found, dict):
            raise wrong_kind(found, "an instruction or a loop: an object")
        if "loop" in found:
            self._loop(found, block, (*path, index))
            return
        inst = self._reader.instruction(found)
        block.append(inst)
        if inst.blocks or "regions" in found:
            self._regions(found, inst, (*path, index))
        self._reader.name_results(inst, found)

    def _loop(self, found: dict[str, Any], block: Block, path: tuple[Key, ...]) -> None:
        check_keys(found, _LOOP_KEYS, "a loop")
        reference = take(found, "loop", str, "the name of the axis")
        if not reference.startswith("%"):
            raise wrong_kind(reference, 'the name of an axis, such as "%i"', "loop")
        axes = self._reader.accesses.axes
        if reference in axes:
            raise BirError("B024", f'a loop around this has an axis "{reference}" already', "loop")
        axis = Axis(
            take_or(found, "name", str, "the name of the axis", reference[1:]),
            trip_count=take(found, "times", int, "a trip count"),
            lower=take_or(found, "lower", int, "a whole number", 0),
            step=take_or(found, "step", int, "a whole number", 1),
        )
        loop = Loop(axis, take(found, "loc", str, "text") if "loc" in found else None)
        body = take(found, "body", list, "a list of statements")
        block.append(loop)
        axes[reference] = axis
        self._block(body, loop.body, (*path, "body"))
        del axes[reference]

    def _regions(self, found: dict[str, Any], inst: Instruction, path: tuple[Key, ...]) -> None:
        regions = take_or(found, "regions", list, "a list of regions", [])
        if not isinstance(regions, StreamedList) and len(regions) != len(inst.blocks):
            message = f"`{inst.INFO.mnemonic}` has {counted(len(inst.blocks), 'region')}; found {len(regions)}"
            raise BirError("B032", message, *(("regions",) if "regions" in found else ()))
        for index, (block, item) in enumerate(zip(inst.blocks, regions, strict=True)):
            here = (*path, "regions", index)
            with self._mistakes.at(*here):
                if not isinstance(item, dict):
                    raise wrong_kind(item, "a region: an object")
                check_keys(item, _REGION_KEYS, "a region")
                self._arguments(item, block, here)
                self._block(take(item, "body", list, "a list of statements"), block, (*here, "body"))

    def _arguments(self, found: dict[str, Any], block: Block, path: tuple[Key, ...]) -> None:
        """Read what stands at the head of a function or region: what is carried, the arguments, what they hold."""
        with self._mistakes.at(*path):
            block.carried = _carried(found)
        for index, item in enumerate(take_or(found, "args", list, "a list of arguments", [])):
            with self._mistakes.at(*path, "args", index, otherwise=partial(self._reader.give_up, [item])):
                self._reader.argument(block, item)
        for index, item in enumerate(take_or(found, "defaults", list, "a list of defaults", [])):
            with self._mistakes.at(*path, "defaults", index):
                self._reader.default(block, item)

    def _give_up(self, found: Any) -> None:
        """Remember what a wrong statement or tensor would have defined, so that its users are not complained of."""
        if isinstance(found, dict):
            self._reader.accesses.broken.update(n for k in ("name", "loop") if isinstance(n := found.get(k), str))
            self._reader.conditions.give_up(found)
            results = found.get("results")
            self._reader.give_up(results if isinstance(results, list) else ())


def _check_format(found: Any) -> None:
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise BirError("B005", f'this is not BIR: it has no "format": "{FORMAT}"')
    version = take(found, "version", int, "the version of the format")
    if version != FORMAT_VERSION:
        help = "the file was written by a newer brewer" if version > FORMAT_VERSION else ""
        raise BirError(
            "B005", f"the format has version {version}; this brewer knows {FORMAT_VERSION}", "version", help=help
        )


def _carried(found: dict[str, Any]) -> bytes | None:
    return decoded(bytes_of, found["carried"], "carried") if "carried" in found else None


def _operator_sets(found: dict[str, Any]) -> dict[str, int]:
    for domain, version in found.items():
        if type(version) is not int:
            raise wrong_kind(version, "the version of an operator set: a whole number", "operator_sets", domain)
    return found


def _tensor(found: Any, function: Function) -> tuple[str, Tensor]:
    """Return the tensor that a declaration says, and how the function refers to it."""
    if not isinstance(found, dict):
        raise wrong_kind(found, "a tensor: an object")
    check_keys(found, _TENSOR_KEYS, "a tensor")
    reference = take(found, "name", str, "the name of the tensor")
    if not reference.startswith("%") or len(reference) < 2:
        raise wrong_kind(reference, 'the name of a tensor, such as "%x"', "name")
    if reference[1:] in function.tensors:
        raise BirError("B024", f"the function has a tensor {reference} already", "name")
    memory = word_of(found, "memory", TENSOR_CLASSES)
    tensor = TENSOR_CLASSES[memory](
        reference[1:],
        decoded(dtype_of_name, take(found, "dtype", str, "the name of a data type"), "dtype"),
        decoded(_known_shape, take(found, "shape", list, "a list of extents"), "shape"),
        isInput=take_or(found, "input", bool, "true or false", False),
        isOutput=take_or(found, "output", bool, "true or false", False),
        init=decoded(constant_of, found["contents"], "contents") if "contents" in found else None,
    )
    return reference, tensor


def _known_shape(found: list[Any]) -> tuple[int, ...]:
    return tuple(decoded(_extent, item, index) for index, item in enumerate(found))


def _extent(found: Any) -> int:
    if type(found) is not int or found < 0:
        raise wrong_kind(found, "an extent: a whole number of at least 0")
    return found
