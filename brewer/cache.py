"""What brewer remembers between runs, in the folder `.brewer_cache/` of a project, which git ignores.

It decides what is left out because nothing has changed, and tells what somebody changed; never what is right. Whatever
is wrong with it (absent, cut off, from another brewer, not writable), brewer works without it and says nothing.

Deliberately absent: anything that would be unpickled, or executed but for templates (brewer/compiled_templates.py),
times of files, and, at the top, imports that take time: a run without changes reads the head of the state and is done.
"""

import os

from brewer.fingerprints import Fingerprints, digest_of, read_file
from brewer.places import Places, places_of

_FOLDER = ".brewer_cache"
_STATE = "state"
_WRITTEN = "written"
_CODE = "templates"
_FORMAT = "brewer cache 2"
_FORMAT_OF_CODE = "brewer templates 1"
_HEAD = 4096  # bytes that hold the head of the state
_MOST_WRITTEN = 1 << 22  # bytes of digests; the older half is forgotten then


class State:
    """What the last complete run was made from, and what it gave."""

    __slots__ = ("definitions", "inputs", "others", "outputs", "places", "precedents", "written")

    def __init__(
        self,
        inputs: dict[str, str],
        outputs: dict[str, str],
        others: dict[str, str],
        definitions: dict[str, list[str]],
        precedents: list[str],
        written: int = 0,
        places: str = "",
    ) -> None:
        self.inputs = inputs  # as in Fingerprints
        self.outputs = outputs  # path -> digest of what stands there once it is up to date
        self.others = others  # files below generated/ that are not ours: path -> digest
        self.definitions = definitions  # file -> words of what others need of it (brewer/listing.py)
        self.precedents = precedents
        self.written = written  # bytes that the list of texts that brewer has written had at least
        self.places = places  # a line of Places

    def seal(self, said: str) -> str:
        """The digest of everything there is; `said` is what a run says that finds just this."""
        return seal(self.inputs, {**self.outputs, **self.others}, self.places, said)


def seal(inputs: dict[str, str], outputs: dict[str, str], places: str, said: str) -> str:
    lines = [f"{name} {digest}" for digests in (inputs, outputs) for name, digest in sorted(digests.items())]
    return digest_of(
        "\n".join([*lines, places, said]).encode("utf-8", "surrogateescape")
    )  # names of files may be any bytes


def kept_places(root: str) -> Places | None:
    """Where the last run in another repository than brewer's own found everything; None where that is not known."""
    head = _read_head(root)
    return places_of(head[0]) if head else None


def said_of_unchanged(root: str, now: Fingerprints) -> str | None:
    """What the last run said when all was up to date, if everything still is what it was then."""
    head = _read_head(root)
    if head is None:
        return None
    places, sealed, said = head
    return said if sealed == seal(now.inputs, now.outputs, places, said) else None


def _read_head(root: str) -> tuple[str, str, str] | None:
    """The places, the seal and what is to be said."""
    path = f"{root}/{_FOLDER}/{_STATE}"
    if not os.path.isfile(path):  # a pipe would wait for its writer
        return None
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        try:
            head = os.read(file, _HEAD)
        finally:
            os.close(file)
        form, places, sealed, said, _ = head.split(b"\n", 4)
        return (places.decode(), sealed.decode(), said.decode()) if form.decode() == _FORMAT else None
    except (OSError, ValueError):
        return None


def read_state(root: str) -> State | None:
    import json

    try:
        form, places, _, _, digest, body = read_file(f"{root}/{_FOLDER}/{_STATE}").split(b"\n", 5)
        if form.decode() != _FORMAT or digest_of(body) != digest.decode():
            return None
        return _checked(json.loads(body), places.decode())
    except (OSError, ValueError, RecursionError):
        return None


def write_state(root: str, state: State, said: str) -> None:
    """Keeps a state; `said` is what a run is to say that finds nothing changed, and empty where none may."""
    import json

    names = ("inputs", "outputs", "others", "definitions", "precedents", "written")
    state.written = size_of_written(root)
    body = json.dumps([getattr(state, name) for name in names], separators=(",", ":")).encode()
    sealed = state.seal(said) if said else "-"
    head = "\n".join([_FORMAT, state.places, sealed, said, digest_of(body), ""]).encode()
    _replace(root, _STATE, head + body)


def size_of_written(root: str) -> int:
    try:
        return os.path.getsize(f"{root}/{_FOLDER}/{_WRITTEN}")
    except OSError:
        return 0


def read_written(root: str, at_least: int = 0) -> frozenset[str] | None:
    """The digests of all texts that brewer has written here, or found to be what it would write.

    None where that is not known: not even as many bytes of them are left as there were once.
    """
    try:
        if size_of_written(root) < at_least:
            return None
        lines = read_file(f"{root}/{_FOLDER}/{_WRITTEN}").decode("ascii").split("\n")
    except (OSError, ValueError):
        return None
    if lines[0] != _FORMAT:
        return None
    return frozenset(line for line in lines[1:] if len(line) == 32)


def add_written(root: str, digests: list[str]) -> None:
    """Remembers texts as brewer's own: before they are written, so that a run that is killed leaves no doubt.

    One call appends whole lines, so that two runs at once do not disturb each other.
    """
    if not digests:
        return
    path = f"{root}/{_FOLDER}/{_WRITTEN}"
    try:
        known = read_written(root)
        if known is None or os.path.getsize(path) > _MOST_WRITTEN:
            with_older = [] if known is None else _newer_half(path)
            _replace(root, _WRITTEN, "\n".join([_FORMAT, *with_older, *digests, ""]).encode())
            return
        with open(path, "ab", buffering=0) as stream:
            new = [digest for digest in digests if digest not in known]
            stream.write("\n".join(["", *new, ""]).encode() if new else b"")  # whatever the last line looks like
    except OSError:
        pass


def read_code(root: str, key: str) -> bytes | None:
    """What was kept under this key; None where nothing was, or not all of it is as it was."""
    try:
        form, of_key, digest, body = read_file(f"{root}/{_FOLDER}/{_CODE}").split(b"\n", 3)
        found = form.decode(), of_key.decode(), digest.decode()
    except (OSError, ValueError):
        return None
    return body if found == (_FORMAT_OF_CODE, key, digest_of(key.encode() + body)) else None


def write_code(root: str, key: str, body: bytes) -> None:
    head = "\n".join([_FORMAT_OF_CODE, key, digest_of(key.encode() + body), ""]).encode()
    _replace(root, _CODE, head + body)


def _newer_half(path: str) -> list[str]:
    with open(path, encoding="ascii") as stream:
        lines = stream.read().split("\n")[1:]
    return [line for line in lines[len(lines) // 2 :] if line]


def _replace(root: str, name: str, data: bytes) -> None:
    folder = f"{root}/{_FOLDER}"
    temporary = f"{folder}/{name}-{os.getpid()}"
    try:
        if not os.path.isdir(folder):
            os.mkdir(folder)
        if not os.path.exists(f"{folder}/.gitignore"):
            with open(f"{folder}/.gitignore", "w", encoding="utf-8") as stream:
                stream.write("# Made by brewer; may be deleted at any time.\n*\n")
        try:
            with open(temporary, "wb") as stream:
                stream.write(data)
            os.replace(temporary, f"{folder}/{name}")
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError:
        pass  # the next run does without


def _checked(found: object, places: str) -> State | None:
    """The state, if it has the form of one: another program may have left something else there."""
    if not isinstance(found, list) or len(found) != 6:
        return None
    inputs, outputs, others, definitions, precedents, written = found
    if not all(_is_table(table) for table in (inputs, outputs, others)):
        return None
    if not isinstance(definitions, dict) or not all(map(_is_list, [*definitions.values(), precedents])):
        return None
    if not isinstance(written, int):
        return None
    return State(inputs, outputs, others, definitions, precedents, written, places)


def _is_table(found: object) -> bool:
    return isinstance(found, dict) and all(isinstance(value, str) for value in found.values())


def _is_list(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(value, str) for value in found)
