"""JSON in the layout that BIR is written in, a statement at a time: long lists are handed out item by item.

The standard decoder reads every value; here are only the brackets of the objects that hold long lists, and of those
lists. Deliberately absent: other layouts, and saying what is wrong. Whatever is not as the writer lays it out, mistakes
included, is `NotStreamed`, and the file is read as a whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from json.scanner import make_scanner
from typing import Any, Final, NoReturn

CHUNK: Final = 2**16
"""Characters that are fetched at a time. Larger ones are no faster, and statements within one are decoded together."""

_FOLLOWING: Final[Mapping[str, tuple[str, ...]]] = {
    "functions": (),
    "defaults": ("tensors", "body"),
    "tensors": ("body",),
    "regions": (),
    "body": (),
}
"""The long lists, each with those that may come after it in the same object; nothing else may."""

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_NEXT_OBJECT: Final = re.compile(r"[ \t\r\n]*,[ \t\r\n]*(?=\{)")
_AFTER_NUMBER: Final = frozenset(" \t\r\n,]}")


class NotStreamed(Exception):
    """A file is laid out in another way, or has a mistake: it must be read as a whole."""


class StreamedList(list[Any]):
    """A list whose items are there one after the other, once; how many there are is known at the end."""

    def __init__(self, items: Iterator[Any]) -> None:
        super().__init__()
        self._items = items

    def __iter__(self) -> Iterator[Any]:
        return self._items

    def __len__(self) -> int:
        raise NotStreamed


class JsonStream:
    """One JSON object in chunks of text.

    An object that is not all in the chunk at hand becomes a dictionary of what stands before its first long list, and
    that `StreamedList`. Once it is used up, the long list after it is in the dictionary as well.
    """

    def __init__(self, chunks: Iterator[str]) -> None:
        self._chunks = chunks
        self._text = ""  # what was fetched and not dropped
        self._at = 0  # where in it the next thing to read stands

    def program(self) -> dict[str, Any]:
        """Return the object that the text begins with; `finish` when it is used up.

        Raises: NotStreamed.
        """
        if self._peek() != "{":
            raise NotStreamed
        return self._open_object()

    def finish(self) -> None:
        """Make sure that nothing but white space is left.

        Raises: NotStreamed.
        """
        while not self._text[self._at :].strip(" \t\r\n"):
            self._at = len(self._text)
            if not self._fetch():
                return
        raise NotStreamed

    def _fetch(self) -> bool:
        """Drop what was read and fetch as much as is left, at least a chunk; return whether there was any."""
        rest = self._text[self._at :]
        pieces, length = [rest], 0
        for chunk in self._chunks:
            pieces.append(chunk)
            length += len(chunk)
            if length >= len(rest):
                break
        self._text, self._at = "".join(pieces), 0
        return length > 0

    def _peek(self) -> str:
        """Skip white space and return the next character."""
        while True:
            match = _SPACE.match(self._text, self._at)
            assert match is not None
            self._at = match.end()
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fetch():
                raise NotStreamed

    def _take(self, marks: str) -> str:
        """Skip white space and take one of `marks`."""
        mark = self._peek()
        if mark not in marks:
            raise NotStreamed
        self._at += 1
        return mark

    def _value(self) -> Any:
        """Take a whole value, however long it is."""
        self._peek()
        while True:
            try:
                value, end = _decode(self._text, self._at)
            except (ValueError, StopIteration):  # a part of a value, or none
                is_whole = False
            else:
                is_whole = not isinstance(value, (int, float)) or self._text[end : end + 1] in _AFTER_NUMBER
            if is_whole:
                self._at = end
                return value
            if not self._fetch():
                raise NotStreamed

    def _key(self) -> str:
        if self._peek() != '"':
            raise NotStreamed
        key: str = self._value()
        self._take(":")
        return key

    def _open_object(self) -> dict[str, Any]:
        """Take an object up to its first long list."""
        found: dict[str, Any] = {}
        self._take("{")
        if self._peek() == "}":
            self._at += 1
            return found
        while True:
            key = self._key()
            if key in _FOLLOWING and self._peek() == "[":
                found[key] = StreamedList(self._long_list(found, key))
                return found
            found[key] = self._value()
            if self._take(",}") == "}":
                return found

    def _long_list(self, holder: dict[str, Any], key: str) -> Iterator[Any]:
        """Yield the items of the list under `key`, then take what follows it in its object."""
        self._take("[")
        if self._peek() == "]":
            self._at += 1
        else:
            yield from self._items()
        if self._take(",}") == "}":
            return
        following = self._key()
        if following not in _FOLLOWING[key] or self._peek() != "[":
            raise NotStreamed
        holder[following] = StreamedList(self._long_list(holder, following))

    def _items(self) -> Iterator[Any]:
        is_object = self._peek() == "{"
        while True:
            if not is_object:
                yield self._value()
            else:
                try:
                    found, self._at = _decode(self._text, self._at)
                except (ValueError, StopIteration):  # the chunk ends within it, or it is wrong
                    found = self._open_object()
                yield found
            match = _NEXT_OBJECT.match(self._text, self._at)
            if match is not None:  # nearly always
                self._at = match.end()
                is_object = True
            elif self._take(",]") == "]":
                return
            else:
                is_object = self._peek() == "{"


def no_constant(name: str) -> NoReturn:
    """Refuse NaN and its kind, which Python's decoder would read.

    Raises: ValueError.
    """
    raise ValueError(f"{name} is no JSON number")


# What `raw_decode` of a decoder calls; that one adds a Python call to each statement.
_decode: Final = make_scanner(json.JSONDecoder(parse_constant=no_constant))  # type: ignore[arg-type]  # typeshed
