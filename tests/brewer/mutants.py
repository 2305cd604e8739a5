"""Definitions with small mistakes, the same for the same seed: bytes, lines, and nodes of the tree are changed."""

import random
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import yaml

from brewer.definition_keys import DEFINITION
from brewer.document_keys import SLOT, VERSION
from brewer.field_keys import ATTRIBUTE, CONSTRAINT, OPERAND, RESULT
from brewer.kinds import Table

Tree = Any  # what YAML holds: mappings, lists and scalars
TABLES: tuple[Table, ...] = (DEFINITION, OPERAND, ATTRIBUTE, RESULT, CONSTRAINT, VERSION, SLOT)
VALUES: tuple[Tree, ...] = (
    *(True, False, None, 0, 1, -1, 3, 2**63, 0.5, 1.0, "", "text", "f32", "Text.", "src", "none", "int", "index"),
    *("list[int]", "activation_function", "class", "vector", "n.rank", "{x}", "lhs.shape[0]", [], {}, ["f32", "f32"]),
    *([1, 2], ["src.rank", 1], [1, 1], {"a": {}}, {"a": None}, {"src": {"same_as": "src"}}, {"function": ["exp"]}),
    *([[1]], {"1": {"a": "b"}}, {2: {"a": "src"}}, {"default": "vector"}, {"trn1": ["vector"]}, "keep", "load", "M"),
)
JUNK = (
    *("[", "{", "}", "]", ": ", "- ", '"', "'", "&a ", "*a ", "!!x ", "|", ">", "\t", "%", "\n", "  ", "~", "yes"),
    *("1e3", "\u2028", "# ", "---\n", "? ", "<<: ", "{}", "[]", "-1", "9" * 30, "é", "\x00", "(?", "{src}", ")"),
    *("\ufeff", "\r", "9" * 5000, "1.0e+999", "....", "@", "`", "\U0001f600", "x" * 2000),
)


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Writes nothing for None, which strict YAML has no word for."""


_Dumper.add_representer(type(None), lambda dumper, _: dumper.represent_scalar("tag:yaml.org,2002:null", ""))


def dumped(tree: Tree) -> str:
    text: str = yaml.dump(tree, Dumper=_Dumper, sort_keys=False, allow_unicode=True)
    return text


def mutated_tree(text: str, choose: random.Random) -> Tree:
    """The tree of a definition with one to three nodes changed, added, doubled, moved or removed."""
    tree = deepcopy(_read(text))
    for _ in range(choose.randint(1, 3)):
        holder = choose.choice(list(_holders(tree)))
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        match choose.randrange(6), keys:
            case 0, [_, *_]:
                del holder[choose.choice(keys)]
            case 1 | 2, [_, *_]:
                holder[choose.choice(keys)] = deepcopy(choose.choice(VALUES))
            case 3, [_, *_] if isinstance(holder, dict):
                key = choose.choice(keys)
                value = holder.pop(key)
                holder[_other_key(str(key), choose)] = value
            case _ if isinstance(holder, dict):
                table = choose.choice(TABLES)
                key = choose.choice(table.keys)
                example = _read(key.example)[key.name]
                holder[key.name] = deepcopy(choose.choice([example, example, choose.choice(VALUES)]))
            case _:
                holder.append(deepcopy(choose.choice(VALUES if choose.random() < 0.5 or not holder else holder)))
    return tree


@cache
def _read(text: str) -> Tree:
    """The tree of a text that many mutants start from, to be copied."""
    return yaml.safe_load(text)


def mutated_text(text: str, choose: random.Random) -> str:
    """The text with one to three small changes: lines dropped or doubled, words swapped, junk inserted."""
    words = sorted(set(text.replace(":", " ").split()))
    lines = text.splitlines(keepends=True)
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
                parts = line.split(" ")
                parts[choose.randrange(len(parts))] = choose.choice(words)
                lines[at] = " ".join(parts) + "\n"
        lines = [line or "\n" for line in lines]
    return "".join(lines)


def mutated_bytes(data: bytes, choose: random.Random) -> bytes:
    """One to three bytes replaced, removed or inserted; what comes out need not be text."""
    for _ in range(choose.randint(1, 3)):
        at = choose.randrange(len(data))
        data = data[:at] + bytes([choose.randrange(256)] * choose.randrange(2)) + data[at + choose.randrange(2) :]
    return data


def mutant(text: str, choose: random.Random) -> bytes:
    """A definition with mistakes of any kind."""
    match choose.randrange(3):
        case 0:
            return mutated_bytes(text.encode(), choose)
        case 1:
            return mutated_text(text, choose).encode(errors="surrogatepass")
        case _:
            return dumped(mutated_tree(text, choose)).encode()


def _holders(tree: Tree) -> Iterator[Tree]:
    """All mappings and lists of a tree."""
    if isinstance(tree, (dict, list)):
        yield tree
        for inner in tree.values() if isinstance(tree, dict) else tree:
            yield from _holders(inner)


def _other_key(key: str, choose: random.Random) -> str:
    """The key with a letter too many or too few, or another key."""
    at = choose.randrange(len(key) + 1)
    known = choose.choice(choose.choice(TABLES).names)
    return choose.choice([key[:at] + key[at + 1 :], key[:at] + choose.choice("aZ_1") + key[at:], known]) or "x"
