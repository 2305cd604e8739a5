"""Files with policies as text that stands in the comments of a program, so that one file holds all that a run needs.

    // policy mine.yaml| base: autocast-f16
    // policy mine.yaml| kinds: {reduction: low}

Deliberately absent: files that are no lines of printable text; the reader of policies refuses them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_LINE = re.compile(r"// policy (?P<name>[\w.-]+)\|(?: (?P<line>.*))?\n?")


def embedded_policies(texts: Mapping[str, str]) -> list[str]:
    """Return the lines that hold the texts of some files, which are called by words of letters, dots and hyphens."""
    return [f"// policy {name}| {line}" for name, text in texts.items() for line in text.removesuffix("\n").split("\n")]


def policies_within(file: str) -> dict[str, str]:
    """Return the texts of the files that a program has in its comments, by what they are called.

    Raises: OSError, UnicodeDecodeError.
    """
    found: dict[str, list[str]] = {}
    with open(file, encoding="utf-8") as opened:
        for line in opened:
            match = _LINE.fullmatch(line)
            if match is not None:
                found.setdefault(match["name"], []).append(match["line"] or "")
    return {name: "".join(f"{line}\n" for line in lines) for name, lines in found.items()}
