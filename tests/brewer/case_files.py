"""The format of data-driven cases.

# A sentence of intent.
## file: defs/neuron/X.yaml          a file of the project; `(escaped)` after the name: with Python's escapes,
name: X                              `(9 times)`: with its text so often
## remove: defs                      a file or folder of the miniature that is not there
## names: X Y                        what stands on the command line
## show: generated/neuron/XGen.py    which rendered file is expected; without it, the diagnostics are
# expect
...
"""

from dataclasses import dataclass
from pathlib import Path

from tests.case_files import CaseFile, read_case_file, read_case_files


@dataclass(frozen=True)
class Case:
    file: CaseFile
    files: dict[str, bytes]
    removed: tuple[str, ...]
    names: tuple[str, ...]
    show: str


def read_cases(folder: Path) -> list[Case]:
    return [_parsed(file) for file in read_case_files(folder, "#")]


def read_case(path: Path) -> Case:
    return _parsed(read_case_file(path, "#"))


def _parsed(file: CaseFile) -> Case:
    files: dict[str, bytes] = {}
    words: dict[str, str] = {}
    for section in file.input.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        kind, _, value = title.partition(": ")
        if kind == "file":
            name, _, manner = value.partition(" (")
            body += "\n" if body and not body.endswith("\n") else ""
            files[name] = _unescaped(body) if manner == "escaped)" else body.encode()
            files[name] *= int(manner.removesuffix(" times)")) if manner.endswith(" times)") else 1
        else:
            assert kind in ("remove", "names", "show"), f"{file.path.name}: no directive is called {kind}"
            words[kind] = value
    return Case(
        file,
        files,
        tuple(words.get("remove", "").split()),
        tuple(words.get("names", "").split()),
        words.get("show", ""),
    )


def _unescaped(body: str) -> bytes:
    return body.encode("latin-1").decode("unicode_escape").encode("latin-1")
