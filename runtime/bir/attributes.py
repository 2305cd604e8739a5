"""Attribute values as JSON, by the type that a definition gives them, and back.

JSON has no infinities and no NaN: such a float is written as its bits, `{"float": "0x7ff0000000000000"}`. Every other
float is written with the digits that read back to the same bits.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from math import isfinite
from sys import intern
from typing import Any

from runtime.bir.contents import contents_of
from runtime.bir.problems import BirError, decoded, unknown, wrong_kind
from runtime.bir.type_names import dtype_of_name, type_of_text
from runtime.info import AttributeInfo
from runtime.types import Dim, Shape

Decoder = Callable[[Any], Any]
_BITS = re.compile(r"0x[0-9a-f]{16}\Z")


def number_json(value: float) -> Any:
    """Return the JSON of an int or a float."""
    return value if isinstance(value, int) or isfinite(value) else {"float": f"0x{struct.pack('>d', value).hex()}"}


def open_json(value: object) -> Any:
    """Return the JSON of an attribute that has no definition: int, float, bool, str, or lists of them.

    Raises: TypeError for anything else, since its type would not read back.
    """
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float)):
        return number_json(value)
    if isinstance(value, (list, tuple)):
        return [open_json(item) for item in value]
    raise TypeError(f"an attribute without a definition is int, float, bool, str or a list, not {value!r}")


def open_value(found: Any) -> Any:
    """Return the value that `open_json` made this from.

    Raises: BirError.
    """
    if isinstance(found, list):
        return [decoded(open_value, item, index) for index, item in enumerate(found)]
    if isinstance(found, (bool, str)):
        return found
    return number_value(found)


def decoder_of(info: AttributeInfo) -> Decoder:
    """Return the function from JSON to the values of one attribute; it raises BirError."""
    word = info.type
    if word.startswith("list["):
        item = _plain_decoder(word[len("list[") : -1], info)
        return lambda found: _list(found, item)
    return _plain_decoder(word, info)


def shape_value(found: Any) -> Shape:
    """Return the shape that a list of extents says: numbers, names and null.

    Raises: BirError.
    """
    if not isinstance(found, list):
        raise wrong_kind(found, "a list of extents")
    return tuple(decoded(_dim, item, index) for index, item in enumerate(found))


def _plain_decoder(word: str, info: AttributeInfo) -> Decoder:
    plain = _DECODERS.get(word)
    return plain if plain is not None else lambda found: _word(found, info)


def _word(found: Any, info: AttributeInfo) -> str:
    if not isinstance(found, str):
        raise wrong_kind(found, "a word")
    if info.one_of and found not in info.one_of:
        raise unknown("B013", f'word of "{info.name}"', found, (str(word) for word in info.one_of))
    return intern(found)  # 52 bytes less an instruction, of 228


def _list(found: Any, item: Decoder) -> tuple[Any, ...]:
    if not isinstance(found, list):
        raise wrong_kind(found, "a list")
    return tuple(decoded(item, each, index) for index, each in enumerate(found))


def _int(found: Any) -> int:
    if type(found) is int:
        return found
    raise wrong_kind(found, "a whole number")


def number_value(found: Any) -> float:
    """Return an int or a float as it stands: a float attribute that holds the int 1 reads back as the int 1.

    Raises: BirError.
    """
    if type(found) is float or type(found) is int:
        return found
    if isinstance(found, dict) and found.keys() == {"float"}:
        bits = found["float"]
        if isinstance(bits, str) and _BITS.match(bits):
            return float(struct.unpack(">d", bytes.fromhex(bits[2:]))[0])
        raise wrong_kind(bits, "the 16 hexadecimal digits of a float after 0x", "float")
    raise wrong_kind(found, "a number")


def _float(found: Any) -> float:
    number = number_value(found)
    try:
        float(number)
    except OverflowError:
        raise BirError("B012", "expected a number, found a whole number that is larger than every float") from None
    return number


def _bool(found: Any) -> bool:
    if isinstance(found, bool):
        return found
    raise wrong_kind(found, "true or false")


def _text(found: Any) -> str:
    if isinstance(found, str):
        return found
    raise wrong_kind(found, "text")


def _dim(found: Any) -> Dim:
    if found is None or isinstance(found, str) or (type(found) is int and found >= 0):
        return found
    raise wrong_kind(found, "an extent: a whole number of at least 0, a name, or null")


_DECODERS: dict[str, Decoder] = {
    "int": _int,
    "float": _float,
    "bool": _bool,
    "str": _text,
    "dtype": dtype_of_name,
    "shape": shape_value,
    "tensor": contents_of,
    "type": type_of_text,
}
