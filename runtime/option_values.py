"""What the command lines of programs and of passes share: values of options, and what is said of a misspelt one."""

from __future__ import annotations

import argparse
from typing import Final, NoReturn

from runtime.diagnostics import did_you_mean

_MOST_DIGITS = 40
_UNKNOWN: Final = "unrecognized arguments: "  # as argparse says it


class OptionParser(argparse.ArgumentParser):
    """Says of an option that there is not which one may be meant."""

    def error(self, message: str) -> NoReturn:
        words = message.removeprefix(_UNKNOWN).split() if message.startswith(_UNKNOWN) else ()
        unknown = next((word.partition("=")[0] for word in words if word.startswith("--")), None)
        near = "" if unknown is None else did_you_mean(unknown, self._option_string_actions)
        super().error(f"{message}; {near}" if near else message)


def number_of_elements(text: str) -> int:
    """Return the number that an option says.

    Raises: argparse.ArgumentTypeError where it is none.
    """
    if not is_whole_number(text):
        shown = f'"{text}" is' if len(text) <= _MOST_DIGITS else f"a word of {len(text)} characters is"
        raise argparse.ArgumentTypeError(f"{shown} no number of elements")
    return int(text)


def is_whole_number(text: str) -> bool:
    """Whether a text is a whole number from 0 on, of a length that Python reads."""
    return text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS
