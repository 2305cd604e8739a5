"""The options of a pass: the fields of a frozen dataclass, each with a default and a help text.

    @dataclass(frozen=True)
    class EliminateCastsOptions:
        allow_excess_precision: bool = option(False, "also remove roundings that the program's author asked for")

One whose value may stand in a file has a `FileForm`, with the words that are no files; whoever reads the text of a
pipeline hands over what reads such files.

Deliberately absent: options that change while a pass runs, and a parser for values beyond one word.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from types import MappingProxyType
from typing import Any, Literal, Protocol, get_args, get_origin, get_type_hints

_NUMBERS = {int: "a whole number", float: "a number"}
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
class FileForm:
    """What an option takes: one of some words, or the name of a file that ends in a certain way."""

    words: tuple[str, ...]
    endings: tuple[str, ...]

    def __str__(self) -> str:
        return "|".join((*self.words, f"FILE{self.endings[0]}"))

    def is_file(self, text: str) -> bool:
        """Whether a value is the name of a file."""
        return text.lower().endswith(self.endings)


class OptionFiles(Protocol):
    """Reads the files that options name."""

    def read(self, name: str) -> Any:
        """Return the value that a file holds.

        Raises: DiagnosticsError.
        """

    def called(self, name: str) -> str:
        """Return what a file that was read is called in the text of a pipeline."""


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
    file_form: FileForm | None = None

    @property
    def values(self) -> tuple[str, ...]:
        """All values that are legal, as words; none where they are not listed."""
        if self.file_form is not None:
            return self.file_form.words
        return tuple(_TRUTHS) if self.takes == "bool" else tuple(self.takes.split("|")) if "|" in self.takes else ()


def option(
    default: Any, help: str, file_form: FileForm | None = None, aliases: Mapping[str, str] = MappingProxyType({})
) -> Any:
    """Declare an option as a field of a frozen dataclass; what it takes comes from its annotation or `file_form`.

    `aliases` are other words for its values, where they are written as text.
    """
    return field(default=default, metadata={"help": help, "file_form": file_form, "aliases": aliases})


def file_forms(options: type) -> dict[str, FileForm]:
    """Return the options of a class of options whose values may stand in files."""
    forms = {each.name: each.metadata.get("file_form") for each in fields(options)}
    return {name: form for name, form in forms.items() if form is not None}


def describe_options(options: type) -> tuple[OptionInfo, ...]:
    """Return the options that a class of options declares, in order."""
    hints, forms = _hints_of(options), file_forms(options)
    return tuple(
        OptionInfo(
            each.name,
            str(forms[each.name]) if each.name in forms else _takes(hints[each.name]),
            _shown(each.default),
            each.metadata.get("help", ""),
            forms.get(each.name),
        )
        for each in fields(options)
    )


def option_names(options: type) -> tuple[str, ...]:
    """Return the names of the options that a class of options declares, in order."""
    return tuple(each.name for each in fields(options))


def option_name(written: str) -> str:
    """Return the name of an option as a field, which may be written with hyphens."""
    return written.replace("-", "_")


def options_from_text(options: type, given: Mapping[str, str], files: OptionFiles | None = None) -> dict[str, Any]:
    """Return the values of options that are written as text, as keyword arguments for the class of options.

    Raises: OptionError at the first option that does not exist or whose value is wrong, or where a file is named and
    nothing reads it; DiagnosticsError where a file is wrong.
    """
    hints, forms = _hints_of(options), file_forms(options)
    known = option_names(options)
    aliases: dict[str, Mapping[str, str]] = {each.name: each.metadata.get("aliases", {}) for each in fields(options)}
    values = {}
    for written, text in given.items():
        name = option_name(written)
        if name not in known:
            raise UnknownOptionError(f'there is no option "{written}"', known)
        form = forms.get(name)
        if form is None:
            values[name] = _read(name, aliases[name].get(text, text), hints[name])
        else:
            values[name] = _read_form(name, text, form, files)
    return values


@cache
def _hints_of(options: type) -> dict[str, Any]:
    """Asked for by each pass that is made: its annotations are text, and are compiled."""
    return get_type_hints(options)


def _read_form(name: str, text: str, form: FileForm, files: OptionFiles | None) -> Any:
    if text in form.words:
        return text
    if not form.is_file(text):
        raise OptionValueError(f'option "{name}" takes {form}, not "{text}"', form.words)
    if files is None:
        raise OptionValueError(f'option "{name}" names the file "{text}", and nothing here reads such files')
    return files.read(text)


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
        raise OptionValueError(f'option "{name}" takes {_NUMBERS[hint]}, not "{text}"') from None


def _takes(hint: Any) -> str:
    return "|".join(get_args(hint)) if get_origin(hint) is Literal else str(hint.__name__)


def _shown(default: object) -> str:
    return str(default).lower() if isinstance(default, bool) else str(default)
