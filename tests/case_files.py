"""Data-driven cases, one a file: what goes in, and what is to come out.

    // A sentence of intent.
    <what goes in>
    // expect
    <what is to come out>

The comment sign is that of the input: `//` in programs, `#` in definitions.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class CaseFile:
    """One case file."""

    path: Path
    text: str  # the sentence of intent and the input; where it is a comment, places are those of the file
    expect: str  # the line between input and output
    expected: str

    @property
    def input(self) -> str:
        """The text with an empty line in place of the sentence of intent."""
        return "\n" + self.text.partition("\n")[2]

    def check(self, output: str, update: bool) -> None:
        """Compare the output with what is expected, or make it that."""
        if update:
            self.path.write_text(self.text + self.expect + output, encoding="utf-8", newline="")
        else:
            assert output == self.expected


def read_case_files(folder: Path, comment: str = "//") -> list[CaseFile]:
    """Return the cases of a folder, by name."""
    return [read_case_file(path, comment) for path in sorted(folder.glob("*.case"))]


def read_case_file(path: Path, comment: str = "//") -> CaseFile:
    """Return the case in a file."""
    expect = f"{comment} expect\n"
    with path.open(encoding="utf-8", newline="") as file:  # some cases are about line ends
        text, found, expected = file.read().partition(expect)
    assert found, f"{path.name} has no line `{expect.rstrip()}`"
    assert re.match(rf"{comment} [A-Z`].*\.\n", text), f"{path.name} must start with a sentence of intent"
    return CaseFile(path, text, expect, expected)


def codes_without_case(codes: Mapping[str, str], cases: Iterable[CaseFile]) -> list[str]:
    """Return the diagnostic codes that no case expects; a case may expect no other codes."""
    shown = {code for case in cases for code in re.findall(r"error\[(\w+)\]", case.expected)}
    assert not shown - codes.keys(), f"not in the table of codes: {shown - codes.keys()}"
    return sorted(codes.keys() - shown)
