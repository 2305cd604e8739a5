"""Attributes of instructions that have no definition here, as JSON that says of what kind they are, and back.

    3    0.5    {"float": "0x7ff0000000000000"}    "text"    {"bytes": "/wA="}
    {"dtype": "f16"}    {"type": "f32[2,N]"}    {"tensor": {"type": "f32[2]", "splat": "AACAPw=="}}
    {"region": 0}                                  the first one of the instruction's `regions`
    {"reference": "slope", "kind": "float"}        what the caller of the function gave under that name
    {"empty": "int"}                               a list without elements, and what they would be
    {"encoded": "CgFh"}                            what only the front end can read
    [1, 2]                                         a list

Deliberately absent: judging. A list of a number and a region is read, and the verifier refuses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from runtime.bir.attributes import number_json, number_value
from runtime.bir.base64_text import base64_text, bytes_of
from runtime.bir.contents import contents_json, contents_of
from runtime.bir.json_stream import NotStreamed
from runtime.bir.problems import BirError, Key, KeyItself, check_keys, decoded, take, unknown, wrong_kind
from runtime.bir.type_names import dtype_of_name, type_of_text
from runtime.constants import Constant
from runtime.dtypes import DType
from runtime.generic import AttributeReference, EmptyList, Encoded, Region
from runtime.lazy_tensors import LazyTensor
from runtime.types import Type

TensorWriter = Callable[[Constant | LazyTensor], Any]


def attributes_json(attributes: Mapping[str, Any], tensor: TensorWriter = contents_json) -> dict[str, Any]:
    """Return the JSON of open attributes; `tensor` makes that of a constant or a tensor of a front end.

    Raises: TypeError for what is no attribute value, since it would not read back.
    """
    return {name: _json(name, value, tensor) for name, value in attributes.items()}


def attributes_of(found: Any, n_regions: int) -> dict[str, Any]:
    """Return the attributes that `attributes_json` made this from; `n_regions`: how many regions they may refer to.

    Raises: BirError.
    """
    if not isinstance(found, dict):
        raise wrong_kind(found, "an object with the attributes by name")
    attributes = {name: decoded(_value, value, name) for name, value in found.items()}
    for path, region in _regions_of(attributes):
        if not 0 <= region.index < n_regions:
            raise BirError("B035", f"there is no region {region.index}; the instruction has {n_regions}", *path)
    return attributes


def n_regions_named(found: Any) -> int:
    """Return how many regions there are where attributes, which may be wrong, refer to each of them once.

    Raises: NotStreamed where they do not.
    """
    values = found.values() if isinstance(found, dict) else ()
    named = [one for value in values for one in (value if isinstance(value, list) else [value])]
    indices = [one["region"] for one in named if isinstance(one, dict) and type(one.get("region")) is int]
    if sorted(indices) != list(range(len(indices))):
        raise NotStreamed
    return len(indices)


def _json(name: str, value: Any, tensor: TensorWriter) -> Any:
    if isinstance(value, (str, bool)):
        return value
    if isinstance(value, (int, float)):
        return number_json(value)
    if isinstance(value, (tuple, list)):
        return [_json(name, one, tensor) for one in value]
    match value:
        case bytes():
            return {"bytes": base64_text(value)}
        case DType():
            return {"dtype": value.name}
        case Type():
            return {"type": str(value)}
        case Constant() | LazyTensor():
            return {"tensor": tensor(value)}
        case Region():
            return {"region": value.index}
        case AttributeReference():
            return {"reference": value.name, "kind": value.kind}
        case EmptyList():
            return {"empty": value.kind}
        case Encoded():
            return {"encoded": base64_text(value.data)}
    raise TypeError(f'the attribute "{name}" is {value!r}, which has no form in BIR')


def _value(found: Any) -> Any:
    if isinstance(found, (str, bool)):
        return found
    if isinstance(found, list):
        return tuple([decoded(_value, item, index) for index, item in enumerate(found)])
    if isinstance(found, (int, float)) or (isinstance(found, dict) and "float" in found):
        return number_value(found)
    if not isinstance(found, dict):
        raise wrong_kind(found, "a value, or an object with its kind")
    key = next((key for key in found if key in _KINDS), None)
    if key is None:
        for misspelled in found:
            raise unknown("B013", "kind of attribute", misspelled, _KINDS, KeyItself(misspelled))
        raise wrong_kind(found, "a value, or an object with its kind")
    check_keys(found, _KEYS_BESIDE.get(key, frozenset()) | {key}, f'an attribute of the kind "{key}"')
    if key == "reference":
        name = take(found, "reference", str, "the name of an attribute")
        return AttributeReference(name, take(found, "kind", str, "the kind of the attribute"))
    return decoded(_KINDS[key], found[key], key)


def _region(found: Any) -> Region:
    if type(found) is not int:
        raise wrong_kind(found, "the number of a region")
    return Region(found)


def _text(found: Any) -> str:
    if not isinstance(found, str):
        raise wrong_kind(found, "what the elements would be, a word")
    return found


def _regions_of(attributes: Mapping[str, Any]) -> Iterator[tuple[tuple[Key, ...], Region]]:
    """Yield the regions that attributes refer to, with the path to each number."""
    for name, value in attributes.items():
        if isinstance(value, Region):
            yield (name, "region"), value
        elif isinstance(value, tuple):
            yield from (((name, at, "region"), one) for at, one in enumerate(value) if isinstance(one, Region))


_KINDS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "bytes": bytes_of,
    "dtype": dtype_of_name,
    "type": type_of_text,
    "tensor": contents_of,
    "region": _region,
    "reference": _text,
    "empty": lambda found: EmptyList(_text(found)),
    "encoded": lambda found: Encoded(bytes_of(found)),
}
_KEYS_BESIDE: Final[Mapping[str, frozenset[str]]] = {"reference": frozenset({"kind"})}
