"""No change of a definition, of the vocabulary or of facts is silent: whatever the model holds is compared."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from brewer import model
from brewer.load import Instructions, load
from brewer.meaning.comparison import Comparison, compare
from brewer.meaning.snapshot import Snapshot, snapshot_of_work_tree
from brewer.model import Attribute, BirField, Operand, Text
from brewer.project import Project
from brewer.rhs_grammar import Literal
from runtime.diagnostics import Place
from tests.brewer.case_files import read_case
from tests.brewer.miniature import build

CASES = Path(__file__).parent / "cases"
# What means nothing by itself: places, what is known to be wrong, and what another part of the model decides.
NO_MEANING = {
    *(
        "Default.place",
        "Engines.place",
        "Condition.places",
        "Destination.place",
        "Definition.line",
        "Definition.file",
        "Definition.dialect",
        "Text.place",
    ),
    *("Operand.is_sound", "Attribute.is_sound", "Definition.fields_are_known", "Definition.misspelled"),
    *("Definition.base", "Definition.rhs_str"),  # the base and the parsed form stand beside the definition
    *("Group.place", "Placeholder.place", "Literal.place", "Vocabulary.line", "Vocabulary.where", "FactsDocument.file"),
    "BirField.kind",  # the one that fits the field, which loading checks
    "FactsDocument.source",  # for people, in a comment of the generated table
}
WORDS = {
    "Destination.use": ("optional", "required"),
    "Operand.access": ("load", "store"),
    "Constraint.relation": ("equal", "less"),
    "Presence.relation": ("exactly_one", "at_most_one"),
    "AttributeType.word": ("str", "bool"),
}


SERIALIZED = b"""\
name: Y
base: NeuronInst
summary: One.
rhs_str: "y {src}"
operands: {src: {}}
attributes: {n: {type: int}}
results: {result: {same_as: src}}
serialize: {src: var, n: number, shape: shape}
"""


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The definition that says everything, and a document of facts."""
    files = {**read_case(CASES / "everything.case").files, **read_case(CASES / "facts_document.case").files}
    files["defs/neuron/Y.yaml"] = SERIALIZED  # not everything can be said at once
    return build(tmp_path_factory.mktemp("everything") / "project", files)


@pytest.fixture(scope="module")
def instructions(everything: Project) -> Instructions:
    return load(everything)


def test_no_change_of_a_definition_is_silent(everything: Project, instructions: Instructions) -> None:
    silent: list[str] = []
    count = 0
    for brewable in instructions.brewables:
        assert brewable.rhs is not None
        definitions, forms = mutations(brewable.definition), mutations(brewable.rhs)
        changed = {path: dataclasses.replace(brewable, definition=definition) for path, definition in definitions}
        changed |= {path: dataclasses.replace(brewable, rhs=rhs) for path, rhs in forms}
        others = tuple(b for b in instructions.brewables if b is not brewable)
        for path, found in changed.items():
            count += 1
            if not compared(everything, instructions, brewables=(*others, found)).differences:
                silent.append(path)
    assert not silent, silent
    assert count > 200


def test_no_change_of_the_vocabulary_is_silent(everything: Project, instructions: Instructions) -> None:
    changed = dict(mutations(instructions.vocabulary))
    silent = [p for p, words in changed.items() if not compared(everything, instructions, vocabulary=words).vocabulary]
    assert len(changed) > 20 and silent == []


def test_no_change_of_facts_is_silent(everything: Project, instructions: Instructions) -> None:
    document, *others = instructions.facts
    changed = dict(mutations(document))
    silent = [
        path for path, found in changed.items() if not compared(everything, instructions, facts=(found, *others)).facts
    ]
    assert len(changed) > 15 and silent == []


def test_the_model_is_known_whole(everything: Project, instructions: Instructions) -> None:
    """Every field of every class of the model is changed by one of the mutations above, or means nothing."""
    paths = [path for definition in instructions.definitions for path, _ in mutations(definition)]
    seen = {step.partition("[")[0] for path in paths for step in path.split(" > ")}
    classes = [c for c in vars(model).values() if isinstance(c, type) and dataclasses.is_dataclass(c)]
    here = [c for c in classes if c.__module__ == model.__name__ and c is not Text]
    every = {f"{c.__name__}.{field.name}" for c in here for field in dataclasses.fields(c)}
    assert sorted(every - seen - NO_MEANING) == []


def compared(project: Project, instructions: Instructions, **changes: Any) -> Comparison:
    before = snapshot_of_work_tree(project, instructions)
    now = Snapshot("now", dataclasses.replace(instructions, **changes), before.classes_in_memory)
    return compare(before, now)


def mutations(value: Any) -> Iterator[tuple[str, Any]]:
    """The value with one thing in it changed, for everything that can be, and where that is."""
    for field in dataclasses.fields(value):
        here = f"{type(value).__name__}.{field.name}"
        if not field.init or here in NO_MEANING:
            continue
        for path, other in _others(getattr(value, field.name), here, value):
            yield path, dataclasses.replace(value, **{field.name: other})


def _others(held: Any, here: str, owner: Any) -> Iterator[tuple[str, Any]]:
    """Other values in place of one that is held."""
    if here in WORDS:
        yield here, next(word for word in WORDS[here] if word != held)
    elif isinstance(held, Text):
        yield here, Text(f"{held.value}x", held.place)
    elif dataclasses.is_dataclass(held):
        yield from ((f"{here} > {path}", other) for path, other in mutations(held))
    elif isinstance(held, tuple) and not isinstance(held, Place):
        is_pair = len(held) == 2 and isinstance(held[0], str) and not isinstance(held[1], str)  # a name and what it has
        for index, item in enumerate(held):
            if item == ("commutative", False):
                continue  # what does not hold need not be said
            if not is_pair and not _must_stay(here, item):
                yield f"{here}[{index}]", (*held[:index], *held[index + 1 :])
            for path, other in _others(item, f"{here}[{index}]", owner):
                yield path, (*held[:index], other, *held[index + 1 :])
    elif isinstance(held, bool):
        if not _is_impossible(here, owner):
            yield here, not held
    elif isinstance(held, (int, float)):
        yield here, held + 1
    elif isinstance(held, str):
        yield here, f"{held}x"
    elif held is None and here in _INSTEAD_OF_NONE and not (here == "Result.infer" and owner.same_as):
        yield here, _INSTEAD_OF_NONE[here]


_INSTEAD_OF_NONE = {
    "Attribute.max": 9.0,
    "Attribute.multiple_of": 3,
    "Result.same_as": Text("src", Place("", 0, 0)),
    "Result.infer": Text("product_type", Place("", 0, 0)),
    "Definition.wrapper": Text("X", Place("", 0, 0)),
    "FieldTerm.index": 1,
}


def _must_stay(here: str, item: object) -> bool:
    """What no definition can leave out: the field of a group, the space after a mnemonic, a field in `serialize`."""
    if isinstance(item, BirField):
        return item.name.value != "shape"
    return here == "Group.parts" or (isinstance(item, Literal) and not item.text.strip())


def _is_impossible(here: str, owner: Any) -> bool:
    """Combinations that no definition can state."""
    if here == "Attribute.optional":
        return isinstance(owner, Attribute) and owner.default is not None
    return here == "Operand.optional" and isinstance(owner, Operand) and owner.variadic
