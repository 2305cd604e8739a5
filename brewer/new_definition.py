"""The text of a new definition: another one with what belongs to it alone taken out, or a skeleton to fill.

Deliberately absent: files, and whether the text is a right definition; whoever writes it brews it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from brewer.load import Brewable, Instructions
from brewer.python_sources import ROOT_CLASS, PythonSources
from brewer.vocabulary import Vocabulary
from brewer.yaml_tree import Entry, Mapping, Scalar
from runtime.diagnostics import Place

# What belongs to one definition alone: the class written by hand for it, the history of its records, its examples.
LEFT_OUT = ("wrapper", "version", "renames", "before", "since", "deprecated", "examples")
_SHORT = 4  # letters: lstm and conv, either of which may be an abbreviation
_WORD_STARTS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z](?!v[0-9])[a-z])|(?<=[A-Z])(?=v[0-9])")
# What has a capital letter within it and is one word all the same: MatMul, and abbreviations with one small letter, as
# in MoEGate, RoPE and ReLU6, but not in ToBF16.
_ONE_WORD = re.compile(
    r"MatMul|(?!(?:As|By|In|Is|No|Of|On|Or|To|Up)[A-Z])[A-Z][a-z](?:[A-Z]{2,}(?![a-z])|[A-Z](?![a-z0-9]))"
)


@dataclass(frozen=True, slots=True)
class NewDefinition:
    text: str
    left_out: tuple[str, ...]  # keys of the other definition that are not taken over


def mnemonic_for(name: str, dialect: str) -> str:
    """`TensorCopyOp` in neuron: tensor_copy; `MatMul` in graph: graph.matmul."""
    plain = _ONE_WORD.sub(lambda found: found[0].capitalize(), name)
    word = _WORD_STARTS.sub("_", plain).lower()
    return word.removesuffix("_op") if dialect == "neuron" else f"{dialect}.{word}"


def name_like(text: str) -> str | None:
    """What a name of a definition would be that is not written as one; None where it has no letter to begin with."""
    words = re.findall("[A-Za-z0-9]+", text)
    name = "".join(word[0].upper() + word[1:] for word in words)
    if not name[:1].isalpha():
        return None
    is_short = len(words) == 1 and len(name) <= _SHORT and text.islower()
    return f"{name}, or {name.upper()} where it is an abbreviation" if is_short else name


def definition_like(other: Brewable, tree: Mapping, text: str, name: str, mnemonic: str) -> NewDefinition | None:
    """The text of a definition under another name and mnemonic; None where its keys do not stand a line each.

    `tree` and `text` are those of its file. Comments stay where they are.
    """
    lines = text.rstrip("\n").split("\n")
    if any(entry.place.column != 1 for entry in tree):
        return None
    left_out = []
    for entry, last in reversed(list(_spans(tree, lines))):
        first = entry.place.line - 1
        if entry.name in LEFT_OUT:
            del lines[first:last]
            left_out.append(entry.name)
        elif entry.name == "name":
            lines[first] = _replaced(lines[first], entry.value.place, name)
        elif entry.name == "summary":
            summary = _scalar(f"Like {other.definition.name}, {_in_a_sentence(other.definition.summary)}")
            lines[first:last] = [f"summary: {summary}"]
        elif entry.name == "rhs_str" and other.rhs is not None:
            assert isinstance(entry.value, Scalar)
            form = f"{mnemonic}{entry.value.text.removeprefix(other.rhs.mnemonic.value)}"
            lines[first:last] = [
                f"rhs_str: {json.dumps(form, ensure_ascii=False)}{_comment(lines[first], entry.value)}"
            ]
    return NewDefinition("\n".join(lines) + "\n", tuple(reversed(left_out)))


def skeleton(
    name: str, dialect: str, mnemonic: str, base: str, in_memory: bool, words: Vocabulary, sources: PythonSources
) -> str:
    """The smallest definition that can be brewed, with what is usually said of one as comments."""
    dtypes = words.dtype_groups[-1][0] if words.dtype_groups else f"[{', '.join(words.dtypes[:2])}]"
    engines = [engine for engine in words.engines if engine != "unknown"]
    of_engines = f"""\
# engine: {engines[0]}  # where it runs unless somebody chooses
# engines: [{', '.join(engines[:2])}]  # where it may run; absent: anywhere
"""
    return f"""\
# What is left out holds by default. The keys behind a `# ` are examples: take the sign away, or the line.
name: {name}
base: {base}
summary: What {name} does, in one sentence.
# source: {{document: The public document that this is written from, section: Where in it}}
{of_engines if in_memory and engines else ""}\
rhs_str: "{mnemonic} {{src}}"  # how it prints and parses: the mnemonic, words, {{fields}}
operands:
  src:
    # dtypes: {dtypes}  # the legal data types; absent: any
    doc: What it reads.
# attributes:
#   scale: {{type: float, default: 1.0, doc: What each element is multiplied with.}}
results:
  result: {{same_as: src}}
# constraints:
#   small: {{at_most: [scale, 8], message: scale is at most 8}}
# op_kind: elementwise  # or compute, reduction, data_movement, boundary, for the precision policies
# semantics: none  # or {_function_of(sources)}, which computes it
# examples:  # whole programs, which tests run
#   - |
#     func @main(%x: f32[4,8]) {{
#       %y: f32[4,8] = {mnemonic} %x
#       return %y
#     }}
"""


def _function_of(sources: PythonSources) -> str:
    """How a function that computes is named, and where it stands."""
    where = sources.where("semantics")
    if not sources.modules.semantics:
        return "family.function, in the module that `semantics` of [tool.brewer] names"
    family = "family" if where.endswith("/") else where.rpartition("/")[2].removesuffix(".py")
    return f"{family}.function in {where}"


def base_for(dialect: str, instructions: Instructions, sources: PythonSources) -> str | None:
    """The runtime class that all definitions of a dialect stand on; None where it has none."""
    roots = sorted({found.root for found in instructions.brewables if found.definition.dialect == dialect})
    chains = [[found.name for found in sources.lineage(root)] for root in roots]
    shared = [name for name in chains[0] if all(name in chain for chain in chains)] if chains else []
    return next((name for name in shared if name != ROOT_CLASS), None)


def _spans(tree: Mapping, lines: list[str]) -> Iterator[tuple[Entry, int]]:
    """Each key with the line after its value; comments and empty lines before the next key belong to that."""
    starts = [entry.place.line - 1 for entry in tree][1:] + [len(lines)]
    for entry, end in zip(tree, starts, strict=True):
        while end > entry.place.line and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
            end -= 1
        yield entry, end


def _replaced(line: str, place: Place, text: str) -> str:
    start = place.column - 1
    return f"{line[:start]}{text}{line[start + place.length :]}"


def _comment(line: str, value: Scalar) -> str:
    """What stands behind a value on its line, with the quote that ends the value taken off."""
    behind = line[value.place.column - 1 + value.place.length :].lstrip("\"'")
    return behind if behind.lstrip().startswith("#") else ""


def _in_a_sentence(summary: str) -> str:
    """The summary as it goes on within a sentence: only a capital letter that starts a word like any other goes."""
    starts_plainly = len(summary) > 1 and not summary[1].isupper()
    return summary[:1].lower() + summary[1:] if starts_plainly else summary


def _scalar(text: str) -> str:
    return str(yaml.safe_dump(text, width=1_000_000, allow_unicode=True)).removesuffix("...\n").strip()
