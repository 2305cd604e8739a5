"""Mistakes in a BIR file: their codes, and the exception that carries one to where it is collected.

Deliberately absent: places while reading. A mistake knows the path of keys to it, which grows while the exception
rises, so reading a good file costs nothing for them; `runtime/bir/locate.py` finds the line afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

from runtime.diagnostics import did_you_mean

CODES: Mapping[str, str] = {
    # The file.
    "B001": "the file cannot be read as UTF-8 text",
    "B002": "the text is not JSON",
    "B003": "the text ends too early",
    "B004": "the text is nested too deeply",
    "B005": "this is not BIR, or of a version that is not known",
    # Keys and values.
    "B010": "a key is missing",
    "B011": "a key that nothing reads",
    "B012": "a value of the wrong kind",
    "B013": "a word that is not one of those allowed here",
    "B014": "no data type has this name",
    "B015": "this is not a type",
    "B016": "contents that do not fit their type",
    # Names.
    "B020": "no instruction has this mnemonic",
    "B021": "no value of this name is defined before its use",
    "B022": "no tensor has this name",
    "B023": "no loop around has an axis of this name",
    "B024": "a name is defined twice",
    # Instructions.
    "B030": "the version of an instruction is not known",
    "B031": "an instruction has a field that its definition does not have",
    "B032": "an instruction has the wrong number of operands, results or regions",
    "B033": "an operand is absent where it must not be",
    "B034": "a derived field contradicts the instruction",
    "B035": "an instruction has no destination, engine or region",
}
"""Every code with what it says. A code is never given another meaning and never reused."""

Key = str | int


class KeyItself(str):
    """The last key of a path to a key, where otherwise the path leads to the value under it."""


T = TypeVar("T")


class BirError(Exception):
    """One mistake, on its way to the reader of the file; `path` is relative to what was being decoded."""

    def __init__(self, code: str, message: str, *path: Key, help: str = "") -> None:
        assert code in CODES, f"{code} is not in the table of codes"
        super().__init__(message)
        self.code = code
        self.message = message
        self.path = path
        self.help = help

    def inside(self, *path: Key) -> BirError:
        """Return this error after it rose out of the part at `path`."""
        self.path = (*path, *self.path)
        return self


class Undecidable(Exception):
    """A record refers to something whose own definition is wrong: to complain again would help nobody."""


def unknown(code: str, kind: str, name: str, known: Iterable[str], *path: Key) -> BirError:
    """Return the error that no `kind` is called `name`, with near names, or all where they are few."""
    candidates = sorted(set(known))
    listed = f"known: {', '.join(candidates)}" if 0 < len(candidates) <= 12 else ""
    return BirError(code, f'no {kind} is called "{name}"', *path, help=did_you_mean(name, candidates) or listed)


def wrong_kind(found: object, expected: str, *path: Key) -> BirError:
    """Return the error that a value is not what must stand there."""
    return BirError("B012", f"expected {expected}, found {shown(found)}", *path)


def shown(value: object) -> str:
    """Return a JSON value for a message, long ones by their kind only."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() | float():
            return f"the number {value}" if len(repr(value)) <= 40 else "a long number"
        case str():
            return f'"{value}"' if len(value) <= 40 else "a long text"
        case dict():
            return "an object"
    return "a list"


def counted(count: int, what: str) -> str:
    """Return a number of things in words: `1 operand`, `2 operands`."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def take(holder: Mapping[str, Any], key: str, kind: type[T], expected: str) -> T:
    """Return what stands under `key`, which must be there and of that kind; a bool is no int."""
    if key not in holder:
        raise BirError("B010", f'the key "{key}" is missing; it holds {expected}')
    value = holder[key]
    if not isinstance(value, kind) or (kind is int and value is True) or (kind is int and value is False):
        raise wrong_kind(value, expected, key)
    return value


def take_or(holder: Mapping[str, Any], key: str, kind: type[T], expected: str, default: T) -> T:
    """Return what stands under `key`, or `default` where the key is absent."""
    return take(holder, key, kind, expected) if key in holder else default


def check_keys(holder: Mapping[str, Any], known: frozenset[str], what: str) -> None:
    """Complain of the first key that nothing reads."""
    if not holder.keys() <= known:
        key = next(key for key in holder if key not in known)
        raise unknown("B011", f"key of {what}", key, known, KeyItself(key))


def word_of(holder: Mapping[str, Any], key: str, words: Collection[str]) -> str:
    """Return the word that stands under `key`, one of `words`."""
    word = take(holder, key, str, "a word")
    if word not in words:
        raise unknown("B013", key, word, words, key)
    return word


def decoded(decode: Callable[[Any], T], found: Any, *path: Key) -> T:
    """Return what `decode` makes of a part; an error that rises out of it learns where that part stands."""
    try:
        return decode(found)
    except BirError as error:
        raise error.inside(*path) from None
