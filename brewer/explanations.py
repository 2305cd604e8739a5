"""What `python -m brewer explain` says of a code: the rule, a wrong example with what is said of it, and a right one.

The texts stand in brewer/explanations/, one file a code; a test brews the examples. Deliberately absent: the short
sentence of each code, which is in brewer/codes.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brewer.problems import Problems
from brewer.yaml_tree import Mapping, Scalar, read_tree

FOLDER = Path(__file__).parent / "explanations"


@dataclass(frozen=True, slots=True)
class Example:
    """Files of a project, and what stands on the command line behind `brewer`."""

    files: tuple[tuple[str, str], ...]
    run: str = ""

    def lines(self) -> Iterator[str]:
        for file, text in self.files:
            yield f"  {file}"
            yield from (f"      {_visible(line)}".rstrip() for line in text.removesuffix("\n").split("\n"))
        if self.run:
            yield f"  python -m brewer {self.run}"


@dataclass(frozen=True, slots=True)
class Explanation:
    code: str
    rule: str
    bad: Example
    said: str
    good: Example
    before: Example  # what was brewed and committed, for codes that compare with it
    encoding: str  # of the bad files
    repeat: int  # how often their text stands in them
    removed: str  # a file that every project has, and this one has not

    def lines(self, summary: str) -> list[str]:
        """The explanation for a terminal; `summary` is the code's sentence."""
        lines = [f"{self.code}: {summary}", "", self.rule.rstrip()]
        if self.before.files:
            lines += ["", "before, brewed and committed:", *self.before.lines()]
        lines += ["", "wrong:", *self.bad.lines()]
        if self.repeat > 1:
            lines.append(f"      ... and so on, {self.repeat} times")
        if self.encoding != "utf-8":
            lines.append(f"      (saved as {self.encoding})")
        if self.removed:
            lines.append(f"  (without {self.removed})")
        lines += ["", "brewer says:", *(f"  {line}".rstrip() for line in self.said.rstrip().split("\n"))]
        return [*lines, "", "right:", *self.good.lines()]

    def json(self, summary: str) -> dict[str, Any]:
        """What the lines say, for other programs."""
        examples = {"before": self.before, "wrong": self.bad, "right": self.good}
        return {
            "code": self.code,
            "summary": summary,
            "rule": self.rule.rstrip(),
            **{name: {"files": dict(each.files), "run": each.run} for name, each in examples.items()},
            "said": self.said,
            "encoding": self.encoding,
            "repeat": self.repeat,
            "without": self.removed or None,
        }


def read_explanation(code: str) -> Explanation:
    """The explanation of a code that has one."""
    path = FOLDER / f"{code}.yaml"
    problems = Problems()
    tree = read_tree(str(path), path.read_bytes(), problems)
    problems.raise_if_any()
    assert isinstance(tree, Mapping)
    return Explanation(
        code=code,
        rule=_text(tree, "rule"),
        bad=Example(_files(tree, "bad"), _text(tree, "run")),
        said=_text(tree, "said"),
        good=Example(_files(tree, "good"), _text(tree, "run_good")),
        before=Example(_files(tree, "before")),
        encoding=_text(tree, "encoding") or "utf-8",
        repeat=int(_text(tree, "repeat") or 1),
        removed=_text(tree, "removed"),
    )


def _text(tree: Mapping, name: str) -> str:
    entry = tree.get(name)
    return entry.value.text if entry and isinstance(entry.value, Scalar) else ""


def _files(tree: Mapping, name: str) -> tuple[tuple[str, str], ...]:
    entry = tree.get(name)
    files = entry.value if entry and isinstance(entry.value, Mapping) else ()
    return tuple((file.name, file.value.text) for file in files if isinstance(file.value, Scalar))


def _visible(line: str) -> str:
    """Control characters as Python writes them."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in line)
