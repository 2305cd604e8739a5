"""The schema of BIR and its reader say the same of every file, but for what only the reader can see."""

import copy
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema.protocols import Validator

from brewer.bir_records import FieldForm, RecordForm, record_forms
from brewer.bir_schema import ONLY_THE_READER, bir_schema
from brewer.bir_schema_parts import EDGE_KINDS
from brewer.command_line import main
from brewer.load import load
from runtime.access import AccessMode
from runtime.bir import bir_text, read_bir
from runtime.bir.plans import RecordPlan
from runtime.dependencies import EdgeKind
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.functions import Module
from runtime.instruction_set import standard
from runtime.text.parser import parse
from tests.brewer.miniature import build
from tests.brewer.quick_validator import quick_validator
from tests.definition_examples import programs_among
from tests.runtime.bir.spoiled import spoil
from tests.runtime.random_programs import modules
from tests.this_project import PROJECT, instructions

INSTRUCTIONS = instructions()
FORMS = record_forms(INSTRUCTIONS, PROJECT.sources)
SCHEMA = bir_schema(FORMS, INSTRUCTIONS.vocabulary)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
QUICK_VALIDATOR = quick_validator(SCHEMA)
# Those whose derived fields need operands of a known type; examples have them.
DERIVED = {form.mnemonic for form in FORMS if {"shape", "dtype"} & {field.name for field in form.fields}}
MNEMONICS = tuple(sorted(set(standard()) - DERIVED))
EXAMPLES = [text for d in INSTRUCTIONS.definitions for text in programs_among(one.value for one in d.examples)]
WITH_A_FRACTION = r"found the number -?\d+(\.0+|(\.\d+)?e\+\d+)\b"
# What a schema cannot say: the code, and where it can say a part of it, the messages of the rest.
READER_ONLY = {
    "B005": r"the format has version 1\.0",
    "B012": f"indices for|larger than every float|{WITH_A_FRACTION}",
    **dict.fromkeys(("B014", "B015", "B016", "B021", "B022", "B023", "B024", "B034"), ""),
    "B031": '"(shape|dtype)"',  # derived, where the operands do not say it
    "B032": "^`[^`]+` has [01] results?; found [12]",  # a type of another spelling of none
    "B035": "there is no region",
}
OTHER_KINDS: tuple[Any, ...] = (None, True, 7, -1, 0.5, "word", "none", [], [1], ["word"], {}, {"word": 1})


def refused_by_the_reader(found: Any) -> tuple[Diagnostic, ...]:
    try:
        read_bir(json.dumps(found), standard())
    except DiagnosticsError as error:
        return error.diagnostics
    return ()


def why_they_disagree(found: Any) -> str | None:
    """What only the reader says of a file, and the schema could say."""
    if not QUICK_VALIDATOR.is_valid(found):
        return None
    said = [
        each
        for each in refused_by_the_reader(found)
        if each.code not in READER_ONLY or not re.search(READER_ONLY[each.code], each.message)
    ]
    return "\n".join(each.render() for each in said) or None


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@settings(max_examples=25)
@given(modules(standard(), MNEMONICS))
def test_random_programs_are_accepted(module: Module) -> None:
    VALIDATOR.validate(json.loads(bir_text(module)))


@settings(max_examples=25)
@given(st.data())
def test_the_quick_validator_says_what_the_library_says(data: st.DataObject) -> None:
    found = json.loads(bir_text(data.draw(modules(standard(), MNEMONICS))))
    for _ in range(data.draw(st.integers(0, 2))):
        spoil(data, found)
    assert said_by(QUICK_VALIDATOR, found) == said_by(VALIDATOR, found)


def said_by(validator: Validator, found: Any) -> list[tuple[str, str]]:
    return sorted((error.json_path, error.message) for error in validator.iter_errors(found))


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples_of_definitions_are_accepted(text: str) -> None:
    VALIDATOR.validate(json.loads(bir_text(parse(text, standard()))))


@settings(max_examples=40)
@given(st.data())
def test_the_reader_refuses_no_more_than_is_listed(data: st.DataObject) -> None:
    agree_on_spoiled(data, MNEMONICS)


@pytest.mark.long
@pytest.mark.parametrize("mnemonic", MNEMONICS)
@settings(max_examples=20)
@given(st.data())
def test_the_reader_refuses_no_more_of_any_instruction(mnemonic: str, data: st.DataObject) -> None:
    agree_on_spoiled(data, (mnemonic,))


def agree_on_spoiled(data: st.DataObject, mnemonics: tuple[str, ...]) -> None:
    found = json.loads(bir_text(data.draw(modules(standard(), mnemonics))))
    for _ in range(data.draw(st.integers(1, 2))):
        spoil(data, found)
    reason = why_they_disagree(found)
    assert reason is None, f"{reason}\n{json.dumps(found)}"


@pytest.mark.parametrize("text", EXAMPLES)
def test_each_part_removed_renamed_or_of_another_kind(text: str) -> None:
    disagree_nowhere(text, 1)


@pytest.mark.long
@pytest.mark.parametrize("text", EXAMPLES)
def test_each_part_of_several_other_kinds(text: str) -> None:
    disagree_nowhere(text, 4)


def disagree_nowhere(text: str, n_kinds: int) -> None:
    found = json.loads(bir_text(parse(text, standard())))
    chosen = random.Random(text)
    for path in paths(found):
        for mutant in mutants(found, path, chosen.sample(OTHER_KINDS, n_kinds)):
            reason = why_they_disagree(mutant)
            assert reason is None, f"{path}: {reason}\n{json.dumps(mutant)}"


def paths(found: Any, *path: str | int) -> Iterator[tuple[str | int, ...]]:
    """The paths to all parts."""
    if path:
        yield path
    if isinstance(found, (dict, list)):
        for key, value in found.items() if isinstance(found, dict) else enumerate(found):
            yield from paths(value, *path, key)


def mutants(found: Any, path: tuple[str | int, ...], others: list[Any]) -> Iterator[Any]:
    """The file without the part at `path`, with it under another key, and with others in its place."""
    for other in ("removed", "renamed", *others):
        mutant = copy.deepcopy(found)
        holder = mutant
        for key in path[:-1]:
            holder = holder[key]
        if other in ("removed", "renamed"):
            old = holder.pop(path[-1])
            if other == "renamed" and isinstance(holder, dict):
                holder[f"{path[-1]}s"] = old
        else:
            holder[path[-1]] = other
        yield mutant


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.mnemonic)
def test_records_are_those_that_the_reader_knows(form: RecordForm) -> None:
    cls = standard()[form.mnemonic]
    plan, info = RecordPlan.of(cls), cls.INFO
    assert (form.version, form.renames) == (info.version, info.renames)
    slots = [(slot.name, slot.optional, slot.variadic) for slot in form.slots]
    assert slots == [(operand.name, operand.optional, operand.variadic) for operand in plan.operands]
    assert form.n_needed == plan.n_needed
    fields = {field.name: field for field in form.fields}
    for attribute in info.attributes:
        field = fields.pop(attribute.name)
        assert (f"list[{field.type}]" if field.is_list else field.type) == attribute.type
        assert (field.optional, field.required) == (attribute.optional, attribute.required)
        assert (field.words, field.min, field.max) == (attribute.one_of, attribute.min, attribute.max)
    assert all(fields.pop(name).type == "indices" for name in info.ap_indices)
    assert set(fields) <= {"shape", "dtype", "label", "attributes"}
    assert (form.has_dst, form.has_engine, form.is_open) == (plan.takes_dst, plan.takes_engine, info.open_attributes)
    assert form.is_open == plan.carries == plan.takes_regions == (form.n_regions is None)
    assert form.n_regions in (None, len(info.regions))
    assert form.max_results == (None if info.has_any_number_of_results else len(info.results))


RENAMED = RecordForm(
    "moved",
    "An instruction of which two fields have other names in each version.",
    version=3,
    fields=(FieldForm("axis", "int", required=True), FieldForm("scale", "float")),
    renames=((2, "dim", "dimension"), (2, "dimension", "factor"), (3, "dimension", "axis"), (3, "factor", "scale")),
    max_results=0,
)


@pytest.mark.parametrize(
    ("version", "fields", "is_valid"),
    [
        (1, {"dim": 0, "dimension": 0.5}, True),
        (2, {"dimension": 0, "factor": 0.5}, True),
        (3, {"axis": 0, "scale": 0.5}, True),
        (1, {"dim": 0, "scale": 0.5}, False),
        (1, {"dimension": 0}, False),
        (2, {"dim": 0}, False),
        (2, {"dimension": 0, "dim": 1}, False),
        (3, {"dimension": 0}, False),
        (0, {"dim": 0}, False),
        (4, {"axis": 0}, False),
    ],
)
def test_each_version_has_the_names_of_its_time(version: int, fields: dict[str, Any], is_valid: bool) -> None:
    parts = bir_schema([RENAMED], INSTRUCTIONS.vocabulary)["$defs"]
    validator = jsonschema.Draft202012Validator({"$ref": "#/$defs/op_moved", "$defs": parts})
    assert validator.is_valid({"op": "moved", "version": version, "fields": fields}) is is_valid


GROWN = RecordForm(
    "grown",
    "An instruction with a field since version 2, which has another name since version 3.",
    version=3,
    fields=(FieldForm("axis", "int", required=True, required_since=2), FieldForm("scale", "float")),
    renames=((3, "dim", "axis"),),
    max_results=0,
)


@pytest.mark.parametrize(
    ("version", "fields", "is_valid"),
    [
        (1, {}, True),
        (1, None, True),
        (1, {"dim": 1, "scale": 0.5}, True),
        (2, {"dim": 1}, True),
        (3, {"axis": 1}, True),
        (1, {"axis": 1}, False),
        (2, {}, False),
        (2, None, False),
        (3, {"scale": 0.5}, False),
        (3, None, False),
    ],
)
def test_a_field_is_needed_since_the_version_that_it_came_with(
    version: int, fields: dict[str, Any] | None, is_valid: bool
) -> None:
    parts = bir_schema([GROWN], INSTRUCTIONS.vocabulary)["$defs"]
    validator = jsonschema.Draft202012Validator({"$ref": "#/$defs/op_grown", "$defs": parts})
    said = {} if fields is None else {"fields": fields}
    assert validator.is_valid({"op": "grown", "version": version, **said}) is is_valid


def test_every_instruction_has_a_record() -> None:
    assert [form.mnemonic for form in FORMS] == sorted(standard())


def test_the_words_of_accesses() -> None:
    assert SCHEMA["$defs"]["access"]["properties"]["mode"]["enum"] == [mode.value for mode in AccessMode]


def test_every_rule_for_the_reader_alone_is_listed() -> None:
    ranges = re.findall(r"B(\d+)(?: to B(\d+))?", " ".join(ONLY_THE_READER))
    listed = {f"B{code:03}" for low, high in ranges for code in range(int(low), int(high or low) + 1)}
    assert set(READER_ONLY) <= listed


def test_the_command_prints_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "--bir"]) == 0
    assert json.loads(capsys.readouterr().out) == SCHEMA


def test_edges_are_of_the_kinds_of_the_runtime() -> None:
    assert tuple(kind.value for kind in EdgeKind) == EDGE_KINDS


TOP_K = b"""name: TopK
base: NeuronInst
summary: The largest elements of each row, and where they are.
rhs_str: "top_k {src}"
operands: {src: {}}
results: {values: {same_as: src}, indices: {dtype: i32, shape: src, optional: true}, counts: {optional: true}}
"""


@pytest.mark.parametrize(
    ("results", "is_legal"),
    [
        ([["%v", "f32[4]"], ["%i", "i32[4]"], ["%c", "i32[1]"]], True),
        ([["%v", "f32[4]"], "none", ["%c", "i32[1]"]], True),
        ([["%v", "f32[4]"]], True),
        (["none", ["%i", "i32[4]"]], False),
        ([["%v", "f32[4]"], "none", "none", "none"], False),
        ([["%v", "f32[4]"], "nothing"], False),
    ],
)
def test_results_that_may_be_absent(results: list[Any], is_legal: bool, tmp_path: Path) -> None:
    project = build(tmp_path, {"defs/neuron/TopK.yaml": TOP_K})
    instructions = load(project)
    schema = bir_schema(record_forms(instructions, project.sources), instructions.vocabulary)
    record = {"op": "top_k", "version": 1, "results": results, "args": ["%a"]}
    function = {"name": "main", "args": [["%a", "f32[4]"]], "tensors": [], "body": [record]}
    program = {"format": "brewer-bir", "version": 1, "target": None, "functions": [function]}
    assert jsonschema.Draft202012Validator(schema).is_valid(program) == is_legal
