"""The tree as a whole: what stands at its top, how long a file may be, and text that belongs to one machine only."""

import re
from contextlib import suppress
from pathlib import Path

import pytest

from tests.tree import ROOT, files, top_level_names

TOP_LEVEL = frozenset(
    {
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "bench",
        "brewer",
        "defs",
        "frontends",
        "generated",
        "passes",
        "pyproject.toml",
        "runtime",
        "templates",
        "tests",
    }
)
"""Everything at the top but dot-files."""

LONGEST_FILE = 400
LONGEST_PASS = 250

MACHINE_PATH = re.compile(
    r"(?<![\w.~/-])(?:/(?:home|root|Users|work|tmp|mnt|opt|private|scratch)/|[A-Za-z]:\\\\?Users)"
)
REGISTRY = re.compile(r"\b(?:pypi|pythonhosted|npmjs|anaconda|crates|docker|ghcr|proxy\.golang)\.(?:org|com|io)\b")


def test_the_top_of_the_tree_holds_only_what_is_listed() -> None:
    unknown = [name for name in top_level_names() if not name.startswith(".") and name not in TOP_LEVEL]
    assert not unknown, f"not on the list of top-level names: {unknown}"


@pytest.mark.parametrize(
    ("git", "expected"),
    [
        ("printf 'README.md\\0brewer/model.py\\0'", ["README.md", "brewer"]),
        ("exit 128", ["README.md", "brewer", "chain.txt"]),
        (None, ["README.md", "brewer", "chain.txt"]),
    ],
    ids=["a checkout", "an archive", "no git"],
)
def test_what_somebody_keeps_beside_the_project_is_no_part_of_it(
    git: str | None, expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, programs = tmp_path / "checkout", tmp_path / "bin"
    for folder in (root / "brewer", root / ".venv", programs):
        folder.mkdir(parents=True)
    for name in ("README.md", "chain.txt"):
        (root / name).touch()
    if git is not None:
        (programs / "git").write_text(f"#!/bin/sh\n{git}\n", encoding="utf-8")
        (programs / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    assert top_level_names(root) == expected


def test_hand_written_files_stay_short() -> None:
    too_long = [
        f"{_place(path)}: {lines} lines, at most {limit}"
        for path in files()
        if (limit := longest_allowed(path)) and (lines := len(_text(path).splitlines())) > limit
    ]
    assert not too_long, "look for the seam:\n" + "\n".join(too_long)


def test_no_text_belongs_to_one_machine() -> None:
    found = [
        f"{_place(path)}:{number}: {match.group()!r}"
        for path, text in _texts()
        for number, line in enumerate(text.splitlines(), 1)
        for match in [MACHINE_PATH.search(line) or REGISTRY.search(line)]
        if match
    ]
    assert not found, "\n" + "\n".join(found)


def test_text_files_end_lines_the_unix_way() -> None:
    found = [_place(path) for path, text in _texts() if "\r" in text]
    assert not found


@pytest.mark.parametrize("parts", [("home", "ann"), ("root", "x"), ("tmp", "out"), ("Users", "ann", "x.py")])
def test_machine_paths_are_recognised(parts: tuple[str, ...]) -> None:
    path = "/" + "/".join(parts)
    assert all(MACHINE_PATH.search(text) for text in (path, f'open("{path}")', f"cd {path}"))


@pytest.mark.parametrize("text", ["tests/tmp/x", "../tmp/x", "https://example.com/home/x", "a / root / b", "~/work/x"])
def test_other_paths_are_not_machine_paths(text: str) -> None:
    assert not MACHINE_PATH.search(text)


def test_registry_hosts_are_recognised() -> None:
    assert REGISTRY.search("https://" + ".".join(["pypi", "org"]) + "/simple")
    assert not REGISTRY.search("docker, crates and proxies")


def longest_allowed(path: Path) -> int | None:
    """The most lines that this file may have, or None where there is no limit: generated code, prose and data."""
    folder = path.relative_to(ROOT).parts[0]
    if path.suffix not in (".py", ".j2") or folder == "generated":
        return None
    return LONGEST_PASS if folder == "passes" else LONGEST_FILE


def _texts() -> list[tuple[Path, str]]:
    """Every file that is UTF-8 text, with its line ends as they are."""
    found = []
    for path in files():
        with suppress(UnicodeDecodeError):
            found.append((path, path.read_bytes().decode("utf-8")))
    return found


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
