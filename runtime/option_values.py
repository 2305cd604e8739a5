"""Values of options that the command lines of programs and of passes both take."""

from __future__ import annotations

import argparse

_MOST_DIGITS = 40


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
