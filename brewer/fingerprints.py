"""What a run depends on, as digests of contents: files of the project, this tool's own source, releases of libraries.

Deliberately absent: times and sizes of files, which an edit within a tick of the clock may leave as they are; and every
import that costs time. A run in which nothing has changed loads this module, `brewer.cache` and nothing else.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterable

from brewer.places import Places

try:
    from _blake2 import blake2b  # `hashlib` takes 5 ms to import, a third of what Python itself takes to start
except ImportError:
    from hashlib import blake2b

NO_FILE = "it is a pipe or device"
_BLOCK = 1 << 16  # bytes, at once; larger ones cost more to set aside than to read
_READING = os.O_RDONLY | getattr(os, "O_BINARY", 0)
_RELEASES = ("black", "jinja2", "markupsafe", "pytokens", "pyyaml")
"""The libraries that have a part in the output. Each installed release leaves a folder that bears its number."""
_REQUIRED = ("black", "jinja2", "pyyaml")
_READ_OF_TOOL = ("runtime", "runtime/semantics")
_TOOL = "tool/"  # before the paths of the tool's files, where it works on another project than its own
_OUR_PACKAGES = ("brewer", "frontends", "generated", "passes", "runtime")  # no neighbour may be called like one


class NotAFile(OSError):
    """A pipe, a socket or a device stands where a file is to be read."""


class Fingerprints:
    """The digests of a moment, by the paths of files relative to the project."""

    __slots__ = ("inputs", "outputs")

    def __init__(self, inputs: dict[str, str], outputs: dict[str, str]) -> None:
        self.inputs = inputs  # releases are among them, under their names
        self.outputs = outputs  # all Python files below generated/, those of others too


def take_fingerprints(root: str, tool: str, places: Places | None = None) -> Fingerprints | None:
    """The fingerprints of the project at `root`, worked on by the brewer that stands in `tool`.

    None where something is unusual (a file that cannot be read, a link to a folder, a library that is not installed):
    a run that reads everything will say what is wrong, if it is.
    """
    places = places or Places()
    inputs: dict[str, str] = {}
    outputs: dict[str, str] = {}
    try:
        _add_definitions(root, places, inputs)
        _add_shared(root, tool, places, inputs)
        if os.path.lexists(f"{root}/{places.outputs}"):
            _add_tree(f"{root}/{places.outputs}", f"{places.outputs}/", outputs, of_outputs=True)
    except OSError:
        return None
    return Fingerprints(inputs, outputs)


def are_inputs_as_before(
    root: str, tool: str, before: Fingerprints, read: Iterable[str] | None = None, places: Places | None = None
) -> bool:
    """Whether the inputs of a run are still what they were; `read` are the definitions that it has read, if not all."""
    places = places or Places()
    now: dict[str, str] = {}
    try:
        if read is None:
            _add_definitions(root, places, now)
        else:
            now.update((name, digest_of(read_file(f"{root}/{name}"))) for name in read)
        _add_shared(root, tool, places, now)
    except OSError:
        return False
    below = f"{places.definitions}/"
    of_interest = (name for name in before.inputs if read is None or name in now or not name.startswith(below))
    return now == {name: before.inputs[name] for name in of_interest}


def digest_of(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _add_definitions(root: str, places: Places, inputs: dict[str, str]) -> None:
    _add_tree(f"{root}/{places.definitions}", f"{places.definitions}/", inputs, skips_compiled=False)


def _add_shared(root: str, tool: str, places: Places, inputs: dict[str, str]) -> None:
    """What all definitions depend on, but for the vocabulary: templates, hand-written sources, the tool."""
    if places.templates:
        _add_tree(f"{root}/{places.templates}", f"{places.templates}/", inputs)
    for name in places.modules:
        _add_modules(root, name, inputs)
    if places.is_foreign:
        _add_settings(root, places, inputs)
        _add_tree(f"{tool}/templates", f"{_TOOL}templates/", inputs)
        inputs[f"{_TOOL}defs/vocabulary.yaml"] = digest_of(read_file(f"{tool}/defs/vocabulary.yaml"))
        for folder in _READ_OF_TOOL:
            _add_folder(f"{tool}/{folder}", f"{_TOOL}{folder}/", inputs)
    other = "" if tool == root else _TOOL
    _add_tree(f"{tool}/brewer", f"{other}brewer/", inputs, ".py")
    if other:
        name = "runtime/diagnostics.py"
        inputs[f"{other}{name}"] = digest_of(read_file(f"{tool}/{name}"))
    _add_releases(inputs)


def _add_settings(root: str, places: Places, inputs: dict[str, str]) -> None:
    """What another repository says of itself, and whether a package of it stands in the way of one of brewer's."""
    for name in (places.settings, places.vocabulary):
        if name:
            inputs[name] = digest_of(read_file(f"{root}/{name}"))
    for name in _OUR_PACKAGES:
        for path in (f"{places.python}{name}/__init__.py", f"{places.python}{name}.py"):
            if os.path.isfile(f"{root}/{path}"):
                inputs[path] = "there"


def _add_releases(inputs: dict[str, str]) -> None:
    inputs["Python"] = sys.version
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                library = name.partition("-")[0].lower()
                if library in _RELEASES:
                    inputs.setdefault(library, name)  # the first one on the path is the one that is imported
    for library in _REQUIRED:
        if library not in inputs:
            raise OSError(f"no release of {library} is known")


def _add_tree(
    top: str,
    prefix: str,
    digests: dict[str, str],
    suffix: str = "",
    *,
    of_outputs: bool = False,
    skips_compiled: bool = True,
) -> None:
    """The files of a folder and all folders below it; of outputs, only those that brewer may have written."""
    waiting = [(top, prefix)]
    while waiting:
        folder, prefix = waiting.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if name[0] == "." or (name == "__pycache__" and skips_compiled):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((entry.path, f"{prefix}{name}/"))
                    continue
                if of_outputs and not name.endswith((".py", "py.typed")):
                    continue
                is_plain = entry.is_file(follow_symlinks=False)
                if not is_plain and not entry.is_file():
                    raise OSError(f"{entry.path} is no file")
                if name.endswith(suffix):
                    digests[prefix + name] = digest_of(read_file(entry.path, is_plain=is_plain))


def _add_modules(root: str, name: str, digests: dict[str, str]) -> None:
    """A module, or else the modules right in a package."""
    if os.path.isfile(f"{root}/{name}.py"):
        digests[f"{name}.py"] = digest_of(read_file(f"{root}/{name}.py"))
    else:
        _add_folder(f"{root}/{name}", f"{name}/", digests)


def _add_folder(folder: str, prefix: str, digests: dict[str, str]) -> None:
    """The Python files of a folder that may be absent."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return
    for name in names:
        if name.endswith(".py"):
            digests[prefix + name] = digest_of(read_file(f"{folder}/{name}"))


def read_file(path: str, *, is_plain: bool = False) -> bytes:
    """What stands in a file; a quarter of the time of `Path.read_bytes`. `is_plain`: it is known to be no pipe or link.

    Raises: OSError, also for what is no file, which is not opened: a pipe would wait for its writer.
    """
    if not is_plain:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise NotAFile(errno.EINVAL, NO_FILE, path)
    file = os.open(path, _READING)
    try:
        data = os.read(file, _BLOCK)
        if len(data) < _BLOCK:  # of a file, less than was asked for is all of it
            return data
        rest = []
        while more := os.read(file, _BLOCK):
            rest.append(more)
    except OSError as error:
        error.filename = path  # as it is where a file cannot be opened
        raise
    finally:
        os.close(file)
    return b"".join([data, *rest])
