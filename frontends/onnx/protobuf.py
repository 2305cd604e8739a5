"""What is needed of protobuf itself, with types: it comes without any."""

from __future__ import annotations

from typing import Any, Final, cast

from google.protobuf.message import DecodeError as DecodeError  # type: ignore[import-untyped]
from google.protobuf.unknown_fields import UnknownFieldSet  # type: ignore[import-untyped]

LARGEST_FILE: Final = 2**31 - 1
"""Bytes of one protobuf message."""


def has_unknown_fields(message: Any) -> bool:
    """Whether a message has fields that its description does not know: of a later version, or somebody's own."""
    return len(UnknownFieldSet(message)) > 0


def unknown_fields(message: Any) -> list[tuple[int, Any]]:
    """Return those fields, as number and value; of the message itself, not of those inside."""
    return _listed(UnknownFieldSet(message))


def fields_of(message: Any) -> dict[str, Any]:
    """Return the fields that a message has, by name, in the order of their numbers; of its own, not of those inside."""
    return {descriptor.name: value for descriptor, value in message.ListFields()}


def encoded(message: Any) -> bytes:
    """Return the bytes of a message, the same ones for the same contents."""
    return cast(bytes, message.SerializeToString(deterministic=True))


def _listed(fields: Any) -> list[tuple[int, Any]]:
    return [
        (one.field_number, _listed(one.data) if isinstance(one.data, UnknownFieldSet) else one.data) for one in fields
    ]
