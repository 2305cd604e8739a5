"""YAML text as a tree whose every node knows its place.

Deliberately absent: anchors, aliases, merge keys, tags, several documents. A definition is data, written out in full.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Hashable, Iterator
from functools import cache
from typing import NamedTuple

import yaml

from brewer.frozen import frozen
from brewer.plain_scalars import Ambiguous, plain_value
from brewer.problems import Problems
from brewer.text_files import DEFINITION_FILE, FileKind, read_text
from runtime.diagnostics import Note, Place

MAX_DEPTH = 24  # the deepest legal definition needs 6
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # composing with the C loader takes an eighth of the time
# Of the C loader, the part that composes: what resolves and constructs takes a tenth of the time to set up.
_PARSER = next((base for base in _LOADER.__mro__ if base.__name__ == "CParser"), _LOADER)


class _Composer(_PARSER):  # type: ignore[misc, valid-type]  # found when this is imported
    """Composes without asking for the tag of each node, which takes two thirds of the time: `plain_value` decides.

    The three are built-in functions that take these arguments and do nothing with them; ours would take ten times as
    long, three times a node.
    """

    resolve = slice
    descend_resolver = staticmethod(operator.is_)
    ascend_resolver = dict


_NEEDS_SCAN = re.compile(r"(?:^|[\s\[{,:?-])[&*!]\S", re.MULTILINE)
_NONE: frozenset[str] = frozenset()
_TUPLE = tuple.__new__
_SCALAR_NODE, _MAPPING_NODE = yaml.ScalarNode, yaml.MappingNode
_SYNTAX_HELP = {
    "',' or ']'": "inside a list, a text with brackets, commas or colons is written in quotes",
    "',' or '}'": "inside braces, a text with brackets, commas or colons is written in quotes",
    "mapping values are not allowed": 'a text that holds ": " is written in quotes',
}
_OPENING = (
    yaml.BlockMappingStartToken,
    yaml.BlockSequenceStartToken,
    yaml.FlowMappingStartToken,
    yaml.FlowSequenceStartToken,
)
_CLOSING = (yaml.BlockEndToken, yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken)


class Scalar(NamedTuple):
    """A leaf. `value` is None only for an empty value, which whoever reads the key reports.

    A tuple, as `Entry` is, since a definition has fifty of them: each is made in a third of the time.
    """

    place: Place
    text: str
    value: str | int | float | bool | None


@frozen
class Sequence:
    place: Place
    items: tuple[Node, ...]


class Entry(NamedTuple):
    key: Scalar
    value: Node

    @property
    def name(self) -> str:
        return self.key.text

    @property
    def place(self) -> Place:
        return self.key.place


@frozen
class Mapping:
    """Entries in the order of the file, each key once."""

    place: Place
    by_name: dict[str, Entry]  # nobody changes it
    doubled: frozenset[str] = frozenset()  # keys that stand twice, of which the first counts; reported already

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(self.by_name.values())

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.by_name.values())

    def get(self, name: str) -> Entry | None:
        return self.by_name.get(name)


Node = Scalar | Sequence | Mapping


def content_of(node: Node) -> Hashable:
    """What a node says, wherever it stands: two of one content are read alike. `true` and `"true"` are two."""
    if isinstance(node, Scalar):
        return node.text, node.value.__class__
    if isinstance(node, Mapping):
        return tuple([(key.text, key.value.__class__, content_of(value)) for key, value in node.by_name.values()])
    return tuple(map(content_of, node.items))


def read_tree(file: str, data: bytes, problems: Problems, kind: FileKind = DEFINITION_FILE) -> Mapping | None:
    """The tree of a file; None where a mistake in the text leaves nothing to read further."""
    text = read_text(file, data, problems, kind)
    if text is None:
        return None
    try:
        if _needs_scan(text) and _reports_forbidden_tokens(file, text, problems):
            return None
        root = yaml.compose(text, Loader=_Composer)
    except yaml.MarkedYAMLError as error:
        _report_syntax(file, error, problems, kind)
        return None
    assert root is not None, "an empty file was reported before"
    tree = _Converter(file, problems).convert(root)
    if isinstance(tree, Mapping):
        return tree
    problems.error("D014", tree.place, f"a {kind.noun} file must be a mapping of keys to values")
    return None


def _needs_scan(text: str) -> bool:
    """Whether the text may hold an anchor, alias or tag, or be nested deeply; most texts clearly do not."""
    flow = text.count("[") + text.count("{")
    if flow > MAX_DEPTH or _deep_line(MAX_DEPTH - flow + 1).search(f"\n{text}"):
        return True
    return ("&" in text or "*" in text or "!" in text) and _NEEDS_SCAN.search(text) is not None


@cache
def _deep_line(depth: int) -> re.Pattern[str]:
    """A line that may open so many levels; looking for line ends takes a fifth of the time of looking for starts."""
    return re.compile(rf"\n[ ?-]{{{depth}}}")


def _reports_forbidden_tokens(file: str, text: str, problems: Problems) -> bool:
    """Looked for among the tokens, since composing would already expand aliases and recurse into deep nesting."""
    depth = 0
    found = False
    for token in yaml.scan(text, Loader=_LOADER):
        depth += isinstance(token, _OPENING) - isinstance(token, _CLOSING)
        if depth > MAX_DEPTH:
            problems.error("D020", _token_place(file, token), f"nested deeper than {MAX_DEPTH} levels")
            return True
        if isinstance(token, (yaml.AnchorToken, yaml.AliasToken)):
            found = True
            mark = "&" if isinstance(token, yaml.AnchorToken) else "*"
            message = f"{mark}{token.value}: a definition has no anchors and aliases"
            help = "write the value out, or in quotes if the text is meant"
            problems.error("D009", _token_place(file, token), message, help=help)
        if isinstance(token, yaml.TagToken):
            found = True
            help = "write the plain value, or in quotes if the text is meant"
            problems.error("D021", _token_place(file, token), "a definition has no YAML tags", help=help)
    return found


def _token_place(file: str, token: yaml.Token) -> Place:
    start, end = token.start_mark, token.end_mark
    return Place(file, start.line + 1, start.column + 1, end.column - start.column if end.line == start.line else 1)


def _report_syntax(file: str, error: yaml.MarkedYAMLError, problems: Problems, kind: FileKind) -> None:
    mark = error.problem_mark or error.context_mark
    place = Place(file, mark.line + 1, mark.column + 1, 1) if mark else Place(file, 1, 1)
    problem = str(error.problem)
    key = error.context_mark
    if "could not find expected ':'" in problem and key:  # noticed only on the line after it
        line = (problems.line_at(Place(file, key.line + 1, 1)) or "").rstrip()
        place = Place(file, key.line + 1, key.column + 1, max(1, len(line) - key.column))
        message = "not YAML: a key without a colon, or a text that goes on over several lines"
        problems.error("D006", place, message, help="write `key: value`; a text of several lines follows `key: |`")
        return
    if "nesting depth" in problem:  # the reader looks ahead, and may give up before tokens are counted
        problems.error("D020", place, f"nested deeper than {MAX_DEPTH} levels")
        return
    if "another document" in problem:
        help = f"one {kind.noun} a file; remove the line `---`"
        problems.error("D008", place, "the file holds several YAML documents", help=help)
        return
    notes = []
    if error.context and error.context_mark:
        start = Place(file, error.context_mark.line + 1, error.context_mark.column + 1)
        notes.append(Note(str(error.context), start))
    help = next((help for part, help in _SYNTAX_HELP.items() if part in problem), "")
    problems.error("D006", place, f"not YAML: {problem}", help=help, notes=notes)


class _Converter:
    """YAML's nodes to ours; the nodes have neither aliases nor deep nesting any more."""

    def __init__(self, file: str, problems: Problems) -> None:
        self.file = file
        self.lines = problems.lines_of(file)
        self.problems = problems

    def convert(self, node: yaml.Node) -> Node:
        """In one function for all kinds, since there are fifty nodes in a definition: a tenth of a run goes here."""
        start, end = node.start_mark, node.end_mark
        line, column = start.line, start.column
        is_one_line = end.line == line
        last = end.column if is_one_line else len(self.lines[line].rstrip())
        # What `Place(...)` does, in half the time.
        place = _TUPLE(Place, (self.file, line + 1, column + 1, last - column if last > column else 0))
        if isinstance(node, _SCALAR_NODE):
            text: str = node.value
            if not node.style:
                value = plain_value(text) if text else None
                if isinstance(value, Ambiguous):
                    return self.ambiguous(place, text, value)
                return _TUPLE(Scalar, (place, text, value))
            if is_one_line and node.style in "'\"" and place.length > 2:  # what is between the quotes
                place = Place(self.file, line + 1, column + 2, place.length - 2)
            return Scalar(place, text, text)
        if isinstance(node, _MAPPING_NODE):
            return self.mapping(place, node.value)
        assert isinstance(node, yaml.SequenceNode)
        return Sequence(place, tuple([self.convert(item) for item in node.value]))

    def mapping(self, place: Place, pairs: list[tuple[yaml.Node, yaml.Node]]) -> Mapping:
        seen: dict[str, Entry] = {}
        doubled: set[str] = set()
        file = self.file
        for key_node, value_node in pairs:
            # What `convert` does with nearly all keys, in half of the time.
            start, end, text = key_node.start_mark, key_node.end_mark, key_node.value
            line, column = start.line, start.column
            word = plain_value(text) if text and key_node.__class__ is _SCALAR_NODE and not key_node.style else None
            if word.__class__ is str and end.line == line:
                at = _TUPLE(Place, (file, line + 1, column + 1, end.column - column))
                key: Node = _TUPLE(Scalar, (at, text, word))
            else:
                key = self.convert(key_node)
            value = self.convert(value_node)
            if not isinstance(key, Scalar):
                self.problems.error("D014", key.place, "a key must be a word")
            elif first := seen.get(key.text):
                note = Note("it stands here first", first.place)
                self.problems.error("D010", key.place, f'the key "{key.text}" stands twice', notes=[note])
                doubled.add(key.text)
            else:
                seen[key.text] = _TUPLE(Entry, (key, value))
        return Mapping(place, seen, frozenset(doubled) if doubled else _NONE)

    def ambiguous(self, place: Place, text: str, found: Ambiguous) -> Scalar:
        """A word or number without quotes that is refused."""
        self.problems.error("D012", place, found.problem, help=found.help)
        self.problems.doubt(place)
        return Scalar(place, text, text)
