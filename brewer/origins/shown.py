"""A located tree as YAML, with the place of each key in a comment. What is printed reads back as the same tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from brewer.plain_scalars import INFINITIES
from brewer.yaml_tree import Entry, Mapping, Node, Scalar, Sequence

Comment = Callable[[tuple[str, ...], Entry], str]
_WIDEST = 64  # characters before a comment; longer lines have it right behind them
_ENDLESS = 1_000_000  # yaml cuts lines that are longer than it is told


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    comment: str = ""


def yaml_lines(tree: Mapping, comment: Comment) -> list[str]:
    """The tree with a comment behind each key."""
    lines = list(_lines(tree, (), comment))
    column = max((len(line.text) for line in lines if len(line.text) <= _WIDEST), default=0)
    return [f"{line.text:{column}}  # {line.comment}" if line.comment else line.text for line in lines]


def value_of(node: Node) -> Any:
    """What a node says, as JSON has it."""
    if isinstance(node, Mapping):
        return {entry.name: value_of(entry.value) for entry in node}
    if isinstance(node, Scalar):
        return node.text if node.value in INFINITIES.values() else node.value  # for which JSON has no number
    return [value_of(item) for item in node.items]


def _lines(tree: Mapping, path: tuple[str, ...], comment: Comment) -> Iterator[_Line]:
    indent = "  " * len(path)
    for entry in tree:
        here = (*path, entry.name)
        key, said = f"{indent}{_scalar(entry.key)}:", comment(here, entry)
        if isinstance(entry.value, Mapping) and entry.value.entries:
            yield _Line(key, said)
            yield from _lines(entry.value, here, comment)
        elif _has_lines(entry.value):
            assert isinstance(entry.value, Scalar)
            yield from _block(key, entry.value.text, indent, said)
        elif isinstance(entry.value, Sequence) and _needs_lines(entry.value):
            yield _Line(key, said)
            yield from _items(entry.value, f"{indent}  ")
        else:
            text = _plain(entry.value) if isinstance(entry.value, Scalar) else _inline(entry.value)
            yield _Line(f"{key} {text}".rstrip(), said)


def _items(node: Sequence, indent: str) -> Iterable[_Line]:
    """A list, an item a line or a block."""
    for item in node.items:
        if _has_lines(item):
            assert isinstance(item, Scalar)
            yield from _block(f"{indent}-", item.text, indent, "")
        else:
            yield _Line(f"{indent}- {_inline(item)}")


def _needs_lines(node: Sequence) -> bool:
    """Whether a list is not for one line: texts of several lines, several mappings."""
    return any(map(_has_lines, node.items)) or sum(isinstance(item, Mapping) for item in node.items) > 1


def _has_lines(node: Node) -> bool:
    return isinstance(node, Scalar) and "\n" in node.text.strip("\n")


def _block(key: str, text: str, indent: str, comment: str) -> Iterable[_Line]:
    """A text of several lines; a comment may stand behind the sign that announces it."""
    sign = "|" if text.endswith("\n") else "|-"
    yield _Line(f"{key} {sign}", comment)
    for line in text.rstrip("\n").split("\n"):
        yield _Line(f"{indent}  {line}".rstrip())


def _inline(node: Node) -> str:
    if isinstance(node, Scalar):
        return _scalar(node)
    if isinstance(node, Mapping):
        return f"{{{', '.join(f'{_scalar(entry.key)}: {_inline(entry.value)}' for entry in node)}}}"
    return f"[{', '.join(_inline(item) for item in node.items)}]"


def _plain(node: Scalar) -> str:
    """A scalar that is all there is behind a key."""
    if not isinstance(node.value, str):
        return node.text
    return str(yaml.safe_dump(node.value, width=_ENDLESS, allow_unicode=True)).removesuffix("...\n").strip()


def _scalar(node: Scalar) -> str:
    """A scalar among others, in brackets or braces, where more must be quoted."""
    if not isinstance(node.value, str):
        return node.text
    flow = yaml.safe_dump([node.value], width=_ENDLESS, allow_unicode=True, default_flow_style=True)
    return str(flow).strip().removeprefix("[").removesuffix("]")
