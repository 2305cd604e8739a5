"""What the reader must know of an instruction class, worked out once a class from its `INFO` and its constructor."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runtime.bir.attributes import Decoder, decoder_of
from runtime.bir.problems import BirError, KeyItself
from runtime.info import InstructionInfo, OperandInfo
from runtime.instructions import Instruction

_NOTHING: Mapping[str, object] = {}


@dataclass(frozen=True, slots=True)
class Field:
    """An attribute as a field of a record."""

    decode: Decoder
    optional: bool


@dataclass(frozen=True, slots=True)
class RecordPlan:
    """How the records of one class become constructor arguments."""

    info: InstructionInfo
    operands: tuple[OperandInfo, ...]
    n_needed: int  # a record of before may lack operands at the end that need not be there
    unsaid: Mapping[str, object]  # the defaults of attributes that may be None; a constructor may have others
    fields: Mapping[str, Field]
    required: tuple[str, ...]  # the fields that must be there, unless an older version means something without them
    before: tuple[tuple[int, Mapping[str, object]], ...]  # what older records mean that leave fields out; see `_before`
    indices: frozenset[str]  # the fields that list access-pattern indices
    takes_dst: bool
    takes_engine: bool
    takes_regions: bool  # whether the constructor must be told how many regions there are
    carries: bool  # whether a front end keeps something with it

    @classmethod
    def of(cls, made: type[Instruction]) -> RecordPlan:
        """Return the plan of a class."""
        info = made.INFO
        parameters = inspect.signature(made.__init__).parameters
        return cls(
            info=info,
            operands=info.operands,
            n_needed=_n_needed(info.operands),
            fields={a.name: Field(decoder_of(a), a.optional) for a in info.attributes},
            unsaid={a.name: a.default for a in info.attributes if a.optional and a.default is not None},
            required=tuple(a.name for a in info.attributes if a.required),
            before=_before(info),
            indices=frozenset(info.ap_indices),
            takes_dst="dst" in parameters,
            takes_engine="engine" in parameters,
            takes_regions="n_regions" in parameters,
            carries=hasattr(made, "carried"),
        )

    def left_out(self, version: int) -> Mapping[str, object]:
        """Return what the fields that a record leaves out are in its version, where that is not what they are today."""
        return next((values for since, values in self.before if version < since), _NOTHING)

    def renamed(self, record: dict[str, Any], version: int) -> dict[str, Any]:
        """Return a record of an older version with the names that its fields have today.

        Raises: BirError where the version is newer than the definition, or no version at all; where a field has a
        name of a later version.
        """
        newest = self.info.version
        if not 1 <= version <= newest:
            raise BirError(
                "B030",
                f"`{self.info.mnemonic}` has version {version} here; this brewer knows versions 1 to {newest}",
                "version",
                help="the file was written by a newer brewer" if version > newest else "",
            )
        fields = record.get("fields")
        if not isinstance(fields, dict):
            return record
        renamed: set[str] = set()  # names that do not stand in the file
        for since in sorted({since for since, _, _ in self.info.renames if version < since}):
            names = {old: new for at, old, new in self.info.renames if at == since}
            for old, new in names.items():
                if new in fields and new not in names and (new not in renamed or old in fields):
                    raise BirError(
                        "B031",
                        f'version {version} of `{self.info.mnemonic}` has no field "{new}" yet',
                        *("fields", KeyItself(new)),
                        help=f'before version {since} it is called "{old}"',
                    )
            renamed.update(new for old, new in names.items() if old in fields)
            fields = {names.get(name, name): value for name, value in fields.items()}
        return {**record, "fields": fields}


def _before(info: InstructionInfo) -> tuple[tuple[int, Mapping[str, object]], ...]:
    """Return, for each version with other values before it, the oldest first, these by the names of today."""
    found: list[tuple[int, Mapping[str, object]]] = []
    values: dict[str, object] = {}
    for version in sorted({since for since, _, _ in info.before}, reverse=True):
        stated = {name: value for since, name, value in info.before if since == version}
        values = {**values, **{_newest_name(info, version, name): value for name, value in stated.items()}}
        found.append((version, values))
    return tuple(reversed(found))


def _newest_name(info: InstructionInfo, version: int, name: str) -> str:
    for since in sorted({since for since, _, _ in info.renames if since > version}):
        name = next((new for at, old, new in info.renames if at == since and old == name), name)
    return name


def _n_needed(operands: tuple[OperandInfo, ...]) -> int:
    """Return how many operands there are up to the last one that cannot be absent."""
    return max((at for at, operand in enumerate(operands, 1) if not (operand.optional or operand.variadic)), default=0)
