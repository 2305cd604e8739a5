"""Pipelines as text: `auto-cast-fp32{mode=matmult type=bf16}, fixpoint{rounds=9}(a, b)`.

    pipeline := step ("," step)*
    step     := name [options] | "fixpoint" [options] "(" pipeline ")"
    options  := "{" [option ([","] option)*] "}"
    option   := name "=" word

Spaces mean nothing but between options, where they do what a comma does. A name is that of a pass or of a pipeline; an
option may be written with hyphens or underscores. The steps of a `fixpoint` run in order, again and again, until none
of them changes anything; its option `rounds` says how often at most.

Deliberately absent: the passes. `read_pipeline` says which are asked for; `passes/build.py` makes them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NoReturn

from runtime.diagnostics import Diagnostic, DiagnosticsError, Place

FIXPOINT: Final = "fixpoint"
DEEPEST: Final = 100  # how many `fixpoint` may stand in one another

_TOKEN = re.compile(r"(?P<space>\s+)|(?P<word>[^\s,{}()=]+)|(?P<mark>[,{}()=])")


@dataclass(frozen=True)
class Word:
    """A word of the pipeline and where it stands, in characters from 0."""

    text: str
    start: int


@dataclass(frozen=True)
class PassSpec:
    """One pass, or one pipeline that has a name, with the options that are given."""

    name: Word
    options: tuple[tuple[Word, Word], ...] = ()


@dataclass(frozen=True)
class FixpointSpec:
    """Steps to repeat."""

    steps: tuple[PassSpec | FixpointSpec, ...]
    options: tuple[tuple[Word, Word], ...] = ()


Spec = PassSpec | FixpointSpec


def read_pipeline(text: str, file: str = "<passes>") -> tuple[Spec, ...]:
    """Return the steps that `text` asks for; an empty text asks for none.

    Raises: DiagnosticsError where it does not follow the grammar; `file` is what the text is called in messages.
    """
    reader = _Reader(text, file)
    return reader.steps(end="") if reader.peek.text else ()


def pipeline_diagnostic(code: str, message: str, word: Word, text: str, file: str, help: str = "") -> Diagnostic:
    """Return the diagnostic for a word of a pipeline, which counts as one line."""
    line = re.sub(r"\s", " ", text)
    return Diagnostic(code, message, Place(file, 1, word.start + 1, len(word.text)), line, help)


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self._text, self._file = text, file
        found = [match for match in _TOKEN.finditer(text) if match.lastgroup != "space"]
        self._tokens = [Word(match.group(), match.start()) for match in found]
        self._at = 0
        self._depth = 0

    @property
    def peek(self) -> Word:
        """The next token; an empty one at the end."""
        return self._tokens[self._at] if self._at < len(self._tokens) else Word("", len(self._text))

    def steps(self, end: str) -> tuple[Spec, ...]:
        """Read steps up to the token `end`, and that token."""
        found = [self._step()]
        while not self._take(end):
            self._expect(",", f'"," or {_named(end)}')
            found.append(self._step())
        return tuple(found)

    def _step(self) -> Spec:
        name = self._word("the name of a pass")
        options = self._options() if self._take("{") else ()
        if name.text == FIXPOINT:
            self._expect("(", 'the steps to repeat, such as "fixpoint(eliminate-casts)"')
            if self._depth == DEEPEST:
                self._fail_at(name, f'more than {DEEPEST} "{FIXPOINT}" stand in one another')
            self._depth += 1
            steps = self.steps(end=")")
            self._depth -= 1
            return FixpointSpec(steps, options)
        return PassSpec(name, options)

    def _options(self) -> tuple[tuple[Word, Word], ...]:
        found: list[tuple[Word, Word]] = []
        while not self._take("}"):
            if found and self._take(",") and self.peek.text == "}":
                self._fail("the name of an option")
            name = self._word('the name of an option, or "}"')
            self._expect("=", f'"=" and the value of "{name.text}"')
            found.append((name, self._word(f'the value of "{name.text}"')))
        return tuple(found)

    def _word(self, expected: str) -> Word:
        word = self.peek
        if not word.text or word.text in ",{}()=":
            self._fail(expected)
        self._at += 1
        return word

    def _take(self, token: str) -> bool:
        if self.peek.text != token:
            return False
        self._at += bool(token)
        return True

    def _expect(self, token: str, expected: str) -> None:
        if not self._take(token):
            self._fail(expected)

    def _fail(self, expected: str) -> NoReturn:
        self._fail_at(self.peek, f"found {_named(self.peek.text)}, expected {expected}")

    def _fail_at(self, word: Word, message: str) -> NoReturn:
        raise DiagnosticsError([pipeline_diagnostic("P001", message, word, self._text, self._file)])


def _named(token: str) -> str:
    return f'"{token}"' if token else "the end of the pipeline"
