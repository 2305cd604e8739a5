"""The import lines of a generated module: found from the names that its text uses, so none is missing or left over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from brewer.field_views import enum_alias, enum_constant, group_constant
from brewer.python_sources import ROOT_CLASS, PythonSources
from brewer.vocabulary import Vocabulary

_STANDARD = {
    "collections.abc": ("Iterable", "Iterator", "Mapping", "Sequence"),
    "typing": ("TYPE_CHECKING", "ClassVar", "Literal"),
}
_RUNTIME_FUNCTIONS = {
    "runtime.quoting": ("quoted",),
    "runtime.relations": (
        *("extent", "may_be_at_least", "may_be_at_most", "may_be_equal", "may_be_less", "may_be_multiple_of"),
        *("may_differ", "names_of", "present"),
    ),
    "runtime.types": ("Shape", "shape_str"),
}
_TEXT = re.compile(
    r"""\"{3} (?: [^"\\] | \\. | "(?!"") )* \"{3} | f?" (?: [^"\\] | \\. )* " | f?' (?: [^'\\] | \\. )* ' | \#[^\n]*""",
    re.DOTALL | re.VERBOSE,
)
_WORD = re.compile(r"\w+")
_EXPRESSION = re.compile(r"(?<!\{)\{([^{}]+)\}")
_TO_SPACES = {ord(character): " " for character in "()[]{}:,;=+-*/%@&|^~<>!\n\\"}
# Only annotations need these, and they lead to modules that whoever builds instructions does not load.
_FOR_TYPE_CHECKERS = ("BirWriter", "Names", "Record")


def known_names(vocabulary: Vocabulary, sources: PythonSources) -> dict[str, str]:
    """Every name that generated text may use -> the module that it comes from."""
    root = sources.classes.get(ROOT_CLASS)
    words = f"{sources.modules.package}.vocabulary"
    return {
        **sources.inference_names,
        **{f"{dtype}_" if dtype == "bool" else dtype: "runtime.dtypes" for dtype in vocabulary.dtypes},
        **{enum_alias(enum.name.value): words for enum in vocabulary.enums},
        **{enum_constant(enum.name.value): words for enum in vocabulary.enums},
        **{group_constant(name): words for name, _ in vocabulary.dtype_groups},
        **sources.classes.modules,
        **{name: root.imports[name] for name in _FOR_TYPE_CHECKERS if root and name in root.imports},
        **{
            name: module
            for table in (_STANDARD, _RUNTIME_FUNCTIONS)
            for module, names in table.items()
            for name in names
        },
    }


def import_lines(used: Iterable[str], known: Mapping[str, str]) -> str:
    """The import statements for those of the used names that are known, in the order that isort gives them."""
    used = set(used)
    checked = {name for name in _FOR_TYPE_CHECKERS if name in used and name in known}
    plain = {name for name in used - checked if name in known} | ({"TYPE_CHECKING"} if checked else set())
    standard = _statements({name for name in plain if known[name] in _STANDARD}, known)
    ours = _statements({name for name in plain if known[name] not in _STANDARD}, known)
    guarded = [f"    {line}" for line in _statements(checked, known)]
    blocks = ["\n".join(block) for block in (standard, ours) if block]
    if guarded:
        blocks.append("\n".join(["if TYPE_CHECKING:", *guarded]))
    return "\n\n".join(blocks)


def names_used(text: str) -> set[str]:
    """The words that may be names in a module's code: not in texts, docstrings and comments, nor behind a dot.

    A syntax tree would tell keywords and parameters apart, too, but takes twenty times as long. None of them bears the
    name of something that is imported; a test compares the two.
    """
    code, texts = _parted(text)
    for each in texts:
        if each[:1] == "f":
            code += _EXPRESSION.findall(each)
    return set(" ".join(code).replace(".", " .").translate(_TO_SPACES).split())


class LinesOfCode:
    """The known names that texts use, method by method and line by line: most of a class stand in others, too.

    It takes a fifth of the time of looking at whole texts.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._known = frozenset(known)
        self._in_part: dict[str, frozenset[str]] = {}  # what was seen between two empty lines -> the known names in it
        self._in_line: dict[str, frozenset[str]] = {}

    def names_used(self, text: str) -> frozenset[str]:
        code = _code(text)
        if code is None:
            return self._known & names_used(text)
        found = self._in_part
        parts = code.split("\n\n")
        for part in parts:
            if part not in found:
                found[part] = frozenset().union(*map(self._names_in, part.split("\n")))
        return frozenset().union(*[found[part] for part in parts])

    def _names_in(self, line: str) -> frozenset[str]:
        used = self._in_line.get(line)
        if used is None:
            may_use = not self._known.isdisjoint(_WORD.findall(line))  # three quarters clearly do not
            used = self._in_line[line] = self._known & names_used(line) if may_use else _NONE
        return used


_NONE: frozenset[str] = frozenset()


def _code(text: str) -> str | None:
    """The lines beside docstrings; None where a text may go on over several lines in another way."""
    code = text.split('"""')[::2]
    before_docstrings = [part.rpartition("\n")[2] for part in code[:-1]]
    if "\\" in text or "'''" in text or "".join(before_docstrings).strip():
        return None
    return "".join(code)


def _parted(text: str) -> tuple[list[str], list[str]]:
    """Code without texts, and the texts that may hold expressions."""
    code = " ".join(text.split('"""')[::2])
    if "\\" in text or "'" in code or "#" in code:
        return _TEXT.split(text), _TEXT.findall(text)
    parts = code.split('"')
    strings = zip(parts[:-1:2], parts[1::2], strict=True)
    return parts[::2], [f"f{text}" for before, text in strings if "{" in text and before[-1:] == "f"]


def _statements(names: set[str], known: Mapping[str, str]) -> list[str]:
    modules: dict[str, list[str]] = {}
    for name in sorted(names, key=_isort_key):
        modules.setdefault(known[name], []).append(name)
    return [_statement(module, modules[module]) for module in sorted(modules)]


def _statement(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= 120:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])


def _isort_key(name: str) -> tuple[int, str, str]:
    """Constants, then classes, then functions; case counts only among equals."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, name.lower(), name
