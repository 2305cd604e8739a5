"""The options of a pass: the fields of a frozen dataclass, each with a default and a help text.

    @dataclass(frozen=True)
    class EliminateCastsOptions:
        allow_excess_precision: bool = option(False, "also remove roundings that the program's author asked for")

Deliberately absent: options that change while a pass runs, and a parser for values beyond one word.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin, get_type_hints

_TRUTHS = {"false": False, "true": True}


class OptionError(ValueError):
    """Something is wrong with an option; `known` are the words that could have stood there."""

    def __init__(self, message: str, known: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.known = known


class UnknownOptionError(OptionError):
    """The pass has no such option."""


class OptionValueError(OptionError):
    """The option does not take such a value."""


@dataclass(frozen=True)
class NoOptions:
    """What a pass without options has."""


@dataclass(frozen=True)
class OptionInfo:
    """One option, for help texts."""

    name: str
    takes: str  # bool, int, float, str, or the words that are legal, `none|matmult|all`
    default: str
    help: str

    @property
    def values(self) -> tuple[str, ...]:
        """All values that are legal, as words; none where they are not listed."""
        return tuple(_TRUTHS) if self.takes == "bool" else tuple(self.takes.split("|")) if "|" in self.takes else ()


def option(default: Any, help: str, aliases: Mapping[str, str] = MappingProxyType({})) -> Any:
    """Declare an option as a field of a frozen dataclass; the type comes from its annotation.

    `aliases` are other words for its values, where they are written as text.
    """
    return field(default=default, metadata={"help": help, "aliases": aliases})


def describe_options(options: type) -> tuple[OptionInfo, ...]:
    """Return the options that a class of options declares, in order."""
    hints = get_type_hints(options)
    return tuple(
        OptionInfo(each.name, _takes(hints[each.name]), _shown(each.default), each.metadata.get("help", ""))
        for each in fields(options)
    )


def option_names(options: type) -> tuple[str, ...]:
    """Return the names of the options that a class of options declares, in order."""
    return tuple(each.name for each in fields(options))


def option_name(written: str) -> str:
    """Return the name of an option as a field, which may be written with hyphens."""
    return written.replace("-", "_")


def options_from_text(options: type, given: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of options that are written as text, as keyword arguments for the class of options.

    Raises: OptionError at the first option that does not exist or whose value is wrong.
    """
    hints = get_type_hints(options)
    known = option_names(options)
    aliases: dict[str, Mapping[str, str]] = {each.name: each.metadata.get("aliases", {}) for each in fields(options)}
    values = {}
    for written, text in given.items():
        name = option_name(written)
        if name not in known:
            raise UnknownOptionError(f'there is no option "{written}"', known)
        values[name] = _read(name, aliases[name].get(text, text), hints[name])
    return values


def _read(name: str, text: str, hint: Any) -> Any:
    if hint is bool:
        if text not in _TRUTHS:
            raise OptionValueError(f'option "{name}" takes true or false, not "{text}"', tuple(_TRUTHS))
        return _TRUTHS[text]
    if get_origin(hint) is Literal:
        words = get_args(hint)
        if text not in words:
            raise OptionValueError(f'option "{name}" takes {_takes(hint)}, not "{text}"', words)
        return text
    assert hint in (int, float, str), f"option {name}: no way to read a {hint} from text"
    try:
        return hint(text)
    except ValueError:
        raise OptionValueError(f'option "{name}" takes {_takes(hint)}, not "{text}"') from None


def _takes(hint: Any) -> str:
    return "|".join(get_args(hint)) if get_origin(hint) is Literal else str(hint.__name__)


def _shown(default: object) -> str:
    return str(default).lower() if isinstance(default, bool) else str(default)
