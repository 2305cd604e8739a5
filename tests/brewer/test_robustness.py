"""Whatever stands in a definition, the answer is a result or diagnostics, never a traceback."""

import random
from pathlib import Path

import pytest

from brewer.command_line import brew
from brewer.project import Project
from runtime.diagnostics import DiagnosticsError
from tests.brewer.case_files import read_case
from tests.brewer.miniature import build

EVERYTHING = read_case(Path(__file__).parent / "cases" / "everything.case").files["defs/neuron/X.yaml"].decode()
WORDS = sorted(set(EVERYTHING.replace(":", " ").split()))
JUNK = [
    "[",
    "{",
    "}",
    "]",
    ": ",
    "- ",
    '"',
    "'",
    "&a ",
    "*a ",
    "!!x ",
    "|",
    ">",
    "\t",
    "%",
    "\n",
    "  ",
    "~",
    "yes",
    "1e3",
]
JUNK += [
    "\u2028",
    "# ",
    "---\n",
    "? ",
    "<<: ",
    "{}",
    "[]",
    "-1",
    "9" * 30,
    "é",
    "\x00",
    "(?",
    "{src}",
    ")",
    "\ufeff",
    "\r",
]


@pytest.mark.parametrize("seed", range(4))
def test_mutated_definitions_never_raise(seed: int, tmp_path: Path) -> None:
    project = build(tmp_path, {"defs/neuron/X.yaml": EVERYTHING.encode()})
    brew(project)
    choose = random.Random(seed)
    for _ in range(40):
        (project.definitions / "neuron" / "X.yaml").write_bytes(mutated(choose).encode())
        _brew(project)


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"\xff\xfe", b"\x00", b"[" * 20_000, b"- " * 5_000, b"a: " * 3_000, b"? " * 3_000, b"{" * 20_000],
    ids=["empty", "line", "utf16", "null", "lists", "dashes", "keys", "questions", "maps"],
)
@pytest.mark.parametrize("name", ["defs/neuron/X.yaml", "defs/vocabulary.yaml"])
def test_hostile_files_never_raise(name: str, content: bytes, tmp_path: Path) -> None:
    assert not _brew(build(tmp_path, {name: content}))


def mutated(choose: random.Random) -> str:
    """The definition with one to three small changes: lines dropped or doubled, words swapped, junk inserted."""
    lines = EVERYTHING.splitlines(keepends=True)
    for _ in range(choose.randint(1, 3)):
        at = choose.randrange(len(lines))
        line = lines[at]
        place = choose.randrange(len(line))
        match choose.randrange(5):
            case 0:
                lines[at] = ""
            case 1:
                lines[at] = line + choose.choice(lines)
            case 2:
                lines[at] = line[:place] + choose.choice(JUNK) + line[place:]
            case 3:
                lines[at] = line[:place] + line[place + choose.randint(1, 5) :] + "\n"
            case _:
                words = line.split(" ")
                words[choose.randrange(len(words))] = choose.choice(WORDS)
                lines[at] = " ".join(words) + "\n"
        lines = [line or "\n" for line in lines]
    return "".join(lines)


def _brew(project: Project) -> bool:
    """Whether the project has no mistakes; a mistake in a template or in rendered text would be one of ours."""
    try:
        brew(project)
    except DiagnosticsError as error:
        assert error.diagnostics and all(found.render() for found in error.diagnostics)
        assert not {"D080", "D081"}.intersection(found.code for found in error.diagnostics), str(error)
        return False
    return True
