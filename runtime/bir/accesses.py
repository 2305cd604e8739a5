"""From JSON to accesses: tensor, affine offset, pairs, indices."""

from __future__ import annotations

from itertools import islice
from typing import Any, Final

from runtime.access import AccessMode, APIndex, NeuronAP, Pairs
from runtime.affine import Affine, Axis
from runtime.bir.problems import (
    BirError,
    Undecidable,
    check_keys,
    decoded,
    take,
    unknown,
    word_of,
    wrong_kind,
)
from runtime.bir.type_names import dtype_of_name
from runtime.tensors import Tensor

NEAR: Final = 2_000
"""How many names a wrong one is compared with, the latest ones: all those of a big program would take seconds."""

_KEYS = frozenset({"tensor", "offset", "pairs", "indices", "as", "mode"})
_MODES = {mode.value: mode for mode in AccessMode}


class AccessReader:
    """Makes the accesses of one function; it knows the tensors, and the axes of the loops around what is being read."""

    def __init__(self, tensors: dict[str, Tensor]) -> None:
        self.axes: dict[str, Axis] = {}
        self.broken: set[str] = set()  # references to tensors and axes whose own definition is wrong
        self._tensors = tensors

    def access(self, found: Any) -> NeuronAP:
        """Return the access that an object says."""
        if not isinstance(found, dict):
            raise wrong_kind(found, "an access: an object")
        name = take(found, "tensor", str, "the name of a tensor")
        tensor = self._tensors.get(name)
        if tensor is None:
            if name in self.broken:
                raise Undecidable
            raise unknown("B022", "tensor", name, islice(reversed(self._tensors), NEAR), "tensor")
        if len(found) == 1:
            return NeuronAP(tensor)
        check_keys(found, _KEYS, "an access")
        pairs = decoded(_pairs, found["pairs"], "pairs") if "pairs" in found else None
        offset = decoded(self.offset, found["offset"], "offset") if "offset" in found else 0
        reinterpret = decoded(dtype_of_name, found["as"], "as") if "as" in found else None
        access = NeuronAP(tensor, pairs, offset, reinterpret=reinterpret)
        if "indices" in found:
            access.indices = decoded(_optional_indices, found["indices"], "indices")
            if len(access.indices) not in (0, len(access.pairs)):
                message = f"{len(access.indices)} indices for {len(access.pairs)} pairs: one a pair, or none"
                raise BirError("B012", message, "indices")
        if "mode" in found:
            access.mode = _MODES[word_of(found, "mode", _MODES)]
        return access

    def offset(self, found: Any) -> Affine | int:
        """Return the affine expression that a whole number, or a list of one and of terms, says."""
        if type(found) is int:
            return found
        if not isinstance(found, list) or not found or type(found[0]) is not int:
            raise wrong_kind(found, 'a whole number, or a list of one and of terms such as ["%i", 128]')
        terms = tuple(decoded(self._term, item, index) for index, item in enumerate(found[1:], 1))
        return Affine(found[0], terms)

    def _term(self, found: Any) -> tuple[Axis, int]:
        if not isinstance(found, list) or len(found) != 2 or not isinstance(found[0], str) or type(found[1]) is not int:
            raise wrong_kind(found, 'a term such as ["%i", 128]')
        axis = self.axes.get(found[0])
        if axis is None:
            if found[0] in self.broken:
                raise Undecidable
            raise unknown("B023", "axis of a loop around this", found[0], self.axes, 0)
        return axis, found[1]


def index_list(found: Any) -> tuple[APIndex, ...]:
    """Return the access-pattern indices that a list of names says."""
    if not isinstance(found, list):
        raise wrong_kind(found, "a list of index names")
    return tuple(decoded(_index, item, place) for place, item in enumerate(found))


def _optional_indices(found: Any) -> tuple[APIndex | None, ...]:
    if not isinstance(found, list):
        raise wrong_kind(found, "a list of index names and null")
    return tuple(None if item is None else decoded(_index, item, place) for place, item in enumerate(found))


def _index(found: Any) -> APIndex:
    if not isinstance(found, str):
        raise wrong_kind(found, "the name of an index")
    return APIndex(found)


def _pairs(found: Any) -> Pairs:
    if not isinstance(found, list):
        raise wrong_kind(found, "a list of pairs [step, num]")
    return tuple(decoded(_pair, item, place) for place, item in enumerate(found))


def _pair(found: Any) -> tuple[int, int]:
    if not isinstance(found, list) or len(found) != 2 or type(found[0]) is not int or type(found[1]) is not int:
        raise wrong_kind(found, "a pair [step, num] of whole numbers")
    return found[0], found[1]
