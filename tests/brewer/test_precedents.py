"""What is taken as settled without black is what black leaves alone: held against black itself."""

import random
import re
from collections.abc import Iterator
from functools import cache

import pytest

from brewer.formatting import Formatter, formatted
from brewer.precedents import Precedents
from brewer.project import Project

GENERATED = sorted(Project.of_this_tool().generated.rglob("*.py"))
HAND_WRITTEN = sorted(Project.of_this_tool().root.glob("runtime/[a-i]*.py"))


@cache
def texts(hand_written: bool) -> list[str]:
    """Texts that black leaves alone (tests/test_golden.py, ruff)."""
    files = [*GENERATED, *HAND_WRITTEN] if hand_written else GENERATED
    return [file.read_text() for file in files if file.read_text().count("\n") < 400]


def seen(hand_written: bool) -> Precedents:
    precedents = Precedents()
    for text in texts(hand_written):
        precedents.add(text)
    return precedents


def mutants(choose: random.Random, hand_written: bool) -> Iterator[str]:
    """Texts that look much like those that black has seen: lines moved, doubled, joined, cut, with other words."""
    while True:
        lines = choose.choice(texts(hand_written)).split("\n")
        for _ in range(choose.choice((1, 1, 1, 2, 3))):
            mutate(lines, choose, choose.choice(texts(hand_written)).split("\n"))
        yield "\n".join(lines)


def mutate(lines: list[str], choose: random.Random, others: list[str]) -> None:
    at, from_ = choose.randrange(len(lines)), choose.randrange(len(lines))
    count = choose.randrange(1, 12)
    match choose.randrange(12):
        case 0:
            del lines[at : at + choose.choice((1, count))]
        case 1:
            lines[at:at] = lines[from_ : from_ + choose.choice((1, count))]
        case 2:
            start = choose.randrange(len(others))
            lines[at:at] = others[start : start + count]
        case 3:
            lines.insert(at, "")
        case 4:
            lines[at] += "".join(line.strip() for line in lines[at + 1 : at + 2])
            del lines[at + 1 : at + 2]
        case 5:
            lines[at] = lines[at].replace("_", "_" + "x" * choose.randrange(80), 1)
        case 6:
            lines[at] = " " * 4 + lines[at]
        case 7:
            lines[at] = lines[at].removeprefix("    ")
        case 8:
            lines[at] = lines[at].replace(",", "", 1)
        case 9:
            lines[at] = lines[at].replace(", ", ",\n" + " " * choose.choice((4, 8, 12)), 1)
        case 10:
            lines[at] = lines[at].replace('"', "'") if choose.random() < 0.5 else lines[at].replace(" ", "  ")
        case _:
            words = ("a", "longer_name_of_it", "x" * choose.randrange(1, 60), "1", "not", "None")
            lines[at] = re.sub(r"\b[a-z_]+\b", lambda word: choose.choice((*words, *[word.group()] * 9)), lines[at])
    if not lines:
        lines.append("")


def is_python(text: str) -> bool:
    """What is not Python is refused before anybody asks what black would do."""
    try:
        compile(text, "<text>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def compare_with_black(seed: int, count: int, hand_written: bool) -> None:
    precedents, known = seen(hand_written), set(texts(hand_written))
    settled = (
        t for t in mutants(random.Random(seed), hand_written) if t not in known and precedents.cover(t) and is_python(t)
    )
    for _, text in zip(range(count), settled, strict=False):
        assert formatted(text) == text


@pytest.mark.parametrize("hand_written", [False, True])
def test_black_leaves_alone_what_has_precedents(hand_written: bool) -> None:
    compare_with_black(1, 25, hand_written)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 10))
def test_black_leaves_alone_what_has_precedents_in_a_long_time(seed: int) -> None:
    compare_with_black(seed, 100, hand_written=seed % 2 == 0)


UNSETTLED = [
    "x = f(\n    a,\n    b\n)\n",
    "x = f(\n    a\n)\n",
    "x = (\n    a,\n)\n",
    "x = y[\n    a,\n]\n",
    'x = f(\n    "a"\n    "b",\n    "c",\n)\n',
    "x = 'a'\n",
    'x = u"a"\n',
    "x = 0XF\n",
    "x = f(a,b)\n",
    "x = f( a)\n",
    "x = f(a) \n",
    "x = 1\n\n\n\ny = 2\n",
    "x = 1\n\n",
    "x = 1",
    "\tx = 1\n",
    "x = 1; y = 2\n",
    "x = 1  # type: int\n",
    "x = 1 # a\n",
    f"x = {'x' * 120}\n",
    '"""  a"""\n',
    '"""a """\n',
    '"""a\n  b\n"""\n',
    '"""a\n    b\n    """\n',
    '"""a\n"""\n',
    'class A:\n    """A.\n    """\n\n    x = 1\n',
    'x = """a"""\n',
    "if x:\n  y = 1\n",
    "def f():\n    x = 1\ndef g():\n    y = 1\n",
    "class A:\n    x = 1\n    def f(self):\n        return 1\n",
    "x = (\n    1 +\n    2\n)\n",
    "x = \\\n    1\n",
    "x = f(\n\n    a,\n    b,\n)\n",
    "import b\nx = 1\n",
    "x = (yield)\n",
]


@pytest.mark.parametrize("text", UNSETTLED, ids=repr)
def test_what_black_would_change_is_never_settled(text: str) -> None:
    """Also not after it was added by mistake, where its own form shows it."""
    assert not seen(hand_written=True).cover(text)


@pytest.mark.parametrize(
    ("known", "other"),
    [
        ("x = f(\n    a,\n    b,\n)\n", "long_name = g(\n    another,\n    one,\n    and_more,\n)\n"),
        ('x = f"a {b}"\n', 'y = f"{c} and {d}"\n'),
        ("x = f(1.5, a)\n", "y = g(20, b)\n"),
        ('"""One line."""\n', '"""Another."""\n'),
        ("def f(a: int) -> str:\n    return a\n", "def gh(name: Type) -> Other:\n    return name\n"),
        ("x = a.b(c)[d]\n", "yy = e.f(g)[h]\n"),
    ],
)
def test_a_like_text_is_settled_by_its_precedent(known: str, other: str) -> None:
    precedents = Precedents()
    assert formatted(known) == known and formatted(other) == other
    assert not precedents.cover(other)
    precedents.add(known)
    assert precedents.cover(other)


def test_black_is_asked_once_for_each_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def ask(text: str) -> str:
        asked.append(text)
        return text

    monkeypatch.setattr("brewer.formatting.formatted", ask)
    formatter = Formatter()
    for number in range(50):
        text = f'class A{number}:\n    """Number {number}."""\n\n    x = {number}\n'
        assert formatter.formatted(text) == text
    assert len(asked) == 1


def test_a_text_that_black_changes_is_no_precedent() -> None:
    formatter = Formatter()
    assert formatter.formatted("x = f(a,b)\n") == "x = f(a, b)\n"
    assert formatter.formatted("x = f(a,b)\n") == "x = f(a, b)\n"
    assert not formatter.precedents.units
